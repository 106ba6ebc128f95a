import Foundation
import OpshLocking
import Operations
import Synchronization

/// A value that several threads read and write.
final class Shared<Value: Sendable>: Sendable {
  private let locked: Locked<Value>

  init(_ value: Value) { locked = Locked(value) }

  var value: Value { locked.withLock { $0 } }

  func set(_ value: Value) { locked.withLock { $0 = value } }

  @discardableResult
  func change<Result>(_ body: (inout Value) -> Result) -> Result { locked.withLock { body(&$0) } }
}

/// Counts operations from their creation to their end.
final class LeakCounter: Sendable {
  private let count = Atomic(0)

  var alive: Int { count.load(ordering: .acquiring) }

  func add(_ number: Int) { count.add(number, ordering: .acquiringAndReleasing) }
}

/// An operation whose `main()` does nothing, and which is counted as long as it is alive.
final class Empty: ObservableOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.
  private let counter: LeakCounter

  init(_ counter: LeakCounter, engine: OperationEngine) {
    self.counter = counter
    super.init(engine: engine)
    counter.add(1)
  }

  deinit { counter.add(-1) }

  override func main() {}
}

/// An asynchronous operation that ends when a check says so.
final class Open: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is, and this class adds nothing.
  override func execute() {}
}
