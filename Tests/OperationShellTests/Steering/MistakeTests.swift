import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

@Suite("Imitated mistakes of asynchronous operations", .timeLimit(.minutes(10)))
struct MistakeTests {
  private func settled(_ script: String) throws -> ShellFixture {
    let fixture = try ShellFixture(script)
    let operation = try fixture.operation("a")
    #expect(
      try fixture.pump { operation.finishWait != nil || operation.state == .finished })
    return fixture
  }

  @Test(
    "A mistake shows in 'why', and its cure ends it",
    arguments: [
      (
        "async a --forget finish { finish a }",
        "'a' has done its work, and nothing has called finish"
      ),
      (
        "async a --forget kvo:isFinished { finish a 5 }",
        "'a' says isFinished = true, but sent no KVO for it, so the queue does not know"
      ),
      (
        "observe a isFinished; async a --lock-while-notifying { finish a }",
        "'a' holds its lock while it sends KVO, and the observer needs the same lock"
      ),
    ])
  func jams(_ script: String, _ reason: String) throws {
    let fixture = try settled(script)
    let operation = try fixture.operation("a")
    let found = WhyReason.reasons(of: operation, in: fixture.session.jobs)
    #expect(found.map(\.text) == [reason])
    #expect(found.map(\.cause) == [.awaitsFinish])
    let cure = try #require(found.first?.cure)
    try fixture.run("\(cure); wait --any-outcome")
    #expect(operation.state == .finished)
  }

  @Test("The value given before the missing notification is kept")
  func unannouncedValue() throws {
    let fixture = try settled("async a --forget kvo:isFinished { finish a 5 }")
    #expect(try fixture.run("(a.isFinished)").text == "true")
    #expect(try fixture.run("(a.state)").text == "executing")
    try fixture.run("finish a 6; wait")
    #expect(Value(resultOf: try fixture.operation("a")).text == "5")
  }

  @Test(
    "What starts between the end and the handler finds no value, and later ones do",
    arguments: ["set clock real", "set clock virtual"])
  func lateHandler(clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock); async a --finish-before-handler { sleep 20ms; finish a 5 }
      block --after a { echo ($input) }; wait; sleep 100ms
      block --after a { echo ($input) }; wait
      """)
    #expect(outcome.output == "null\n5\n")
  }

  @Test("Without an observer a lock held while notifying does no harm")
  func lockWithoutObserver() throws {
    let fixture = try ShellFixture("async a --lock-while-notifying { finish a }; wait")
    #expect(try fixture.operation("a").outcome == .succeeded)
  }

  @Test(
    "A second finish and a finish before the start are refused in the log",
    arguments: [
      ("async a --finish twice { let x = 1 }; wait", "second finish refused", "finished"),
      (
        "async a --finish before-start { let x = 1 }; sleep 5ms; finish a; wait",
        "finish before the start refused", "created"
      ),
    ])
  func refusals(_ script: String, _ reason: String, _ state: String) throws {
    try expectRefusal(in: try ShellFixture(script), reason, state)
  }

  @Test("The finish that a body forgets is in the log as refused")
  func forgottenFinish() throws {
    let fixture = try settled("async a --forget finish { finish a }")
    try fixture.run("finish a; wait")
    try expectRefusal(in: fixture, "finish is forgotten", "executing")
  }

  private func expectRefusal(
    in fixture: ShellFixture, _ reason: String, _ state: String
  ) throws {
    let log = fixture.session.jobs.engine.log
    // The second finish may come after the script.
    let isRefused = eventually {
      log.entries(from: 0, limit: .max).entries.contains { $0.event == .refusal }
    }
    #expect(isRefused)
    let refused = log.entries(from: 0, limit: .max).entries.filter { $0.event == .refusal }
    #expect(refused.count == 1)
    #expect(refused.first?.reason.hasPrefix(reason) == true)
    #expect(refused.first?.to.rawValue == state)
    #expect(try fixture.operation("a").outcome == .succeeded)
  }

  @Test("An operation that ignores cancelling continues until it is finished")
  func ignoresCancel() throws {
    let fixture = try settled("async a --ignore-cancel { let x = 1 }")
    try fixture.run("cancel a")
    let operation = try fixture.operation("a")
    #expect(operation.isCancelled)
    #expect(operation.state == .executing)
    #expect(operation.waitReasons().map(\.code) == [.awaitsFinish])
    try fixture.run("finish a 3; wait")
    #expect(operation.outcome == .cancelled)
  }

  @Test(
    "What never becomes ready shows in 'why', and its cure ends it",
    arguments: [
      ("ready", "'a' never says isReady = true: its own condition stays false"),
      (
        "kvo:isReady",
        "'a' says isReady = true, but sent no KVO for it, so the queue does not know"
      ),
    ])
  func neverReady(_ forgotten: String, _ reason: String) throws {
    let fixture = try ShellFixture("async a --forget \(forgotten) { finish a }")
    let operation = try fixture.operation("a")
    let found = WhyReason.reasons(of: operation, in: fixture.session.jobs)
    #expect(found.map(\.text) == [reason])
    #expect(found.map(\.cause) == [.readiness])
    let cure = try #require(found.first?.cure)
    #expect(try fixture.output(of: "doctor").first == "\(reason)  → \(cure)")
    try fixture.run("\(cure); wait --any-outcome")
    #expect(operation.outcome == .cancelled)
  }

  @Test("A body without its signal keeps its thread and its slot, whatever is done")
  func forgottenSignal() throws {
    let fixture = try ShellFixture(
      "queue width 1; block --name a --forget signal { let x = 1 }; delay 1ms --name b")
    let operation = try fixture.operation("a")
    #expect(try fixture.pump { operation.finishWait == .signal })
    try fixture.run("cancel a")
    #expect(operation.state == .executing && !operation.canFinish)
    let doctor = try fixture.output(of: "doctor").joined(separator: "\n")
    #expect(
      doctor.contains(
        /the body of 'a' waits for a signal that nothing sends, and blocks body thread \d+ for good/
      ))
    #expect(try fixture.operation("b").state == .ready)
    try fixture.run("queue width 2; wait b")
    #expect(try fixture.operation("b").outcome == .succeeded)
  }

  @Test("A script ends in spite of a body without its signal, and says why")
  func endWithoutSignal() throws {
    let script = "block --name a --forget signal { let x = 1 }"
    for (end, status) in [("", Int32(1)), ("; sleep 10ms; quit --now", 0)] {
      let outcome = try Opsh.run(script + end)
      #expect(outcome.status == status)
      #expect(outcome.errors.contains("'a' can't run any more") == (status == 1))
    }
    let main = try Opsh.run(script + " --queue main; wait")
    #expect(main.errors.contains("[never-ends]"))
    #expect(main.status == 1)
  }

  @Test("Its own readiness is announced and shown")
  func ownReadiness() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      observe a isReady --options new { let seen = "$seen $change.new" }
      async a --own-ready { finish a }
      wait
      """)
    #expect(try fixture.run("($seen)").text == " false")
    #expect(try fixture.run("(a.isReady)").text == "false")
  }
}
