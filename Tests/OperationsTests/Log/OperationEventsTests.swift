import Foundation
import Testing

@testable import Operations

@Suite("Asynchronous sequences of events", .timeLimit(.minutes(5)))
struct OperationEventsTests {
  private let bench = Bench()

  @Test("Two tasks get every event, in the same order")
  func consumers() async throws {
    let queue = bench.queue()
    let events = bench.engine.events
    let tasks = (0..<2).map { _ in
      Task {
        var names: [String] = []
        for await entry in events where entry.to == .finished {
          names.append(entry.operation.name)
          if names.count == 500 { break }
        }
        return names
      }
    }
    for number in 0..<500 { try queue.addOperation(bench.quick("q\(number)")) }
    let names = await tasks[0].value
    #expect(names.count == 500)
    #expect(await tasks[1].value == names)
    #expect(names == bench.finished)
  }

  @Test("Events wake a task that waits beside another reader of the log")
  func besideReader() async throws {
    let pokes = Gathered<Int>()
    bench.engine.log.setWakeUp { pokes.add(1) }
    let events = bench.engine.events
    let task = Task { await events.first { $0.operation.name == "b" }?.to }
    try bench.queue().addOperation(bench.quick("a"))
    // The other reader has not caught up; the sequence goes on all the same.
    try bench.queue().addOperation(bench.quick("b"))
    #expect(await task.value == .pending)
    bench.engine.log.setWakeUp(nil)
    #expect(bench.engine.guardedState { $0.wakeUps.isEmpty })
  }

  @Test("The states of an operation end with finished")
  func states() async throws {
    let held = bench.held("a")
    var states = held.states.makeAsyncIterator()
    #expect(await states.next() == .created)
    try bench.queue().addOperation(held)
    #expect(await states.next() == .pending)
    #expect(await states.next() == .ready)
    #expect(await states.next() == .executing)
    held.finish(.success(1))
    #expect(await states.next() == .finished)
    #expect(await states.next() == nil)
    var late = held.states.makeAsyncIterator()
    #expect(await late.next() == .finished)
    #expect(await late.next() == nil)
  }

  @Test("A sequence ends when its task is cancelled")
  func cancelling() async {
    let events = bench.engine.events
    let task = Task { await events.first { _ in true } == nil }
    task.cancel()
    #expect(await task.value)
    #expect(bench.engine.guardedState { $0.wakeUps.isEmpty })
  }
}
