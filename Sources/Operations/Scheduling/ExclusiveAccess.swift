/// Who has which names for itself, and who waits for them.
///
/// An operation takes all the names it needs when its turn comes, or none: then it is parked
/// outside its queue's order of starting, so that others pass it. When a name becomes free, the
/// queues on which somebody waits for it are asked one after the other, beginning with the one that
/// was not asked for the longest time. The first of those that wait on it goes back into its order
/// of starting, until one of them takes the name. So each queue has its turn, none is held up by
/// another that cannot start anything, and a free name costs the same however many wait for it.
///
/// A queue that starts something meanwhile is asked before its turn: nothing may start on it below
/// the first of those that wait there for a name that is free.
struct ExclusiveAccess {
  private struct Name {
    var holder: ObservableOperation?
    /// Those that wait, by their queue.
    private var parked: [ObjectIdentifier: ReadyOrder] = [:]
    /// The queues with some that wait; the one that is asked next stands at `head`.
    private var turns: [ObjectIdentifier] = []
    private var head = 0
    /// How many of the queues have not had their turn since the name became free.
    private var unasked = 0
    /// Those that were asked since: what was the first of those that wait there has its place in the
    /// order of starting.
    private var asked: Set<ObjectIdentifier> = []
    /// Whether it is among those to be offered.
    var isOffered = false

    var isUnused: Bool { holder == nil && parked.isEmpty }

    mutating func askAll() {
      unasked = turns.count - head
      if !asked.isEmpty { asked.removeAll(keepingCapacity: true) }
    }

    mutating func park(
      _ operation: ObservableOperation, on name: String, of queue: InspectableQueue,
      released: inout [AnyObject]
    ) {
      let key = ObjectIdentifier(queue)
      if parked[key] == nil { turns.append(key) }
      // Entries that went out of date are swept when they are the majority.
      if let count = parked[key]?.count, count > 64, count > 2 * queue.core.roster.count {
        parked[key]?.sweep(where: { Self.waits($0, for: name) }, released: &released)
      }
      parked[key, default: ReadyOrder()].insert(operation)
    }

    /// Takes out the next one that may try, if the name is free.
    mutating func popNext(
      of name: String, released: inout [AnyObject]
    ) -> ObservableOperation? {
      while holder == nil, unasked > 0, head < turns.count {
        unasked -= 1
        let queue = turns[head]
        head += 1
        if head >= 32, head * 2 > turns.count {
          turns.removeFirst(head)
          head = 0
        }
        if asked.contains(queue) {
          turns.append(queue)
        } else if let first = popFirst(on: queue, of: name, released: &released) {
          turns.append(queue)
          return first
        } else {
          parked[queue] = nil
        }
      }
      unasked = 0
      return nil
    }

    /// Takes out the first one that waits on a queue, if the name is free and the queue was not asked
    /// yet.
    mutating func popNext(
      on queue: ObjectIdentifier, of name: String, released: inout [AnyObject]
    ) -> ObservableOperation? {
      guard holder == nil, !asked.contains(queue) else { return nil }
      return popFirst(on: queue, of: name, released: &released)
    }

    private mutating func popFirst(
      on queue: ObjectIdentifier, of name: String, released: inout [AnyObject]
    ) -> ObservableOperation? {
      let first = parked[queue]?.popFirst(
        where: { Self.waits($0, for: name) }, released: &released)
      if first != nil { asked.insert(queue) }
      return first
    }

    private static func waits(_ operation: ObservableOperation, for name: String) -> Bool {
      operation.core.isParked && operation.core.state == .ready
        && operation.core.extras?.parkedOn == name
    }
  }

  private var names: [String: Name] = [:]
  /// Names that became free in the running transaction, and are wanted.
  private var offered: [String] = []

  /// Whether nobody has a name, or waits for one.
  var isUnused: Bool { names.isEmpty }

  /// The first of the names that the operation needs and another one has.
  func busyName(for operation: ObservableOperation) -> String? {
    operation.core.extras?.exclusiveNames.first { names[$0]?.holder != nil }
  }

  func holder(of name: String) -> ObservableOperation? {
    names[name]?.holder
  }

  mutating func take(_ operation: ObservableOperation) {
    for name in operation.core.extras?.exclusiveNames ?? [] {
      names[name, default: Name()].holder = operation
    }
  }

  /// Sets an operation aside until the name is free.
  mutating func park(
    _ operation: ObservableOperation, on name: String, released: inout [AnyObject]
  ) {
    guard let queue = operation.core.queue else { return }
    operation.core.isParked = true
    operation.core.extras?.parkedOn = name
    names[name, default: Name()].park(operation, on: name, of: queue, released: &released)
  }

  /// Lets go of what the operation has, or no longer competes for.
  mutating func yield(_ operation: ObservableOperation) {
    for name in operation.core.extras?.exclusiveNames ?? [] {
      guard names[name] != nil else { continue }
      if names[name]?.holder === operation { names[name]?.holder = nil }
      guard names[name]?.holder == nil else { continue }
      if names[name]?.isUnused == true {
        names[name] = nil
        continue
      }
      names[name]?.askAll()
      if names[name]?.isOffered == false {
        names[name]?.isOffered = true
        offered.append(name)
      }
    }
  }

  /// Takes out one that may try for a name that became free; it is parked no more.
  mutating func popNext(released: inout [AnyObject]) -> ObservableOperation? {
    while let name = offered.last {
      if let next = names[name]?.popNext(of: name, released: &released) {
        Self.unpark(next)
        return next
      }
      offered.removeLast()
      names[name]?.isOffered = false
      if names[name]?.isUnused == true { names[name] = nil }
    }
    return nil
  }

  /// Takes out one that waits on a queue for a name that became free; it is parked no more.
  mutating func popNext(
    on queue: InspectableQueue, released: inout [AnyObject]
  ) -> ObservableOperation? {
    for name in offered {
      let key = ObjectIdentifier(queue)
      if let next = names[name]?.popNext(on: key, of: name, released: &released) {
        Self.unpark(next)
        return next
      }
    }
    return nil
  }

  static func unpark(_ operation: ObservableOperation) {
    operation.core.isParked = false
    operation.core.extras?.parkedOn = nil
  }
}
