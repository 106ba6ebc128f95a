import Foundation
import Operations
import ShellLanguage
import Testing

@testable import ShellSession

@Suite("States and outcomes as operands", .timeLimit(.minutes(5)))
struct SelectionWordTests {
  private func fixture(_ script: String = "") throws -> ShellFixture {
    try ShellFixture("set clock virtual; \(script)")
  }

  @Test("A state selects the operations in it, for commands that steer and for those that show")
  func selects() throws {
    let fixture = try fixture("delay 1h --count 4; delay 1s --name c --after delay-1")
    try fixture.run("priority ready,pending high; qos executing utility; cancel pending")
    let all = fixture.session.jobs.operations.all
    #expect(all.map(\.queuePriority) == [.normal, .normal, .high, .high, .high])
    #expect(all.map { $0.qualityOfService == .utility } == [true, true, false, false, false])
    #expect(all.map(\.isCancelled) == [false, false, false, false, true])
    #expect(try fixture.shown(by: "log executing --last 1").joined().contains("delay-2"))
    #expect(try fixture.shown(by: "show executing").joined(separator: "\n").contains("delay-1"))
  }

  @Test(
    "'--where' selects operations that the command can change, with and without operands",
    arguments: [
      ("cancel --where (priority == low)", [2, 4]), ("cancel 1-3 --where (id > 1)", [2, 3]),
      ("cancel all --where (state == executing)", [3]), ("cancel ready --where (id > 9)", []),
      ("cancel --where 'state == ready'", [2, 4]), ("let n = 3; cancel --where (id == $n)", [3]),
    ])
  func holds(_ command: String, _ ids: [Int]) throws {
    let fixture = try fixture(
      """
      delay 1ms --name done --priority low; wait; queue width 1
      delay 1h --name b --priority low --hold; delay 1h --name c; start b
      delay 1h --name d --priority low
      """)
    try fixture.run(command)
    let cancelled = fixture.session.jobs.operations.all.filter(\.isCancelled).map(\.id)
    #expect(cancelled == ids)
  }

  @Test(
    "An argument may be missing where '--where' is given, and only there",
    arguments: [
      ("cancel", true), ("cancel --where (id == 9)", false), ("priority high", true),
      ("priority high --where (id == 9)", false), ("priority --where (id == 9) high", false),
      ("retry --where (id == 9)", false), ("start --where (id == 9)", false),
      ("qos --where (id == 9)", true),
    ])
  func needsOperands(_ command: String, _ isRefused: Bool) throws {
    let fixture = try fixture("delay 1s; wait")
    if isRefused {
      #expect(throws: Diagnostic.self) { try fixture.run(command) }
    } else {
      #expect(try fixture.shown(by: command).joined().contains("meets the condition"))
    }
  }

  @Test(
    "A word that selects nothing prints one line, and a name that matches nothing is an error",
    arguments: [
      ("cancel pending", "no operation is pending"), ("wait ready", "no operation is ready"),
      ("cancel ready,failed", "no operation is ready or failed"),
      ("cancel finished", "'cancel' does not apply to 'delay-1', the only one that is finished"),
      ("retry all", "no operation is left that failed"), ("log failed", "no operation is failed"),
      ("tree ready", "no operation is ready"), ("blame ready", "no operation is ready"),
      ("why ready", "no operation is ready"), ("start created", "no operation is created"),
    ])
  func tellsNothing(_ command: String, _ text: String) throws {
    let fixture = try fixture("delay 1s; wait")
    let lines = try fixture.shown(by: command)
    #expect(lines.count == 1 && lines[0].contains(text), "\(lines)")
    #expect(try fixture.error(of: "cancel redy").code == "unknown-operation")
    #expect(try fixture.error(of: "cancel re*").code == "unknown-operation")
  }

  @Test(
    "An unfinished operation with that name wins, with a warning; a finished one does not",
    arguments: ["cancel ready", "for op in ops ready { cancel $op }"])
  func hides(_ command: String) throws {
    let fixture = try fixture("queue width 0; delay 1s --name other; delay 1s --name ready")
    let lines = try fixture.shown(by: command)
    #expect(lines.contains { $0.contains("'ready' is the name of operation 2 here") }, "\(lines)")
    let other = try fixture.operation("other")
    #expect(!other.isCancelled)
    #expect(try fixture.operation("ready").isCancelled)
    try fixture.run("queue width 1; wait ready; queue width 0; delay 1s --name third")
    let later = try fixture.shown(by: command)
    #expect(!later.contains { $0.contains("is the name of") }, "\(later)")
    #expect(try fixture.operation("third").isCancelled)
  }

  @Test("'retry all' and 'retry cancelled' build what was cancelled anew, once")
  func retries() throws {
    for word in ["all", "cancelled"] {
      let fixture = try fixture(
        "delay 1ms --name ok; group g { delay 1h --count 2 }; wait ok; cancel all; wait")
      try fixture.run("retry \(word)")
      let anew = fixture.session.jobs.operations.unfinished.filter { $0.group == nil }
      #expect(anew.map(\.displayName) == ["g"])
      let count = fixture.session.jobs.operations.count
      #expect(try fixture.shown(by: "retry \(word)").count == 1)
      #expect(fixture.session.jobs.operations.count == count)
    }
  }

  @Test(
    "A 'where' without one expression in parentheses is an error",
    arguments: [
      "for op in ops where state == ready { echo $op }", "for op in ops where { echo $op }",
      "for op in ops ready where (true) b { echo $op }", "for q in queues where x { echo $q }",
    ])
  func refusesWhere(_ script: String) throws {
    let session = try fixture().session
    let found = session.run.checkForLater(
      Parser.parse(SourceText(name: "test", text: script)), host: session)
    #expect(found.contains { $0.code == "expected-condition" }, "\(found)")
  }

  @Test("'queue pause all' and 'queue resume all' change every queue")
  func pausesAll() throws {
    let fixture = try fixture("queue new slow; group g --open { delay 1h }")
    try fixture.run("queue pause all")
    let paused = fixture.session.jobs.allQueues.filter { $0.isSuspended }
    #expect(paused.count == fixture.session.jobs.allQueues.count && paused.count >= 4)
    try fixture.run("queue resume all")
    #expect(fixture.session.jobs.allQueues.filter { $0.isSuspended }.isEmpty)
  }
}
