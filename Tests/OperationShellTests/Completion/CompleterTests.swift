import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import CommandParts
@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession
@testable import SteerCommands

@Suite("Completer", .timeLimit(.minutes(15)))
struct CompleterTests {
  /// A line with the cursor at `‸`, and the expected candidates.
  struct Typed: CustomTestStringConvertible, Sendable {
    let line: String
    var offers: [String]
    var withholds: [String] = []
    var isWhole = false

    var testDescription: String { line }

    /// Exactly these candidates.
    static func all(_ line: String, _ offers: [String]) -> Typed {
      Typed(line: line, offers: offers, isWhole: true)
    }

    /// At least the first candidates, and none of the second.
    static func some(_ line: String, _ offers: [String], not withholds: [String] = []) -> Typed {
      Typed(line: line, offers: offers, withholds: withholds)
    }
  }

  /// alpha is held, beta and beaver wait on a paused queue, gamma has finished.
  static let setup = """
    delay 1s --name alpha --hold
    queue new slow --width 1
    delay 0s --name gamma
    wait gamma
    queue pause
    delay 1s --name beta
    block --name beaver { echo no }
    let count = 3
    let cursor = (beta.name)
    def greet who how { echo $who }
    """

  private func complete(_ marked: String, in fixture: ShellFixture) -> CompletionResult {
    let parts = marked.split(separator: "‸", maxSplits: 1, omittingEmptySubsequences: false)
    return Completer(shell: fixture.shell).completions(
      for: parts.joined(), cursor: parts[0].count)
  }

  private func makeFixture() throws -> ShellFixture {
    var configuration = SessionConfiguration()
    configuration.environment = ["LANGUAGE_FOR_TEST": "en", "bad name": "x"]
    let fixture = try ShellFixture(Self.setup, configuration)
    let beta = try #require(fixture.session.jobs.operations.operation(named: "beta"))
    fixture.shell.interpreter.makeContext().setVariable(
      "q", .object(OperationObject(beta, clock: fixture.session.run.clock)))
    return fixture
  }

  @Test("The completer offers the expected candidates", arguments: cases)
  func offers(_ typed: Typed) throws {
    let result = complete(typed.line, in: try makeFixture())
    let texts = result.candidates.map(\.text)
    #expect(Set(texts).count == texts.count, "No candidate appears twice: \(texts)")
    if typed.isWhole {
      #expect(texts == typed.offers)
    } else {
      #expect(Set(typed.offers).subtracting(texts) == [], "among \(texts)")
      #expect(Set(typed.withholds).intersection(texts) == [])
    }
  }

  static let cases: [Typed] =
    commands + options + values + names + expressions + variables + places

  static let commands: [Typed] = [
    .some("‸", ["fetch", "queue", "let", "greet", "while"], not: ["else", "catch", "questions"]),
    .all("fet‸", ["fetch"]), .all("fetch ‸que", ["answers", "questions", "quotes", "tweets"]),
    .all("fetch q‸", ["questions", "quotes"]), .all("queue pau‸", ["pause"]),
    .all("gre‸", ["greet"]), .all("whi‸", ["while"]), .all("xyz‸", []), .all("FET‸", ["fetch"]),
    .all("help queue pau‸", ["pause"]), .all("help fet‸", ["fetch"]),
    .all("help isR‸", ["isReady"]), .all("help dead‸", ["deadlock"]),
    .some("help ‸", ["queue", "fetch", "queues", "status", "concepts"], not: ["let", "greet"]),
    .all("help prope‸", ["properties"]), .some("help le‸", ["let", "length"]),
    .some("help properties ‸", ["operations", "requests"], not: ["queue", "let"]),
    .some("time ‸", ["delay", "fetch"]), .all("let d = fetch q‸", ["questions", "quotes"]),
  ]

