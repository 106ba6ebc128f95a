import Foundation
import OpshLocking
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession
@testable import SteerCommands

@Suite("Event handlers", .timeLimit(.minutes(15)))
struct EventHandlersTests {
  private struct Stop: Error {}

  @Test("Notes are handled in order, and an error keeps the later ones")
  func order() throws {
    let eventHandlers = EventHandlers(wakeUp: nil)
    let seen = Locked<[Int]>([])
    for number in 0..<5 {
      eventHandlers.post(
        .init {
          if number == 2 { throw Stop() }
          seen.withLock { $0.append(number) }
        })
    }
    #expect(throws: Stop.self) { try eventHandlers.performNotes() }
    #expect(seen.withLock { $0 } == [0, 1])
    #expect(eventHandlers.hasNotes)
    try eventHandlers.performNotes()
    #expect(seen.withLock { $0 } == [0, 1, 3, 4])
    #expect(!eventHandlers.hasNotes)
  }

  @Test("A note that posts itself does not block the loop")
  func selfPosting() throws {
    let eventHandlers = EventHandlers(wakeUp: nil)
    let count = Locked(0)
    @Sendable func post() {
      eventHandlers.post(
        .init {
          count.withLock { $0 += 1 }
          post()
        })
    }
    post()
    try eventHandlers.performNotes()
    #expect(count.withLock { $0 } == 1)
    try eventHandlers.performNotes()
    #expect(count.withLock { $0 } == 2)
    eventHandlers.removeAll()
    #expect(!eventHandlers.hasNotes)
  }

  @Test("Removing all handlers drops their notes, and keeps the work of operations")
  func removed() throws {
    let eventHandlers = EventHandlers(wakeUp: nil)
    let seen = Locked<[String]>([])
    eventHandlers.post(.init { seen.withLock { $0.append("handler") } })
    eventHandlers.runMain { seen.withLock { $0.append("operation") } }
    eventHandlers.removeAll()
    try eventHandlers.performNotes()
    #expect(seen.withLock { $0 } == ["operation"])
  }

  @Test("A note may handle later notes, up to a maximum depth")
  func nested() throws {
    let eventHandlers = EventHandlers(wakeUp: nil)
    let depth = Locked((now: 0, greatest: 0))
    for _ in 0..<100 {
      eventHandlers.post(
        .init {
          depth.withLock {
            $0.now += 1
            $0.greatest = max($0.greatest, $0.now)
          }
          try eventHandlers.performNotes()
          depth.withLock { $0.now -= 1 }
        })
    }
    while eventHandlers.hasNotes { try eventHandlers.performNotes() }
    #expect(depth.withLock { $0.greatest } == 16)
  }

  @Test("200,000 notes are handled in acceptable time")
  func many() throws {
    let eventHandlers = EventHandlers(wakeUp: nil)
    let count = Locked(0)
    for _ in 0..<TestScale.count(200_000) {
      eventHandlers.post(.init { count.withLock { $0 += 1 } })
    }
    try eventHandlers.performNotes()
    #expect(count.withLock { $0 } == TestScale.count(200_000))
  }

