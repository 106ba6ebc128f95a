import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Corrections of mistyped lines")
struct CorrectedLineTests {
  /// A session in which some things exist, and the help for a line that is typed in it.
  private static func help(for line: String, after setUp: String = "") throws -> String? {
    let fixture = try ShellFixture(
      """
      queue new big; queue pause big; let x = 5
      delay 1h --name q1 --queue big; delay 1h --name a1 --queue big; delay 1h --hold
      block --name dead { fail "no" }; wait dead --any-outcome
      \(setUp)
      """)
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: line))
    let context = fixture.shell.interpreter.makeContext(source: script.source)
    let found = fixture.session.run.check(script, isWhole: false, in: context)
    if let error = found.first(where: { $0.severity == .error }) { return error.help }
    do {
      try fixture.shell.interpreter.run(script)
      return nil
    } catch let error as Diagnostic {
      return fixture.session.run.corrected(error, in: context).help
    }
  }

  @Test("A mistyped line leads to the line that was meant", arguments: mistakes)
  func leads(_ line: String, meant: String) throws {
    #expect(try Self.help(for: line) == "write: \(meant)")
  }

  static let mistakes = [
    ("canc q1", "cancel q1"),
    ("que", "queue"),
    ("fet questions", "fetch questions"),
    ("fetch quest", "fetch questions"),
    ("queue wid 3", "queue width 3"),
    ("prio q1 high", "priority q1 high"),
    ("obs q1 isFinished", "observe q1 isFinished"),
    ("CANCEL q1", "cancel q1"),
    ("show Q1", "show q1"),
    ("priority q1 hi", "priority q1 high"),
    ("cancell q1", "cancel q1"),
    ("q1 cancel", "cancel q1"),
    ("q1 why", "why q1"),
    ("queue network pause", "queue pause network"),
    ("network pause", "queue pause network"),
    ("big width 3", "queue width big 3"),
    ("queue big width 3", "queue width big 3"),
    ("queue width 3 network", "queue width network 3"),
    ("queue all pause", "queue pause"),
    ("priority high q1", "priority q1 high"),
    ("on finished q1 { echo hi }", "on q1 finished { echo hi }"),
    ("observe isFinished q1", "observe q1 isFinished"),
    ("deps add a1 q1", "deps a1 on q1"),
    ("after q1 delay 5s", "delay 5s --after q1"),
    ("new queue fast", "queue new fast"),
    ("q1", "show q1"),
    ("big", "queue show big"),
    ("q1.state", "echo (q1.state)"),
    ("big.width = 4", "queue width big 4"),
    ("q1.priority = high", "priority q1 high"),
    ("latency 200ms", "server latency 200ms"),
    ("resume big", "queue resume big"),
    ("delay 5s --prio high", "delay 5s --priority high"),
    ("delay 5s --depends-on q1", "delay 5s --after q1"),
    ("delay 5s --retries 3", "delay 5s --retry 3"),
    ("get /x -o file", "get /x --output file"),
    ("fetch questions --tag x", "fetch questions --tagged x"),
    ("ops --state executing", "ops executing"),
    ("ops --failed", "ops failed"),
    ("cancel --all", "cancel all"),
    ("cancel --force q1", "cancel q1"),
    ("server --latency 200ms", "server latency 200ms"),
    ("log -n 5", "log --last 5"),
    ("show -v q1", "show q1 --verbose"),
    ("fetch questions —pagesize 3", "fetch questions --pagesize 3"),
    ("ops running", "ops executing"),
    ("rm q1", "cancel q1"),
    ("kill -9 q1", "cancel q1"),
    ("kill %1", "cancel 1"),
    ("fg q1", "follow q1"),
    ("man cancel", "help cancel"),
    ("stop q1", "cancel q1"),
    ("describe q1", "show q1"),
    ("checkout big", "queue use big"),
    ("select * from ops", "ops"),
    ("drop queue big", "queue remove big"),
    ("create queue fast", "queue new fast"),
    ("update q1 set priority = high", "priority q1 high"),
    ("ops where state == pending", "ops --where (state == pending)"),
    ("explain dead", "why dead"),
    ("renice high q1", "priority q1 high"),
    ("delete q1", "cancel q1"),
    ("deps a1 add q1", "deps a1 on q1"),
    ("a1 depends on q1", "deps a1 on q1"),
    ("server fault 503", "server fault status-503"),
    ("on q1 done { echo hi }", "on q1 finished { echo hi }"),
    ("curl /x", "get /x"),
    (". nofile", "source nofile"),
    ("status", "ops"),
    ("cancel op 3", "cancel 3"),
    ("cancel operation q1", "cancel q1"),
    ("cancel #3", "cancel 3"),
    ("cancel [q1, a1]", "cancel q1 a1"),
    ("wait for q1", "wait q1"),
    ("show q 1", "show q1"),
    ("queue cancel q1", "cancel q1"),
    ("delay 5 s", "delay 5s"),
    ("delay 100msec", "delay 100ms"),
    ("cancel delay-{1..3}", "cancel delay-*"),
    ("q1.cancel()", "cancel q1"),
    ("cancel(q1)", "cancel q1"),
    ("print(\"hi\")", "echo \"hi\""),
    ("a1.addDependency(q1)", "deps a1 on q1"),
    ("exit()", "exit"),
    ("print x", "echo $x"),
    ("f() { ops; }", "def f { ops; }"),
    ("function hello { echo hi }", "def hello { echo hi }"),
    ("for i in {1..3} { echo $i }", "for i in 1..3 { echo $i }"),
    ("for i in 1 2; do echo $i; done", "for i in 1 2 { echo $i }"),
    ("while true; do delay 1s; done", "while (true) { delay 1s }"),
    ("if x == 3: echo hi", "if ($x == 3) { echo hi }"),
    ("for op in ops: cancel op", "for op in all { cancel $op }"),
    ("alias ll='ops'", "alias ll = ops"),
    ("x += 1", "let x = ($x + 1)"),
    ("y = 5", "let y = 5"),
    ("expect q1.state == finished", "expect (q1.state == finished)"),
    ("echo $((1+2))", "echo (1 + 2)"),
    ("ls", "!ls"),
    ("ls -l", "!ls -l"),
    ("cat x", "!cat x"),
    ("mkdir out", "!mkdir out"),
    ("echo a; canc q1; ops", "cancel q1"),
    ("time fet questions", "time fetch questions"),
    ("let y = fet questions", "let y = fetch questions"),
    ("group g { canc q1 }", "cancel q1"),
    ("oops | grep q1", "ops | grep q1"),
  ]

  @Test(
    "Where no line is certain the help names what is near",
    arguments: [
      ("canc", "did you mean 'cancel'?"), ("expl why", "did you mean 'explain'?"),
      ("kill", "in opsh it is 'cancel'"), ("True", "'true' is a value, not a command"),
      ("ops < x", "no command reads a file after '<'"), ("mget /a /b", "did you mean 'get'?"),
      ("op.addDependency(q1)", "arguments follow the name of the command"),
      ("ops done", "did you mean 'ops finished'? or 'ops succeeded'?"),
      ("nonsense q1", "'!' before it runs a program: !ls"),
      ("delay soon", "'help delay' says what it takes"), ("wait q7", "'ops' lists the operations"),
      ("cd /tmp", "opsh stays in the folder"), ("read name", "in opsh it is 'quotes read'"),
      ("echo $unknown", "a variable"),
      ("blok { echo a }", "did you mean 'block'?"),
      ("help queue puase", "did you mean 'help queue pause'? or"),
      ("wait 2s", "'sleep 2s' lets time pass"),
      ("unset x", "did you mean 'reset'?"),
    ])
  func remainsUncertain(_ line: String, help: String) throws {
    let found = try Self.help(for: line)
    #expect(found?.contains(help) == true, "\(line): \(found ?? "")")
  }

  @Test("Lines that are not corrected to something harmful", arguments: harmful)
  func isHarmless(_ line: String, never bad: String) throws {
    let things = "delay 1h --hold --name a; delay 1h --hold --name b"
    let help = try Self.help(for: line, after: "\(things); let e = (list()); let t = \"yes\"")
    #expect(help != "write: \(bad)", "\(line): \(help ?? "")")
    #expect(help?.contains("'\(bad)'? or") != true, "\(line): \(help ?? "")")
    #expect(help?.contains("or '\(bad)'?") != true, "\(line): \(help ?? "")")
  }

  static let harmful = [
    // A value is missing.
    ("cancel", "queue cancel"),
    ("server fail", "fail server"),
    ("start", "server start"),
    ("queue remove", "cancel queue"),
    ("remove", "tags remove"),
    ("let y = cancel", "let y = (cancel)"),
    ("queue pause $e", "blame queue $e pause"),
    ("queue remove $e", "cancel $e"),
    ("events filter $e", "events $e filter"),
    ("deps $e on $e", "deps $e $e on"),
    ("fail $e", "server fail $e"),
    // It would end or start something.
    ("uncancel b", "cancel b"),
    ("hold a", "start a"),
    ("queue stop", "queue step"),
    ("forget a", "unalias a"),
    ("queue clear", "clear"),
    ("history clear", "clear"),
    ("resume a", "result a"),
    ("end all", "endpoint"),
    ("end all", "finish all"),
    ("events of", "events"),
    ("events of", "events on"),
    // Programs.
    ("shutdown", "!shutdown"),
    ("halt", "!halt"),
    ("poweroff", "!poweroff"),
    ("reboot", "!reboot"),
    ("rm -rf nothing", "!rm -rf nothing"),
    ("dd if=nothing", "!dd if=nothing"),
    ("mkfs nothing", "!mkfs nothing"),
    ("kill nothing", "!kill nothing"),
    ("killall nothing", "!killall nothing"),
    ("pkill nothing", "!pkill nothing"),
    // It would be refused again.
    ("let b = ($t and true)", "let b = (($t and true))"),
    ("cancel b true", "cancel true b"),
    ("cancel true b", "cancel b true"),
    ("queue nope | grep b", "queue nope | grep b"),
  ]

  @Test("An empty list keeps the help of its own error")
  func emptyList() throws {
    for line in [
      "queue pause $e", "queue remove $e", "events filter $e", "deps $e on $e", "fail $e",
    ] {
      let help = try Self.help(for: line, after: "let e = (list())")
      #expect(help?.hasPrefix("usage: ") == true, "\(line): \(help ?? "")")
    }
  }

  @Test("After many errors of a run no further line is searched")
  func isLimited() throws {
    let fixture = try ShellFixture("delay 1h --hold --name a")
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: "a show"))
    let context = fixture.shell.interpreter.makeContext(source: script.source)
    let error = Diagnostic(
      .unknownCommand, "there is no command 'a'", source: script.source,
      range: SourceRange(0, 1), phase: .running)
    for _ in 0..<20 {
      #expect(fixture.session.run.corrected(error, in: context).help == "write: show a")
    }
    #expect(fixture.session.run.corrected(error, in: context).help == error.help)
  }

  @Test("Correct lines near a mistake are not corrected")
  func leavesCorrect() throws {
    for line in [
      "echo queue", "echo all", "echo 'canc q1'", "ops executing", "queue width big 3",
    ] {
      #expect(try Self.help(for: line) == nil, "\(line)")
    }
  }

  @Test("A property and a number without its unit cause a warning")
  func doubtfulWords() throws {
    let fixture = try ShellFixture("delay 1h --hold --name q1")
    for (line, help) in [
      ("echo q1.state", "for the property write: (q1.state)"),
      ("delay 500", "write 500s or 500ms"), ("server latency 200", "write 200s or 200ms"),
      ("delay 1s --timeout=300", "write 300s or 300ms"),
      ("delay 99", nil), ("delay 500ms", nil), ("echo q1.txt", nil), ("echo 'q1.state'", nil),
      ("delay 1s --count 200", nil),
    ] {
      let script = Parser.parse(SourceText(name: SourceText.promptName, text: line))
      let found = fixture.session.run.check(
        script, isWhole: false,
        in: fixture.shell.interpreter.makeContext(source: script.source))
      #expect(found.map(\.help) == (help.map { [$0] } ?? []), "\(line): \(found)")
      #expect(found.allSatisfy { $0.severity == .warning })
    }
  }
}