  static let options: [Typed] = [
    .all("delay 1s --na‸", ["--name"]), .all("delay 1s --name a --na‸", []),
    .all("delay 1s --af‸ --name a", ["--after"]), .all("delay 1s --na‸ --name a", []),
    .all("delay 1s --na‸; delay 2s --name a", ["--name"]),
    .all("delay 1s --after beta --af‸", ["--after"]),
    .some("fetch questions --‸", ["--tagged", "--count", "--hold"], not: ["--question"]),
    .all("fetch answers --ques‸", ["--question"]),
    .all("server fault stall-‸", ["stall-headers", "stall-body"]),
    .some("server fault reset --route ‸", ["/search.json"]),
    .some("server fault ‸", ["latency", "off", "status-503"], not: ["status-404"]),
    .all("server faults tru‸", ["truncated-gzip", "truncated-body", "truncated-chunks"]),
    .some("next ‸", ["alpha", "beta", "10"], not: ["gamma"]),
    .some("next --operation ‸", ["beta"], not: ["gamma", "10"]),
    .some("wait ‸", ["--timeout", "--any-outcome"]), .all("echo -- --‸", []),
    .all("nothing --‸", []), .all("delay --he‸", ["--help"]), .all("queue pause --he‸", ["--help"]),
    .all("tags --h‸", ["--help"]), .all("delay 1s --he‸", []),
    .some("delay ‸", [], not: ["--help"]),
    .all("run ls --he‸", []),
  ]

  static let values: [Typed] = [
    .all("delay 1s --priority ve‸", ["veryLow", "veryHigh"]),
    .all("delay 1s --priority=veryh‸", ["veryHigh"]),
    .all("priority beta v‸", ["veryLow", "veryHigh"]),
    .all("qos beta user‸", ["userInteractive", "userInitiated"]),
    .all("delay 1s --on-failure ‸", ["run", "skip", "fail"]),
    .all("observe beta isF‸", ["isFinished"]), .all("on beta fin‸", ["finished"]),
    .all("on queue network em‸", ["empty"]), .all("events o‸", ["on", "off"]),
    .all("events filter suc‸", ["succeeded"]), .all("ops exec‸", ["executing"]),
    .all("queue width network un‸", ["unlimited"]),
    .all(
      "endpoint ‸",
      ["answers", "questions", "quotes", "tweets", "practice", "live", "--key"]),
    .all("deps beta o‸", ["on", "off"]),
    .all("expect (true) w‸", ["within"]),
    .all("ops --where 'state == pen‸", ["'state == pending"]),
    .all("ops --where (outc‸", ["outcome"]), .all("ops --where (state == pen‸", ["pending"]),
    .some("ops --where (st‸", ["state", "started", "status"]),
    .all("ops --where=(outc‸", ["outcome"]),
    .all("ops --where \"outc‸", ["\"outcome"]), .all("delay ‸1", ["200ms", "2s", "1m"]),
    .all("delay ‸", ["200ms", "2s", "1m"]), .all("delay 30‸", ["30ms", "30s", "30m", "30h"]),
    .all("delay 1s --timeout ‸", ["200ms", "2s", "1m"]),
    .all("on beta finished ‸", ["{"]), .all("on queue network empty ‸", ["{"]),
    .all("ops --where 'state == ‸", Self.states.map { "'state == " + $0 }),
    .all("ops --where (state == ‸", states),
    .all("ops --where (cancelled != ‸", ["true", "false"]),
    .all("ops --where (outcome == ‸", ["succeeded", "failed", "cancelled", "skipped", "null"]),
    .all("ops --where (queue == s‸", ["system", "slow"]),
    .all("ops --where (kind == ‸", ["block", "delay"]),
  ]

  static let states = ["created", "pending", "ready", "executing", "finished"]

  static let names: [Typed] = [
    // None is offered twice.
    .all("cancel be be‸", ["beta", "beaver"]), .all("cancel beta be‸", ["beaver"]),
    .all("cancel all ‸", ["--where"]), .all("delay 1s --after beta,be‸", ["beaver"]),
    .all("deps beta on be‸", ["beaver"]),
    // Parts of names, then their initials.
    .all("cancel eave‸", ["beaver"]), .all("cancel EAVE‸", ["beaver"]),
    .all("priority beta vh‸", ["veryHigh"]),
    .all("qos beta ui‸", ["userInteractive", "userInitiated"]),
    .all("delay 1s --fail‸", ["--on-failure"]),
    .all("queue use low‸", ["slow"]),
    .some("cancel ‸", ["alpha", "beta", "beaver", "all", "last"], not: ["gamma"]),
    .all("cancel rea‸", ["ready"]), .some("for op in ops ‸", ["ready", "where"]),
    .all("cancel be‸", ["beta", "beaver"]),
    .all("start ‸", ["all", "alpha", "--where", "--directly"]),
    .some("retry ‸", ["gamma"], not: ["all"]), .all("result g‸", ["gamma"]), .all("result be‸", []),
    .some("show ‸", ["alpha", "gamma", "last"]), .all("show 3‸", ["3"]),
    .all("delay 1s --after be‸", ["beta", "beaver"]),
    .all("delay 1s --after alpha,be‸", ["beta", "beaver"]),
    .all("delay 1s --after=alpha,be‸", ["beta", "beaver"]),
    .some("deps ‸", ["beta"], not: ["all"]), .all("deps beta on al‸", ["all", "alpha"]),
    .all("queue pause ‸", ["network", "system", "main", "slow", "all"]),
    .all("delay 1s --queue s‸", ["system", "slow"]),
    .all("wait queue s‸", ["system", "slow"]), .some("wait q‸", ["queue"]),
    .some("queue width ‸", ["network", "slow", "unlimited"]),
  ]

