package import Foundation
import Locking

/// Rebuilds the operations, the queues and the log of a recorded engine, one event after the other.
///
/// What an event says is done and nothing that would follow from it: the recording has that too. So
/// the log has the same entries at the same times, and every question that is answered from the log,
/// the operations or the queues has the answer that it had when the recording ended. The engine
/// runs nothing: its queues are driven, and its clock stands still.
///
/// The engine must be new and belong to no running operation. One thread applies all events. An event
/// that cannot follow those before it throws; ``undo()`` makes the engine what it was.
package final class EngineReplay {
  /// Why an event cannot follow those before it, in words.
  package struct Mismatch: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  let engine: OperationEngine
  /// Creates the operation of a number, which the engine assigns to the next one.
  private let makeOperation: (Int) -> ObservableOperation?
  /// Creates the group of a number.
  private let makeGroup: (Int) -> GroupOperation?
  package private(set) var operations: [Int: ObservableOperation] = [:]
  package private(set) var queues: [Int: InspectableQueue] = [:]
  /// Queues of which only the creation was told: which are those of groups comes next.
  private var newQueues: [Int: (name: String, width: Int)] = [:]
  var lastTime: Int64
  /// What the engine had before.
  private let before: (entries: EntryStore, changes: ChangeStore, queueID: Int, operationID: Int)

  /// Empties the log of an engine and stops its clock.
  ///
  /// - Parameters:
  ///   - engine: A new engine. Queues that it has are not part of the recording.
  ///   - startDate: When the recorded engine was created.
  ///   - isVirtual: Whether it went by the virtual clock.
  ///   - makeOperation: Creates the operation with a number; nil if the recording has not
  ///     described it.
  ///   - makeGroup: Creates a group of the engine.
  package init(
    engine: OperationEngine, startDate: Date, isVirtual: Bool,
    makeOperation: @escaping (Int) -> ObservableOperation?,
    makeGroup: @escaping (Int) -> GroupOperation?
  ) {
    self.engine = engine
    (self.makeOperation, self.makeGroup) = (makeOperation, makeGroup)
    lastTime = engine.start.nanoseconds
    engine.virtualClock.begin(at: engine.startInstant)
    engine.recordedStart.withLock { $0 = RecordedStart(date: startDate, isVirtual: isVirtual) }
    before = engine.state.withLock { state in
      defer {
        state.entries = EntryStore(capacity: .max, textLimit: .max, start: engine.start)
        state.steering = ChangeStore(capacity: .max)
      }
      return (state.entries, state.steering, state.lastQueueID, state.lastOperationID)
    }
  }

  /// Makes the engine what it was before, after an event that cannot be applied.
  package func undo() {
    engine.virtualClock.end()
    engine.recordedStart.withLock { $0 = nil }
    let released = engine.state.withLock { state -> [AnyObject] in
      (state.entries, state.steering) = (before.entries, before.changes)
      (state.lastQueueID, state.lastOperationID) = (before.queueID, before.operationID)
      state.exclusives = ExclusiveNames()
      defer { state.actions.released = [] }
      return state.actions.released
    }
    withExtendedLifetime(released) {}
  }

  /// Has the clock stand at a time for good.
  ///
  /// - Parameter elapsed: The time since the engine was created.
  package func end(at elapsed: Duration) {
    for id in newQueues.keys.sorted() { _ = try? queue(id) }
    engine.virtualClock.advance(to: engine.startInstant + elapsed)
  }

  // MARK: Operations and queues

  /// The operation of a number, which is created if it was described.
  package func operation(_ id: Int) throws(Mismatch) -> ObservableOperation {
    if let known = operations[id] { return known }
    guard id > 0 else { throw Mismatch(message: "there is no operation \(id)") }
    engine.state.withLock { $0.lastOperationID = id - 1 }
    guard let made = makeOperation(id), made.id == id else {
      throw Mismatch(message: "operation \(id) was not described before")
    }
    operations[id] = made
    return made
  }

  /// The queue of a number.
  func queue(_ id: Int) throws(Mismatch) -> InspectableQueue {
    if let known = queues[id] { return known }
    guard let new = newQueues.removeValue(forKey: id) else {
      throw Mismatch(message: "queue \(id) was not created before")
    }
    let queue = withoutLogging { [engine] in
      engine.state.withLock { $0.lastQueueID = id - 1 }
      return InspectableQueue(
        name: new.name, maxConcurrentOperationCount: new.width, engine: engine, driver: nil)
    }
    queue.core.isDriven = true
    queues[id] = queue
    return queue
  }

  func noteQueue(_ id: Int, name: String, width: Int) throws(Mismatch) {
    guard id > 0, queues[id] == nil, newQueues[id] == nil else {
      throw Mismatch(message: "queue \(id) is created twice")
    }
    newQueues[id] = (name, width)
  }

  /// Creates the group to which a new queue belongs.
  func noteGroup(_ id: Int, ofQueue queueID: Int) throws(Mismatch) {
    guard id > 0, operations[id] == nil, let new = newQueues.removeValue(forKey: queueID) else {
      throw Mismatch(message: "queue \(queueID) cannot become that of operation \(id)")
    }
    let group = withoutLogging { [engine] in
      engine.state.withLock { ($0.lastQueueID, $0.lastOperationID) = (queueID - 1, id - 1) }
      return makeGroup(id)
    }
    guard let group, group.id == id, group.innerQueue.id == queueID else {
      throw Mismatch(message: "operation \(id) is not a group")
    }
    group.innerQueue.core.isDriven = true
    group.innerQueue.core.width = new.width
    (operations[id], queues[queueID]) = (group, group.innerQueue)
  }

  /// Creates something without adding changes to the log: the recording has them.
  private func withoutLogging<Made>(_ body: () -> Made) -> Made {
    let kept = engine.state.withLock { $0.steering }
    defer { engine.state.withLock { $0.steering = kept } }
    return body()
  }

  /// A time of the recording on the engine's clock; never before what was applied last.
  func nanoseconds(at elapsed: Duration) -> Int64 {
    lastTime = max(lastTime, engine.start.nanoseconds.addingClamped(elapsed.wholeNanoseconds))
    return lastTime
  }
}

/// When a recorded engine was created, as the engine that shows it tells.
package struct RecordedStart: Sendable {
  package let date: Date
  /// Whether its times are those of the virtual clock.
  package let isVirtual: Bool
}
