import OpshLocking
import OpshNetworking
import Operations
import ShellOutput
import OpshTerminal
import Testing

@testable import ShellSession

@Suite("The event feed")
struct EventFeedTests {
  private struct Out: Error {}

  /// alpha succeeds, beta fails, gamma is cancelled before it starts.
  private func makeEntries() throws -> [EventLog.Entry] {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    queue.isSuspended = true
    let alpha = BlockingOperation(name: "alpha", engine: engine) { _ in nil }
    let beta = BlockingOperation(name: "beta", engine: engine) { _ in throw Out() }
    let gamma = BlockingOperation(name: "gamma", engine: engine) { _ in nil }
    try queue.addOperations([alpha, beta, gamma], waitUntilFinished: false)
    gamma.cancel()
    queue.isSuspended = false
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    return engine.log.entries(from: 0, limit: 100).entries
  }

  struct Case: Sendable {
    let states: Set<String>
    let names: [String]
    let shown: Set<String>
  }

  @Test(
    "A filter selects by states, outcomes and names",
    arguments: [
      Case(states: ["executing"], names: [], shown: ["alpha executing", "beta executing"]),
      Case(states: ["failed"], names: [], shown: ["beta finished"]),
      Case(states: ["cancelled"], names: [], shown: ["gamma finished"]),
      Case(states: ["finished"], names: ["*ta"], shown: ["beta finished"]),
      Case(
        states: [], names: ["alp*"],
        shown: ["alpha pending", "alpha ready", "alpha executing", "alpha finished"]),
      Case(states: ["finished"], names: ["nobody"], shown: []),
    ])
  func filter(_ expected: Case) throws {
    let filter = EventFeed.Filter(states: expected.states, names: expected.names)
    let shown = try makeEntries().filter { $0.event == .transition && filter.includes($0) }
    #expect(Set(shown.map { "\($0.operation.name) \($0.to.rawValue)" }) == expected.shown)
  }

  @Test("An empty filter selects everything")
  func everything() throws {
    let entries = try makeEntries()
    #expect(!entries.isEmpty)
    #expect(entries.allSatisfy { EventFeed.Filter().includes($0) })
  }

  @Test("A transition has the keys of the contract, in order")
  func keys() throws {
    let entry = try #require(try makeEntries().last)
    #expect(
      EventFeed.fields(of: entry).members.map(\.name) == [
        "operation", "queue", "from", "to", "cancelled", "outcome", "reason",
      ])
  }

  @Test("Draining records failures once, including filtered ones")
  func ledger() throws {
    let fixture = try ShellFixture("block { fail \"no\" } --name bad; delay 0s --name good")
    let finished = try fixture.pump {
      fixture.session.jobs.operations.unfinished.isEmpty && !fixture.session.screen.feed.hasNews
    }
    #expect(finished)
    let bad = try #require(fixture.session.jobs.operations.operation(named: "bad"))
    #expect(fixture.session.jobs.failures.unexpected == [bad.id])
    fixture.session.screen.feed.drain()
    #expect(fixture.session.jobs.failures.unexpected == [bad.id])
    #expect(fixture.session.jobs.failures.status == 1)
  }

  @Test("Skipped events are counted and still dispatched")
  func skipping() throws {
    let fixture = try ShellFixture()
    let (session, feed) = (fixture.session, fixture.session.screen.feed)
    feed.destination = .standardError
    session.screen.output.setTap(isSilent: true) { _ in }
    try fixture.run("block { fail \"no\" } --name bad --hold")
    feed.drain()
    let bad = try fixture.operation("bad")
    let before = session.jobs.engine.log.count
    bad.cancel()
    try session.jobs.queues.inUse.addOperation(bad)
    #expect(session.jobs.queues.inUse.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
    let count = session.jobs.engine.log.count - before
    #expect(count > 0)
    #expect(feed.isBehind(by: count - 1) && !feed.isBehind(by: count))
    #expect(feed.skip() == count)
    #expect(feed.skip() == 0, "No event is counted twice")
    feed.drain(limit: 1)
    #expect(feed.isBehind(by: count - 2))
    feed.drain { true }
    #expect(!feed.hasNews)
    #expect(session.jobs.operations.unfinished.isEmpty)
  }

  @Test("Discarded changes are counted in one line")
  func leftOutChanges() throws {
    let fixture = try ShellFixture("queue new q; queue pause q; observe queue q operations")
    let session = fixture.session
    let queue = try #require(session.jobs.queues.queue(named: "q"))
    let lines = Locked<[String]>([])
    session.screen.output.setTap(isSilent: true) { line in lines.withLock { $0.append(line.plain) }
    }
    defer { session.screen.output.setTap(isSilent: false, nil) }
    for _ in 0..<700 {
      try queue.addOperation(DelayOperation(duration: .zero, engine: session.jobs.engine))
    }
    session.screen.feed.drain()
    let told = lines.withLock { $0 }
    let changes = told.count { $0.contains("queue q.operations") }
    #expect(changes > 100 && changes < 700)
    #expect(told.last == "… \(700 - changes) more changes were left out: too many to keep")
    #expect(!session.screen.feed.hasNews)
  }
}