  static let expressions: [Typed] = [
    .all("(bet‸", ["beta"]), .all("(beta.sta‸", ["state", "started", "status"]),
    .all("expect (last.out‸", ["outcome"]), .all("(network.pau‸", ["paused"]),
    .some("expect (‸", ["beta", "network", "last"], not: ["fetch"]),
    .all("expect (beta.state == fini‸", ["finished"]),
    .all("expect (beta.state == ‸", states),
    .all("expect (network.paused == ‸", ["true", "false"]),
    .some("expect (beta.state ‸", ["==", "!=", "and", "in"], not: ["beta"]),
    .some("expect (not ‸", ["beta"], not: ["=="]), .some("expect (min(1, ‸", ["beta"], not: ["=="]),
    .some("expect (true and ‸", ["beta"], not: ["=="]), .all("echo \"${bet‸", ["beta"]),
    .some("(upp‸", ["upper("]), .all("(nobody.‸", []),
  ]

  static let variables: [Typed] = [
    .all("echo $‸", ["count", "cursor", "q", "env"]), .all("echo $c‸", ["count", "cursor"]),
    .all("echo \"there are $cou‸", ["count"]), .all("echo 'no $cou‸", []),
    .all("echo $q.out‸", ["outcome"]), .all("echo \"$q.out‸", ["outcome"]),
    .all("($q.sta‸", ["state", "started", "status"]), .all("echo $count.‸", []),
    .all("echo $env.LAN‸", ["LANGUAGE_FOR_TEST"]),
    .all("for item in a b { echo $it‸", ["item"]), .all("let own = 3; echo $ow‸", ["own"]),
    .all("def f left right { echo $ri‸", ["right"]),
    .all("block { echo $se‸", ["self"]), .all("block { echo $self.canc‸", ["cancelled"]),
    .all("try { fail no } catch why { echo $why.co‸", ["code", "column"]),
    .all("observe beta isFinished { echo $change.n‸", ["new"]), .all("echo $nobody.‸", []),
  ]

  static let places: [Typed] = [
    .all("echo a; fet‸", ["fetch"]), .all("if (true) { fet‸", ["fetch"]),
    .all("echo a # fet‸", []), .all("block { delay 1s --na‸", ["--name"]),
    .all("cancel 'be‸", ["'beta'", "'beaver'"]), .all("cancel \"be‸", ["\"beta\"", "\"beaver\""]),
    .all("if (true) ‸", ["{"]), .all("if ‸", ["("]), .all("while (true) ‸", ["{"]),
    .all("if (true) { } else ‸", ["if", "{"]), .all("try ‸", ["{"]), .all("repeat 2 ‸", ["{"]),
    .all("for i in ‸", ["all", "ops", "queues"]), .all("for i in all ‸", ["{"]),
    .all("def f a ‸", ["{"]),
    .all("try { } catch e ‸", ["{"]), .all("if (true) { } el‸", ["else"]),
    .all("try { } ca‸", ["catch"]),
    .all("block ‸--na", ["{", "--forget"] + BuildOptions.all.map { "--" + $0.declaration.name }),
  ]

