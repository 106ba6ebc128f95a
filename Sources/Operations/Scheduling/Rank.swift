/// A place in the order of starting.
struct Rank: Comparable {
  let operation: ObservableOperation

  init(_ operation: ObservableOperation) {
    self.operation = operation
  }

  private var key: (epoch: Int32, isMember: Int, level: Int, order: Int) {
    // A barrier comes before what was added after it.
    let isBarrier = operation.core.extras?.isBarrier == true
    return (
      operation.core.epoch, isBarrier ? 0 : 1, ReadyOrder.level(of: operation),
      operation.core.order
    )
  }

  static func < (left: Rank, right: Rank) -> Bool { left.key < right.key }
  static func == (left: Rank, right: Rank) -> Bool { left.operation === right.operation }
}
