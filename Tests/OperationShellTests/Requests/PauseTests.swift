import Foundation
import Operations
import Testing

@testable import ShellSession

@Suite("Backoff while an operation executes", .timeLimit(.minutes(15)))
struct PauseTests {
  @Test("Backoff from one response delays other operations, and each shows its source")
  func backoff() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("backoff", duration: .seconds(3))
    try shell.run("fetch questions --name a; wait; fetch questions --page 2 --name b; sleep 1s")
    let cause = "backoff of 3 s in the answer to 'a' (1)"
    #expect(try shell.output(of: "why b").joined().contains(cause))
    #expect(
      try shell.output(of: "show b").contains { $0.hasPrefix("pause ") && $0.contains(cause) })
    try shell.run("wait --any-outcome")
    let logged = try shell.output(of: "log b")
    #expect(logged.contains { $0.contains("executing, pause") && $0.contains(cause) }, "\(logged)")
    #expect(logged.contains { $0.contains("paused") && $0.contains("the request follows") })
    let pause = try #require(try shell.operation("b").pauses.first)
    let length = try #require(pause.end) - pause.start
    #expect(length > .seconds(2) && length < .seconds(4))
    #expect(try shell.output(of: "timeline b").contains { $0.contains("┄┄┄") })
    let changes = shell.session.jobs.engine.log.changes(from: 0, limit: .max).changes
    let asked = changes.filter { $0.subject == .operation(1) }.map(\.event)
    guard case .hostPause(let place, .seconds(3))? = asked.last else {
      Issue.record("\(asked)")
      return
    }
    #expect(place.hasSuffix(" questions"))
    let waited = changes.filter { $0.subject == .operation(2) }.map(\.event)
    // The first change says that a request has a readiness of its own.
    guard case .defects = waited.first, case .pause(let duration)? = waited.dropFirst().first else {
      Issue.record("\(waited)")
      return
    }
    #expect(duration > .seconds(2) && duration <= .seconds(3))
  }

  @Test(
    "A pause that a server asks for delays the next request, unless it is longer than the longest",
    arguments: [(60, 60), (61, 0)])
  func longest(asked: Int, delay: Int) throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("status-503", duration: .seconds(asked))
    try shell.run(
      "get /2.3/sites --name a; wait --any-outcome; server fault off; get /2.3/sites --name b; wait"
    )
    let times = try shell.operation("b").timestamps
    let running = try #require(times.finished) - #require(times.executing)
    #expect(running >= .seconds(delay) && running < .seconds(delay + 1))
  }

  @Test("The backoff before a retry of a request is logged at its start")
  func retriedRequest() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("status-503", duration: .seconds(5))
    try shell.run("get /2.3/sites --retry 1 --name r; wait --any-outcome")
    let reasons = try shell.reasons(of: "r")
    let index = try #require(
      reasons.firstIndex {
        $0.hasPrefix("pauses 5") && $0.contains("before attempt 2 of 2: invalid-status-code(503)")
          && $0.hasSuffix(", which asks for 5 s")
      }, "\(reasons)")
    #expect(reasons[index + 1].hasPrefix("attempt 2 of 2 after invalid-status-code(503)"))
  }

  @Test("The backoff before a retry of a body is logged at its start, in its own state")
  func retriedBody() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.run(
      "block --name r --retry 2 --backoff 10s { fail \"no\" }; sleep 1s")
    #expect(try shell.reasons(of: "r").last == "pauses 10 s before attempt 2 of 3: script")
    #expect(try shell.operation("r").pauses.last?.end == nil)
    try shell.run("wait --any-outcome")
    let pauses = try shell.operation("r").pauses
    #expect(pauses.count == 2)
    #expect(pauses.allSatisfy { $0.end != nil })
    #expect(try shell.output(of: "show r").count { $0.hasPrefix("paused ") } == 2)
    let json = try shell.output(of: "log r --json").filter { $0.contains("pauses 10 s") }
    #expect(json.count == 1)
    #expect(json.allSatisfy { $0.contains(#""from":"executing","to":"executing""#) })
  }

  @Test("A request that is cancelled in a backoff records it")
  func cancelledRequest() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("backoff", duration: .seconds(3))
    try shell.run(
      "fetch questions --name a; wait; fetch questions --page 2 --name b; sleep 1s; cancel b; "
        + "wait --any-outcome")
    let operation = try shell.operation("b")
    #expect(operation.pauses.map(\.end) == [operation.timestamps.finished])
    #expect(try shell.output(of: "show b").contains { $0.hasPrefix("paused ") })
    #expect(try shell.output(of: "timeline b").contains { $0.contains("┄") })
  }

  @Test("A cancelled backoff ends with its operation")
  func cancelled() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.run(
      "block --name r --retry 2 --backoff 10s { fail \"no\" }; sleep 1s; cancel r; wait")
    let operation = try shell.operation("r")
    #expect(operation.pauses.map(\.end) == [operation.timestamps.finished])
  }
}