  /// A line with the cursor, and the line after Tab if there is a single candidate.
  @Test(
    "A single candidate is inserted with the right quoting and suffix",
    arguments: [
      ("fet‸", "fetch"), ("echo a; fet‸ x", "echo a; fetch x"),
      ("cancel al‸", "cancel al"), ("cancel alp‸", "cancel alpha"),
      ("cancel alp‸ha", "cancel alpha"), ("cancel alp‸hx", "cancel alphahx"),
      ("cancel 'alp‸", "cancel 'alpha'"), ("cancel 'alp‸ha'", "cancel 'alpha'"),
      ("echo é $cou‸", "echo é $count"), ("echo 👩‍🚀 $cou‸ 👩‍🚀", "echo 👩‍🚀 $count 👩‍🚀"),
      ("delay 1s --after='alp‸", "delay 1s --after='alpha'"),
      ("delay 1s --after='beta,alp‸", "delay 1s --after='beta,alpha'"),
      ("delay 1s --priority veryh‸", "delay 1s --priority veryHigh"),
      ("ops --where 'state == pend‸'", "ops --where 'state == pending'"),
    ])
  func fillsIn(_ marked: String, _ expected: String) throws {
    let result = complete(marked, in: try makeFixture())
    var characters = Array(marked.filter { $0 != "‸" })
    if result.candidates.count == 1 {
      characters.replaceSubrange(result.range, with: Array(result.candidates[0].text))
    }
    #expect(String(characters) == expected)
  }

  @Test("Candidates have a description")
  func summaries() throws {
    let fixture = try makeFixture()
    func summary(_ line: String, _ text: String) -> String? {
      complete(line, in: fixture).candidates.first { $0.text == text }?.summary
    }
    #expect(summary("show ‸", "beta") == "delay, ready")
    #expect(summary("show ‸", "gamma") == "delay, succeeded")
    #expect(summary("show ‸", "last") == "beaver, block, ready")
    #expect(summary("queue pause ‸", "network") == "width 2, paused, 2 waiting")
    #expect(summary("queue ‸", "pause") == QueuePause.declaration.summary)
    #expect(summary("fet‸", "fetch") == "answers, questions, quotes, tweets")
    #expect(summary("delay 1s --na‸", "--name")?.isEmpty == false)
    #expect(summary("echo $‸", "count") == "integer 3")
    #expect(summary("echo $q.‸", "state") == "ready")
    try fixture.run("cancel beta")
    #expect(summary("show ‸", "beta") == "delay, ready, cancelled")
  }

  @Test("A combining accent after a quote is not changed")
  func joinedQuote() throws {
    let fixture = try makeFixture()
    for line in ["cancel '\u{301}‸", "delay 1s --after=\u{301}‸", "echo \"$\u{301}‸", "\u{301}‸"] {
      #expect(complete(line, in: fixture) == .none)
    }
  }

  @Test("For any text and cursor position, the range is within the line")
  func soup() throws {
    let fixture = try makeFixture()
    let completer = Completer(shell: fixture.shell)
    var generator = SeededGenerator(seed: 11)
    let pieces = [
      "fetch ", "questions", "$", "q", ".", "'", "\"", "${", "{", "}", "(", ")", ";", "--", "name",
      "=", ",", " ", "\n", "é", "e\u{301}", "👩‍🚀", "| ", "> ", "#", "\\", "let x = ", "be", "last",
      "\u{0}", "[", "]", "1s ",
    ]
    for _ in 0..<TestScale.count(600) {
      let count = Int.random(in: 0...12, using: &generator)
      let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      for cursor in [0, text.count / 2, text.count] {
        let result = completer.completions(for: text, cursor: cursor)
        guard !result.candidates.isEmpty else { continue }
        #expect(result.range.lowerBound <= cursor && cursor <= result.range.upperBound, "\(text)")
        #expect(result.range.upperBound <= text.count, "\(text)")
      }
    }
  }

  @Test("With 100,000 operations the list is short, and its common prefix is that of all names")
  func manyOperations() throws {
    let fixture = try ShellFixture("queue pause; delay 1s --count 100000; delay 1s --name zeta")
    let result = complete("show d‸", in: fixture)
    #expect(result.candidates.count <= 402)
    #expect(result.count == 100_000)
    // With 'zeta', 'last' and 'all'.
    #expect(complete("why ‸", in: fixture).count == 100_003)
    #expect(complete("show z‸", in: fixture).count == 1)
    let texts = result.candidates.map(\.text)
    #expect(texts.allSatisfy { $0.hasPrefix("delay-") })
    let afterDash = Set(texts.map { $0.dropFirst("delay-".count).prefix(1) })
    #expect(afterDash.count > 1, "All names have only the part before the dash in common")
    #expect(complete("show z‸", in: fixture).candidates.map(\.text) == ["zeta"])
    #expect(complete("show delay-99999‸", in: fixture).candidates.map(\.text) == ["delay-99999"])
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var result = state
    result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
    result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
    return result ^ (result >> 31)
  }
}
