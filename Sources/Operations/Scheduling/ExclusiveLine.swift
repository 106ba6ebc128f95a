/// Those of one queue that need the same names, all of which wait for one of these.
///
/// Where one of them finds a name taken, so would the others: the line moves to that name as a whole,
/// in the same time however long it is. Guarded by the lock of the engine.
final class ExclusiveLine {
  struct Key: Hashable {
    let queue: ObjectIdentifier
    let names: [String]
  }

  let key: Key
  /// What they wait for.
  private(set) var name: String
  private var waiting = ReadyOrder()
  /// The operation that represents the line among all that wait for the name, with its rank.
  private var delegate: (id: Int, order: Int)?

  init(_ key: Key, for name: String) {
    self.key = key
    self.name = name
  }

  /// Adds an operation, which waits for this name as all the others do from now on.
  func add(
    _ operation: ObservableOperation, for name: String, unfinished: Int,
    released: inout [AnyObject]
  ) {
    if self.name != name {
      self.name = name
      delegate = nil
    }
    // Entries that went out of date are swept when they are the majority.
    if waiting.count > 64, waiting.count > 2 * unfinished {
      waiting.sweep(where: holds, released: &released)
    }
    waiting.insert(operation)
    operation.core.isBlocked = true
    operation.core.queue?.core.blockedCount += 1
    operation.core.extras?.line = self
  }

  /// Takes out the first of them, which has to be the delegate.
  func removeFirst(released: inout [AnyObject]) -> ObservableOperation? {
    guard let first = waiting.popFirst(where: holds, released: &released) else { return nil }
    Self.unblock(first)
    delegate = nil
    return first
  }

  /// The first of them, if it does not stand for the line yet; it does from now on.
  func newDelegate(released: inout [AnyObject]) -> ObservableOperation? {
    guard let first = waiting.first(where: holds, released: &released) else { return nil }
    let place = (id: first.id, order: first.core.order)
    if let delegate, delegate == place { return nil }
    delegate = place
    return first
  }

  func isEmpty(released: inout [AnyObject]) -> Bool {
    waiting.first(where: holds, released: &released) == nil
  }

  private func holds(_ operation: ObservableOperation) -> Bool {
    operation.core.extras?.line === self && operation.isWaitingInLine
  }

  static func unblock(_ operation: ObservableOperation) {
    operation.core.isBlocked = false
    operation.core.queue?.core.blockedCount -= 1
    operation.core.extras?.line = nil
  }
}

extension ObservableOperation {
  /// Whether it waits for a name; in a transaction.
  var isWaitingInLine: Bool { core.isBlocked && core.state == .ready }
}
