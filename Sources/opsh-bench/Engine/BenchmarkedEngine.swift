import Foundation
import Operations

/// A queue with its operations, as far as the benchmarks need it.
protocol BenchmarkedEngine: Sendable {
  associatedtype Item: Operation

  func makeItem() -> Item
  func makeItem(_ item: Item, dependOn upstream: Item) throws
  func enqueue(_ item: Item) throws
  func enqueueBarrier(_ item: Item) throws
  func enqueue(_ block: @escaping @Sendable () -> Void)
  func setSuspended(_ isSuspended: Bool)
  func waitUntilIdle()
  func cancelAll()
  /// All unfinished operations.
  var operations: [Operation] { get }
  /// Runs empty blocks on a queue without a limit, which starts each as soon as it is added.
  func runBlocks(_ count: Int)
  /// Looks at the counts and slots at once; false where the engine cannot.
  func takeSnapshot() -> Bool
}

/// Both engines have as many slots as that.
private let width = 4

/// Ours.
struct InspectableEngine: BenchmarkedEngine {
  final class Item: ObservableOperation, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
    override func main() {}
  }

  let engine: OperationEngine
  let queue: InspectableQueue

  init(engine: OperationEngine = OperationEngine()) {
    self.engine = engine
    queue = InspectableQueue(name: "bench", maxConcurrentOperationCount: width, engine: engine)
  }

  func makeItem() -> Item { Item(engine: engine) }
  func makeItem(_ item: Item, dependOn upstream: Item) throws { try item.depend(on: upstream) }
  func enqueue(_ item: Item) throws { try queue.addOperation(item) }
  func enqueue(_ block: @escaping @Sendable () -> Void) { queue.addOperation(block) }
  func enqueueBarrier(_ item: Item) throws { try queue.addBarrier(item) }
  func setSuspended(_ isSuspended: Bool) { queue.isSuspended = isSuspended }
  func waitUntilIdle() { queue.waitUntilAllOperationsAreFinished() }
  func cancelAll() { queue.cancelAllOperations() }
  var operations: [Operation] { queue.operations }

  func runBlocks(_ count: Int) {
    let unlimited = InspectableQueue(
      name: "blocks", maxConcurrentOperationCount: -1, engine: engine)
    for _ in 0..<count { unlimited.addOperation {} }
    unlimited.waitUntilAllOperationsAreFinished()
  }

  func takeSnapshot() -> Bool {
    withExtendedLifetime(queue.snapshot) { true }
  }
}

/// Foundation's own.
struct FoundationEngine: BenchmarkedEngine {
  final class Item: Operation, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
    override func main() {}
  }

  let queue = OperationQueue()

  init() {
    queue.maxConcurrentOperationCount = width
  }

  func makeItem() -> Item { Item() }
  func makeItem(_ item: Item, dependOn upstream: Item) { item.addDependency(upstream) }
  func enqueue(_ item: Item) { queue.addOperation(item) }
  func enqueue(_ block: @escaping @Sendable () -> Void) { queue.addOperation(block) }
  func enqueueBarrier(_ item: Item) { queue.addBarrierBlock {} }
  func setSuspended(_ isSuspended: Bool) { queue.isSuspended = isSuspended }
  func waitUntilIdle() { queue.waitUntilAllOperationsAreFinished() }
  func cancelAll() { queue.cancelAllOperations() }
  var operations: [Operation] { queue.operations }
  func takeSnapshot() -> Bool { false }

  func runBlocks(_ count: Int) {
    let unlimited = OperationQueue()
    for _ in 0..<count { unlimited.addOperation {} }
    unlimited.waitUntilAllOperationsAreFinished()
  }
}
