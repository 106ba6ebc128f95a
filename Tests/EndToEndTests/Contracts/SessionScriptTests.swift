import Foundation
import TestSupport
import Testing

/// Whole sessions as scripts: their output, its order, and the exit status.
///
/// Tests that need a terminal are in `TransitionsWhileTypingTests`.
@Suite("Sessions as scripts", .timeLimit(.minutes(15)))
struct SessionScriptTests {
  @Test("A fetch prints its transitions with times, then a table of five titles")
  func fetchAndResult() throws {
    let outcome = try Opsh.text("fetch questions --pagesize 5; wait last; result last")
    #expect(outcome.status == 0)
    let changes = [
      "created → pending", "pending → ready", "ready → executing", "executing → finished",
    ]
    try #require(outcome.errorLines.count == changes.count, "\(outcome.errors)")
    for (line, change) in zip(outcome.errorLines, changes) {
      let pattern = try Regex(#"^ *\d+\.\d{3}  questions-1  \#(change) *  \S"#)
      #expect(line.firstMatch(of: pattern) != nil, "\(line)")
    }
    #expect(outcome.errorLines.last?.contains("✓ 5 questions") == true)
    #expect(outcome.outputLines.count == 6)
    #expect(outcome.outputLines.first?.contains("title") == true)
  }

  /// A session with a paused queue, a dependency and a cancel, as a script.
  ///
  /// `cancel all` may find that the fetches have finished.
  static let mission = """
    queue pause
    fetch questions
    fetch answers --after questions-1
    priority answers-1 high
    deps answers-1
    why answers-1
    queue resume
    cancel all

    """

  @Test("The same script with --json prints only valid objects in sequence")
  func missionAsJSON() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.mission, to: "mission.opsh")
    for arguments in [["--json", file], ["--json", "-c", Self.mission]] {
      let outcome = try Opsh.run(arguments)
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
      let lines = JSONContract.lines(of: outcome)
      let why = try #require(lines.first { $0.type == "why" })
      let codes = (why.members["reasons"] as? [[String: Any]] ?? []).compactMap {
        $0["code"] as? String
      }
      #expect(codes.count >= 2, "the pause and the dependency: \(why.text)")
      for name in ["questions-1", "answers-1"] {
        let last = lines.last { $0.type == "transition" && $0.operationName == name }
        #expect(last?.string("to") == "finished", "\(name)")
      }
    }
    let piped = try Opsh.run(["--json"], input: Self.mission)
    #expect(piped.status == 0)
    #expect(JSONContract.lines(of: piped).contains { $0.type == "why" })
  }

  @Test("An operation cancelled on a paused queue is marked first and finishes later")
  func twoPhaseCancel() throws {
    let text = "queue pause; fetch questions; cancel all; ops; queue resume; wait all; ops"
    let outcome = try Opsh.text(text, options: ["--json"])
    #expect(outcome.status == 0)
    let lines = JSONContract.lines(of: outcome)
    let operations = lines.filter { $0.type == "operation" }
    try #require(operations.count == 2)
    #expect(operations[0].flag("cancelled") == true)
    #expect(operations[0].string("state") == "ready")
    #expect(operations[0].isNull("outcome"))
    #expect(operations[1].flag("cancelled") == true)
    #expect(operations[1].string("state") == "finished")
    #expect(operations[1].string("outcome") == "cancelled")
    let transitions = lines.filter { $0.type == "transition" }
    #expect(
      transitions.map(\.change) == [
        "questions-1: created → pending", "questions-1: pending → ready",
        "questions-1: ready → ready", "questions-1: ready → finished",
      ])
    #expect(transitions.map { $0.flag("cancelled") } == [false, false, true, true])
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let statement: String
    /// The caret's column in the statement, from 1.
    let column: Int
    let status: Int32
    let message: String
    var testDescription: String { statement }
  }

  /// Statements with an error, run after a line that builds `a` on a paused queue, and its
  /// dependent `b`.
  static let mistakes = [
    Mistake(statement: "deps a on b", column: 11, status: 1, message: "a → b → a"),
    Mistake(statement: "deps a on a", column: 11, status: 2, message: "depend on itself"),
    Mistake(statement: "start a", column: 7, status: 1, message: "started already"),
    Mistake(statement: "show nobody", column: 6, status: 1, message: "'nobody'"),
    Mistake(statement: "queue width -5", column: 13, status: 2, message: "'-5'"),
    Mistake(statement: "get ':::bad'", column: 5, status: 2, message: "':::bad'"),
    Mistake(statement: "echo \"abc", column: 6, status: 2, message: "never closed"),
  ]

  @Test(
    "A mistake is an error with place and caret, and stops a script", arguments: mistakes)
  func mistakeInScript(_ mistake: Mistake) throws {
    let before = "queue pause; delay 1ms --name a; delay 1ms --name b --after a"
    let outcome = try Opsh.run([], input: "\(before)\n\(mistake.statement)\necho after\n")
    #expect(outcome.status == mistake.status, "\(outcome.errors)")
    #expect(outcome.output == "", "nothing runs after it")
    let index = try #require(
      outcome.errorLines.firstIndex { $0.hasPrefix("<stdin>:2:\(mistake.column): error: ") },
      "\(outcome.errors)")
    #expect(outcome.errorLines[index].contains(mistake.message))
    #expect(outcome.errorLines[index + 1] == "  " + mistake.statement)
    let caret = outcome.errorLines[index + 2]
    #expect(caret.prefix { $0 == " " }.count == mistake.column + 1)
    #expect(caret.contains("^"))
  }

  @Test("With --keep-going a mistake does not affect the other statements", arguments: mistakes)
  func mistakeHarmsNobody(_ mistake: Mistake) throws {
    // An unclosed quote extends to the end of the input, so it comes last there.
    let rest = "queue resume; wait a; wait b; ops"
    let before = "queue pause; delay 1ms --name a; delay 1ms --name b --after a"
    let lines =
      mistake.message == "never closed"
      ? [before, rest, mistake.statement] : [before, mistake.statement, rest]
    let outcome = try Opsh.run(
      ["--json", "--keep-going"], input: lines.joined(separator: "\n") + "\n")
    #expect(outcome.status == mistake.status)
    let objects = JSONContract.lines(of: outcome)
    let errors = objects.filter { $0.type == "error" }
    #expect(errors.count == 1)
    #expect(errors.first?.string("message")?.contains(mistake.message) == true)
    let operations = objects.filter { $0.type == "operation" }
    #expect(operations.map { $0.string("name") } == ["a", "b"])
    #expect(operations.allSatisfy { $0.string("outcome") == "succeeded" })
  }

  @Test("A cycle is reported with its path")
  func cycle() throws {
    let outcome = try Opsh.text(
      "queue pause; delay 1ms --name a; delay 1ms --name b --after a; delay 1ms --name c --after b; "
        + "deps a on c")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("a → c → b → a"), "\(outcome.errors)")
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let command: String
    let code: String
    var testDescription: String { command }
  }

  @Test(
    "A fault of the server is an error with its code",
    arguments: [
      Fault(command: "server fail 100%", code: "invalid-status-code(503)"),
      Fault(command: "server fail 100% --status 500", code: "invalid-status-code(500)"),
      Fault(command: "server drop 100%", code: "connection-lost"),
    ])
  func faults(_ fault: Fault) throws {
    let text = "\(fault.command); fetch questions; wait last"
    let outcome = try Opsh.text(text, options: ["--json"])
    #expect(outcome.status == 1)
    let lines = JSONContract.lines(of: outcome)
    let last = lines.last { $0.type == "transition" }
    #expect(last?.string("outcome") == "failed")
    #expect(lines.filter { $0.type == "error" }.map { $0.string("code") } == [fault.code])
    #expect(outcome.errors.contains(fault.code))
    // After the fault is cleared, requests succeed.
    let after = try Opsh.text(
      "\(fault.command); fetch questions; wait --any-outcome; server reset; "
        + "expect (questions-1.error.code == \"\(fault.code)\"); fetch questions; wait last")
    #expect(after.status == 0, "\(after.errors)")
  }

  @Test("A connection closed inside the headers fails its request, and the next request succeeds")
  func closedInsideHeaders() throws {
    let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-")
    let outcome = try Opsh.text(
      "endpoint \(server.url); fetch questions --name cut; wait cut --any-outcome; "
        + "endpoint practice; fetch questions --name whole; wait; ops",
      options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let operations = JSONContract.lines(of: outcome).filter { $0.type == "operation" }
    #expect(operations.map { $0.string("outcome") } == ["failed", "succeeded"])
    #expect(operations.first?.object("error")["code"] as? String == "connection-lost")
  }

  @Test("A misspelt command on line 3 prevents the run, with and without --check")
  func misspelt() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("echo one\necho two\n  ecko three\necho four\n", to: "m.opsh")
    for options in [[], ["--check"]] {
      let outcome = try Opsh.run(options + [file])
      #expect(outcome.status == 2)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("\(file):3:3: error: "))
      #expect(outcome.errors.contains("did you mean 'echo'?"))
      #expect(outcome.errorLines.contains { $0.trimmingCharacters(in: [" "]).hasPrefix("^") })
    }
    let all = try Opsh.run(["--keep-going", file])
    #expect(all.status == 2)
    #expect(all.output == "one\ntwo\nfour\n")
  }

  @Test("A run-time error on line 3 stops there, and --keep-going runs the rest")
  func failsWhenRun() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "echo one\nserver fail 100%\nfetch questions; wait last\necho four\n", to: "f.opsh")
    let checked = try Opsh.run(["--check", file])
    #expect(checked.status == 0)
    #expect(checked.output + checked.errors == "")
    let outcome = try Opsh.run([file])
    #expect(outcome.status == 1)
    #expect(outcome.output == "one\n")
    #expect(outcome.errors.contains("\(file):3:"))
    let all = try Opsh.run(["--keep-going", file])
    #expect(all.status == 1)
    #expect(all.output == "one\nfour\n")
  }

  static let examples: [String] = {
    let folder = PackageFolder.path + "/scripts/examples"
    return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
  }()

  @Test("All examples exist")
  func examplesExist() {
    let wanted: Set = [
      "tour.opsh", "priorities.opsh", "dependencies.opsh", "cancel.opsh", "pause.opsh",
    ]
    #expect(wanted.isSubset(of: Self.examples))
  }

  @Test("Every example succeeds within ten seconds", arguments: examples)
  func example(_ name: String) throws {
    let path = PackageFolder.path + "/scripts/examples/" + name
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.split(separator: "\n").dropFirst().first?.hasPrefix("# ") == true, "a comment")
    // `--timeout` makes it an error to take longer, even on a busy machine. On the virtual clock
    // hours take no real time.
    let limit = text.contains("set clock virtual") ? "24h" : "10s"
    let folder = try TemporaryFolder()
    let outcome = try Opsh.run(["--timeout", limit, "--data", folder.path, path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let checked = try Opsh.run(["--check", path])
    #expect(checked.status == 0)
    #expect(checked.errors == "", "not even warnings")
  }

  @Test(
    "The examples need no network",
    .enabled(if: SystemRight.networkNamespace, "needs the right to enter a network namespace"),
    arguments: examples)
  func exampleWithoutNetwork(_ name: String) throws {
    let path = PackageFolder.path + "/scripts/examples/" + name
    let folder = try TemporaryFolder()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let limit = text.contains("set clock virtual") ? "24h" : "10s"
    let outcome = try Opsh.shell(
      "unshare -rn /bin/sh -c 'ip link set lo up 2>/dev/null; exec \"$OPSH\" --timeout \(limit) --data "
        + "\(folder.path) \(path)'")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
