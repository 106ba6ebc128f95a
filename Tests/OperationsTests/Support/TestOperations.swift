import Dispatch
import Foundation
import OpshLocking
import Operations
import Testing

/// An asynchronous operation that ends when the test says so.
final class Held: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is locked.
  private let began = DispatchSemaphore(value: 0)
  private let counts = Locked((executed: 0, interrupted: 0))

  override func execute() {
    counts.withLock { $0.executed += 1 }
    began.signal()
  }

  override func cancelExecution() {
    counts.withLock { $0.interrupted += 1 }
  }

  var executions: Int { counts.withLock { $0.executed } }
  var interruptions: Int { counts.withLock { $0.interrupted } }

  /// Waits until `execute()` was called.
  func waitUntilBegun() -> Bool { began.wait(timeout: .now() + 60) == .success }
}

/// An asynchronous operation that ends at once.
final class Quick: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is, and this class adds nothing.
  override func execute() { finish(.success(id)) }
}

/// A Foundation operation synchronous kind.
final class Plain: ObservableOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.
  private let body: @Sendable () -> Void

  init(name: String? = nil, engine: OperationEngine, body: @escaping @Sendable () -> Void = {}) {
    self.body = body
    super.init(name: name, engine: engine)
  }

  override func main() { body() }
}

struct TestError: CodedError, Equatable {
  var code: String = "broken"
  var message: String = "it broke"
}

/// What several threads gather.
final class Gathered<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  func add(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}

/// A log with queues on it.
struct Bench: Sendable {
  let engine = OperationEngine()

  func queue(_ name: String = "network", width: Int = 2, paused: Bool = false) -> InspectableQueue {
    let queue = InspectableQueue(name: name, maxConcurrentOperationCount: width, engine: engine)
    queue.isSuspended = paused
    return queue
  }

  func held(_ name: String) -> Held { Held(name: name, engine: engine) }
  func quick(_ name: String) -> Quick { Quick(name: name, engine: engine) }

  var entries: [EventLog.Entry] { engine.log.entries(from: 0, limit: .max).entries }

  /// The names of those that began to execute, in that order.
  var started: [String] {
    entries.filter { $0.event == .transition && $0.to == .executing }.map(\.operation.name)
  }

  /// The transitions of one operation in words.
  func life(_ name: String) -> [String] {
    entries.filter { $0.operation.name == name && $0.event == .transition }
      .map { "\($0.from.rawValue)-\($0.to.rawValue)" }
  }

  func reasons(_ name: String) -> [String] {
    entries.filter { $0.operation.name == name }.map(\.reason)
  }
}

/// Waits until all operations of a queue have finished, and fails the test if they do not.
func drain(
  _ queue: InspectableQueue, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(
    queue.waitUntilAllOperationsAreFinished(timeout: .seconds(120)),
    "\(queue.operations.map(\.displayName).prefix(10)) unfinished", sourceLocation: sourceLocation)
}

/// Runs `body` on several threads at the same moment and waits for all of them.
func race(_ bodies: [@Sendable () -> Void]) {
  let gate = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  for body in bodies {
    group.enter()
    Thread {
      gate.wait()
      body()
      group.leave()
    }.start()
  }
  for _ in bodies { gate.signal() }
  #expect(group.wait(timeout: .now() + 120) == .success)
}