  @Test("Handlers run for their operation and event; unobserve removes them")
  func handlers() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      delay 5ms --name a --hold
      delay 5ms --name b --hold
      on a finished { let seen = "${$seen}f" }
      on a executing { let seen = "${$seen}x" }
      on b finished { let seen = "${$seen}b" }
      unobserve 3
      start a b
      """)
    let hasFinished = try fixture.pump {
      fixture.session.jobs.operations.unfinished.isEmpty && !fixture.session.screen.feed.hasNews
        && !fixture.session.jobs.eventHandlers.hasNotes
    }
    #expect(hasFinished)
    #expect(fixture.shell.interpreter.variables["seen"]?.text == "xf")
  }

  @Test("A handler forgets an operation when it has run for it, and does not run once removed")
  func forgotten() throws {
    let fixture = try ShellFixture(
      """
      let seen = 0
      delay 1h --name a; delay 1h --name b
      on a b executing { let seen = ($seen + 1) }
      """)
    let eventHandlers = fixture.session.jobs.eventHandlers
    let (a, b) = try (fixture.operation("a"), fixture.operation("b"))
    #expect(try fixture.pump { a.state == .executing && b.state == .executing })
    #expect(try fixture.run("sleep 1ms; ($seen)").text == "2")
    let handler = try #require(eventHandlers.handlers.first)
    #expect(handler.awaited.isEmpty && handler.operations == [a.id, b.id])
    try fixture.run("on a b finished { let seen = ($seen + 1) }; cancel a; wait a; sleep 1ms")
    let last = try #require(eventHandlers.handlers.last)
    #expect(try fixture.run("($seen)").text == "3" && last.awaited == [b.id])
    #expect(eventHandlers.remove(number: last.number))
    eventHandlers.fire(last.number, for: b, clock: fixture.session.run.clock)
    #expect(!eventHandlers.hasNotes)
  }

  @Test("Every event of an operation matches its log entry")
  func events() throws {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    try queue.addOperation(BlockingOperation(name: "bad", engine: engine) { _ in throw Stop() })
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    let entries = engine.log.entries(from: 0, limit: 100).entries
    let events = entries.map { entry in
      EventHandlers.Event.allCases.filter { $0.matches(entry) }.map(\.rawValue)
    }
    #expect(events == [[], ["ready"], ["executing"], ["finished", "failed"]])
  }

  @Test("An observer finishes before the next one is called")
  func inTurn() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      queue pause
      observe queue network operationCount { let seen = "${$seen}a"; let seen = "${$seen}A" }
      observe queue network operationCount { let seen = "${$seen}b"; let seen = "${$seen}B" }
      delay 1ms
      """)
    #expect(try fixture.text("($seen)") == "aAbB")
  }

  @Test("A wait continues after all observers of its event have been called")
  func toldBeforeGoingOn() throws {
    for _ in 0..<TestScale.count(20) {
      let fixture = try ShellFixture(
        """
        let seen = ""
        queue width 1
        observe queue network operationCount { let seen = "${$seen}$change.new" }
        delay 0s --count 3
        wait
        """)
      #expect(try fixture.text("($seen)") == "3210")
    }
  }

  @Test("The observers and handlers of a queue end when the queue is removed")
  func removedQueue() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      queue new q
      on queue q empty { let seen = "${$seen}e" }
      observe queue q operationCount { let seen = "${$seen}$change.new" }
      on queue network empty { let seen = "${$seen}n" }
      delay 1ms --queue q
      wait
      queue remove q
      queue new q
      """)
    let listed = try fixture.output(of: "observers")
    #expect(listed.count == 2 && listed[1].contains("queue network"), "\(listed)")
    // What happened before is still handled; what happens to the new queue is not.
    let seen = try fixture.text("delay 1ms --queue q; wait; ($seen)")
    #expect(seen.sorted() == ["0", "1", "e"], "\(seen)")
    #expect(try fixture.error(of: "unobserve 1").code == "unknown-observer")
  }

  @Test("Observers and handlers are listed with the names that their operations have now")
  func renamed() throws {
    let fixture = try ShellFixture(
      """
      delay 1ms --name a --hold; delay 1ms --name c --hold
      on a c finished { echo done }; observe a isFinished; observe x* isFinished
      name a b; delay 1ms --name a --hold
      """)
    let listed = try fixture.output(of: "observers")
      .map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      listed == [
        "number command what key paths or event", "1 on b, c finished",
        "2 observe b isFinished (old,new)", "3 observe x* isFinished (old,new)",
      ])
  }

  @Test("A handler for all operations is rejected if there are none")
  func aboutNothing() throws {
    let fixture = try ShellFixture("events off")
    #expect(try fixture.error(of: "on all finished { echo x }").code == "unknown-operation")
    try fixture.run("delay 0s --name a; on all finished { echo x } > /dev/null")
  }

  @Test("A handler that blocks for long says whose handlers it has held up")
  func heldUp() throws {
    let outcome = try Opsh.run(
      """
      delay 10ms --name a --hold; delay 60ms --name b --hold; delay 80ms --name c --hold
      on a finished { !sleep 1 }; on b finished { echo b }; on c finished { echo c }
      start a b c; wait
      """)
    #expect(outcome.output == "b\nc\n")
    #expect(outcome.errors.contains(/opsh: the handler of a held up: b, c for \d/))
  }

  @Test("A handler that waits holds nothing up: others run meanwhile")
  func notHeldUp() throws {
    let outcome = try Opsh.run(
      """
      delay 10ms --name a --hold; delay 60ms --name b --hold
      on a finished { sleep 900ms; echo a }; on b finished { echo b }; start a b; wait; sleep 1s
      """)
    #expect(outcome.output == "b\na\n")
    #expect(!outcome.errors.contains("held up"))
  }
}
