import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import InspectCommands
@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

@Suite("Records of finished operations", .timeLimit(.minutes(15)))
struct KeptRecordsTests {
  @Test("Records beyond the limit are dropped oldest first, and counts stay correct")
  func counts() throws {
    let fixture = try ShellFixture(
      """
      set keep 3
      delay 0s --count 5
      block { fail "x" }
      delay 1s --name gone
      cancel gone
      delay 0s --name skipped --after gone --on-failure skip
      wait --any-outcome
      queue pause
      delay 1s --name waits
      """)
    _ = try fixture.pump { !fixture.session.screen.feed.hasNews }
    let registry = fixture.session.jobs.operations
    #expect(registry.all.count == 4, "three that have finished, and one that has not")
    #expect(registry.count == 9)
    let total = SessionStatistics(fixture.session.jobs).total
    #expect(
      total.outcomes == ["succeeded": 5, "failed": 1, "cancelled": 1, "skipped": 1])
    #expect(total.unfinished == 1)
    #expect(try fixture.run("(network.finished)").text == "8")
    #expect(fixture.session.jobs.failures.status == 0)
    let stats = try fixture.output(of: "stats")
    #expect(stats.count == 5)
    #expect(
      stats[1].split(separator: " ").prefix(7) == ["network", "9", "5", "1", "1", "1", "1"])
  }

  @Test("Ids are never reused, names are")
  func names() throws {
    let fixture = try ShellFixture("set keep 0; delay 0s --name a; delay 0s; wait")
    #expect(try fixture.pump { fixture.session.jobs.operations.all.isEmpty })
    try fixture.run("delay 1s --name a --hold; delay 1s --name delay-1 --hold; delay 1s --hold")
    #expect(fixture.session.jobs.operations.all.map(\.id) == [3, 4, 5])
    #expect(fixture.session.jobs.operations.names == ["a", "delay-1", "delay-2"])
  }

  @Test(
    "Naming a dropped operation is an error that shows how to keep more",
    arguments: [
      ("show 1", "the record of operation 1 was dropped"),
      ("result first", "the record of 'first' was dropped"),
      ("log f*", "the record of 'first' was dropped"),
      ("cancel last", "the record of 'delay-3' was dropped"),
      ("show 1-2", "the records of operations 1 and 2 were dropped"),
      ("show 1-9", "there are no operations 5, 6, 7, 8 and more"),
      ("ops 1-2", "the records of operations 1 and 2 were dropped"),
      ("(first.state)", "the record of 'first' was dropped"),
      ("(last.state)", "the record of 'delay-3' was dropped"),
      ("show 9", "there is no operation 9"),
      ("show other", "there is no operation 'other'"),
      ("(other.state)", "there is nothing named 'other'"),
    ])
  func told(_ text: String, _ message: String) throws {
    let fixture = try ShellFixture("set keep 0; delay 0s --name first; delay 0s --count 3; wait")
    #expect(try fixture.pump { fixture.session.jobs.operations.all.isEmpty })
    let error = try fixture.error(of: text)
    #expect(error.message == message)
    guard message.contains("dropped") else { return }
    #expect(error.code == "record-dropped")
    #expect(error.help?.contains("'set keep N'") == true)
  }

  @Test("An operation held by a variable stays usable")
  func variables() throws {
    let fixture = try ShellFixture(
      "let seen = false; set keep 0; let d = delay 0s --name kept; let b = block { (6 * 7) }; wait")
    #expect(try fixture.pump { fixture.session.jobs.operations.all.isEmpty })
    #expect(try fixture.run("($d.outcome)").text == "succeeded")
    #expect(try fixture.output(of: "show $d").first == "operation  1 kept")
    #expect(try fixture.output(of: "result $b") == ["42"])
    #expect(try !fixture.output(of: "log $d").isEmpty)
    try fixture.run("delay 0s --after $d --name next; on $d finished { let seen = true }; wait")
    #expect(try fixture.pump { fixture.shell.interpreter.variables["seen"]?.text == "true" })
  }

  /// Every way in which an operation is created and ends.
  static let lives = [
    "delay 0s", "delay 60s; cancel last", "delay 60s --timeout 1ms", "delay 0s --delay 1ms",
    "block { }", "block { fail \"x\" } --retry 2 --backoff 1ms",
    "block { sleep 50ms } --timeout 1ms",
    "fetch questions --pagesize 1", "get /nowhere --retry 1 --backoff 1ms", "group g { delay 0s }",
    "group g { block { fail \"x\" } }", "group g --hold { delay 60s }; cancel g; start g",
    "try { group g { delay 60s; fail \"x\" } } catch e { }",
    "queue pause; delay 0s --count 3 --exclusive a,b; priority all high; queue resume",
    "delay 0s --count 3; queue barrier { }; delay 0s", "queue pace 1ms; delay 0s --count 3",
    "queue pause; delay 0s --count 3; queue step; queue step 5; queue resume",
    "delay 1ms; observe last isFinished isExecuting { }; on last finished executing { }",
    "queue pause; delay 0s; on last finished { wait all }; observe last progress; queue resume",
    "delay 0s; delay 0s --after delay-1 --on-failure skip",
    "let x = 1; delay 0s; why last; show last",
    "block { block { delay 0s } }", "time delay 0s",
  ]

  @Test(
    "A finished operation is deallocated after its record is dropped", arguments: lives)
  func memory(_ script: String) throws {
    let text = script.replacing("finished executing {", with: "finished {")
    let fixture = try ShellFixture("set keep unlimited")
    try fixture.run(text)
    try fixture.run("wait --any-outcome")
    let registry = fixture.session.jobs.operations
    let all = WeakOperations(registry.all)
    #expect(all.count > 0)
    try fixture.run("set keep 0")
    #expect(try fixture.pump { registry.all.isEmpty }, "\(registry.names)")
    // Threads that ran the operations may be about to release them.
    #expect(try fixture.pump { all.alive.isEmpty }, "still there: \(all.alive)")
  }

  private final class WeakOperations {
    private struct Reference { weak var operation: ObservableOperation? }
    private let references: [Reference]

    init(_ operations: [ObservableOperation]) {
      references = operations.map { Reference(operation: $0) }
    }

    var count: Int { references.count }

    var alive: [String] { references.compactMap { $0.operation?.displayName } }
  }

  @Test("The log keeps more history than the records, and is also limited")
  func logEnds() throws {
    let fixture = try ShellFixture("set keep 3; delay 0s --count 20000; wait")
    let engine = fixture.session.jobs.engine
    let kept = engine.log.entries(from: 0, limit: .max).entries
    let least = OperationRegistry.logCapacity(keeping: 3)
    #expect(engine.log.count == 80_000 && (least..<75_000).contains(kept.count))
    #expect(kept.last?.sequence == 79_999)
    try fixture.run("set keep unlimited; delay 0s --count 5000; wait")
    #expect(engine.log.entries(from: 0, limit: .max).entries.count == kept.count + 20_000)
  }

  @Test("A wait for many operations releases finished ones while it continues")
  func waiting() throws {
    let fixture = try ShellFixture(
      "set keep 0; delay 0s --count 50; delay 60s --name long --hold")
    let all = WeakOperations(
      fixture.session.jobs.operations.all.filter { $0.displayName != "long" })
    try fixture.run("on long executing { let seen = true }; start long")
    // Other tests may occupy the system's threads for a while.
    for _ in 0..<200 where !all.alive.isEmpty {
      try fixture.run("try { wait --timeout 300ms } catch e { }")
    }
    #expect(all.alive.isEmpty)
  }

  @Test("Failures whose records were dropped count once, and can be expected")
  func failures() throws {
    let script =
      "events off; set keep 2; block --count 5 { fail \"no\" }; "
      + "expect (network.finished == 5) within 20s"
    let untold = try Opsh.run(script)
    #expect(untold.status == 1)
    #expect(
      untold.errors.split(separator: "\n").filter { $0.contains("if that is intended") }.count == 5)
    #expect(untold.errors.contains("opsh: 5 operations: 5 failed"))
    let expected = try Opsh.run(script + "; wait --any-outcome")
    #expect(expected.status == 0, "\(expected.errors)")
    let waited = try Opsh.run(script + "; wait")
    #expect(waited.status == 1)
    #expect(waited.errors.contains("and 2 more failed"))
    let one = try Opsh.run(script + "; wait block-5 --any-outcome")
    #expect(one.status == 1)
  }

  @Test("Failures beyond those that are remembered without their records are counted")
  func manyFailures() throws {
    let outcome = try Opsh.run(
      "events off; set keep 0; block --count 110 { fail \"no\" }; "
        + "expect (network.finished == 110) within 60s")
    #expect(outcome.status == 1)
    let named = outcome.errors.matches(of: /'block-\d+' failed/).count
    let counted = try #require(
      outcome.errors.firstMatch(of: /(\d+) more operations failed, and their records were dropped/))
    #expect(named >= 100 && named + (Int(counted.output.1) ?? 0) == 110, "\(outcome.errors)")
  }

  @Test("Expecting a group's failure covers its dropped members")
  func droppedMembers() throws {
    let outcome = try Opsh.run(
      "events off; set keep 0; "
        + "group g { block --count 5 { fail \"no\" }; delay 300ms }; wait g --any-outcome")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("If the log discarded entries, finished operations are still recorded")
  func gaps() {
    let registry = OperationRegistry()
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    let operations = (0..<10).map {
      DelayOperation(name: "d\($0)", duration: .zero, engine: engine)
    }
    for operation in operations {
      registry.add(
        operation, origin: .init(source: SourceText(name: "t", text: ""), range: SourceRange(0, 0)))
    }
    try? queue.addOperations(operations, waitUntilFinished: true)
    registry.noteFinished(operations[3].id)
    #expect(registry.noteAllFinished().count == 9)
    #expect(registry.noteAllFinished().isEmpty)
    registry.limit = 4
    #expect(registry.dropExcess().map(\.operation.id) == [4, 1, 2, 3, 5, 6])
    #expect(registry.all.map(\.id) == [7, 8, 9, 10])
    #expect(registry.wasDropped(4) && !registry.wasDropped(7) && !registry.wasDropped(11))
  }

  @Test("'set' lists the settings; 'set keep' shows and sets the number")
  func command() throws {
    let fixture = try ShellFixture()
    #expect(try fixture.output(of: "set keep") == ["100000 64MB"])
    #expect(try fixture.run("set keep 7").text == "7 64MB")
    let row = try fixture.output(of: "set").first { $0.hasPrefix("keep") }
    #expect(row?.split(separator: " ").prefix(3) == ["keep", "7", "64MB"])
    try fixture.run("set keep unlimited")
    #expect(fixture.session.jobs.operations.limit == nil)
    for setting in Settings.all {
      #expect(CommandRegistry.catalog.signature(at: ["set", setting.name]) != nil)
    }
  }
}
