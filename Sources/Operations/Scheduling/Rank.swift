/// A place in the order of starting.
struct Rank: Comparable {
  let operation: ObservableOperation

  init(_ operation: ObservableOperation) {
    self.operation = operation
  }

  /// Where an operation stands among the barriers of its queue: those of one turn start only when
  /// all of the turns before have finished.
  struct Turn: Hashable, Comparable {
    let epoch: Int32
    /// A barrier comes before what was added after it.
    let isMember: Bool

    static func < (left: Turn, right: Turn) -> Bool {
      left.epoch != right.epoch ? left.epoch < right.epoch : !left.isMember && right.isMember
    }
  }

  var turn: Turn {
    Turn(
      epoch: operation.core.queue?.core.turn(of: operation) ?? operation.core.epoch,
      isMember: operation.core.extras?.isBarrier != true)
  }

  private var key: (turn: Turn, level: Int, order: Int) {
    (turn, ReadyOrder.level(of: operation), operation.core.order)
  }

  /// The place among the operations of the same turn: the least starts first.
  var number: Int { ReadyOrder.level(of: operation) << 32 + operation.core.order }

  static func < (left: Rank, right: Rank) -> Bool { left.key < right.key }
  static func == (left: Rank, right: Rank) -> Bool { left.operation === right.operation }
}
