/// Records which operation holds each exclusive name, and which operations wait for it.
///
/// An operation takes all the names it needs when its turn comes, or none: then it is blocked
/// outside its queue's order of starting, so that others pass it, in a line with those of its queue
/// that need the same names (``ExclusiveLine``). When a name becomes free, the queues on which
/// something waits for it are asked one after the other, beginning with the one that was not asked
/// for the longest time. The first of those that wait on it goes back into its order of starting,
/// until one of them takes the name. So each queue has its turn, none is held up by another that
/// cannot start anything, and a free name costs the same however many wait for it, as the benchmark
/// `engine/independent/COUNT/total-exclusive` shows: trying all of them would take their number squared.
///
/// A queue that starts something meanwhile is asked before its turn: nothing may start on it below
/// the first of those that wait there for a name that is free.
struct ExclusiveAccess {
  private struct Name {
    var holder: ObservableOperation?
    /// Those that wait, by their queue: of each line at least the first.
    private var blocked: [ObjectIdentifier: ReadyOrder] = [:]
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

    var isUnused: Bool { holder == nil && blocked.isEmpty }

    mutating func askAll() {
      unasked = turns.count - head
      if !asked.isEmpty { asked.removeAll(keepingCapacity: true) }
    }

    mutating func block(
      _ operation: ObservableOperation, on name: String, of queue: ObjectIdentifier,
      unfinished: Int, released: inout [AnyObject]
    ) {
      if blocked[queue] == nil { turns.append(queue) }
      // Entries that went out of date are swept when they are the majority.
      if let count = blocked[queue]?.count, count > 64, count > 2 * unfinished {
        blocked[queue]?.sweep(where: { Self.waits($0, for: name) }, released: &released)
      }
      blocked[queue, default: ReadyOrder()].insert(operation)
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
          blocked[queue] = nil
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
      let first = blocked[queue]?.popFirst(
        where: { Self.waits($0, for: name) }, released: &released)
      if first != nil { asked.insert(queue) }
      return first
    }

    private static func waits(_ operation: ObservableOperation, for name: String) -> Bool {
      operation.isWaitingInLine && operation.core.extras?.line?.name == name
    }
  }

  private var names: [String: Name] = [:]
  private var lines: [ExclusiveLine.Key: ExclusiveLine] = [:]
  /// Names that became free in the running transaction, and are wanted.
  private var offered: [String] = []

  /// How often an operation was set aside, or taken out again.
  private(set) var moves = 0

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
  mutating func block(
    _ operation: ObservableOperation, on name: String, released: inout [AnyObject]
  ) {
    guard let queue = operation.core.queue, let extras = operation.core.extras else { return }
    moves += 1
    let key = ExclusiveLine.Key(queue: ObjectIdentifier(queue), names: extras.exclusiveNames)
    let line = lines[key] ?? ExclusiveLine(key, for: name)
    lines[key] = line
    let unfinished = queue.core.unfinished.count
    line.add(operation, for: name, unfinished: unfinished, released: &released)
    represent(line, unfinished: unfinished, released: &released)
  }

  /// Has the first of a line stand for it among those that wait for the name.
  private mutating func represent(
    _ line: ExclusiveLine, unfinished: Int, released: inout [AnyObject]
  ) {
    if let first = line.newDelegate(released: &released) {
      names[line.name, default: Name()].block(
        first, on: line.name, of: line.key.queue, unfinished: unfinished, released: &released)
    } else if line.isEmpty(released: &released), lines[line.key] === line {
      lines[line.key] = nil
    }
  }

  /// Takes an operation out of the line that it waits in.
  mutating func unblock(_ operation: ObservableOperation, released: inout [AnyObject]) {
    guard let line = operation.core.extras?.line else { return }
    ExclusiveLine.unblock(operation)
    moves += 1
    represent(
      line, unfinished: operation.core.queue?.core.unfinished.count ?? 0, released: &released)
  }

  /// Takes out the one that was found to be next, with its line.
  private mutating func take(
    out next: ObservableOperation, released: inout [AnyObject]
  ) -> ObservableOperation {
    guard let line = next.core.extras?.line,
      let first = line.removeFirst(released: &released)
    else { preconditionFailure("one that waits for a name is in a line") }
    moves += 1
    represent(line, unfinished: first.core.queue?.core.unfinished.count ?? 0, released: &released)
    return first
  }

  /// Lets go of what the operation has, and offers it to none: where nothing starts by itself.
  mutating func release(_ operation: ObservableOperation) {
    for name in operation.core.extras?.exclusiveNames ?? []
    where names[name]?.holder === operation {
      names[name]?.holder = nil
      if names[name]?.isUnused == true { names[name] = nil }
    }
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

  /// Takes out one that may try for a name that became free; it is blocked no more.
  mutating func popNext(released: inout [AnyObject]) -> ObservableOperation? {
    while let name = offered.last {
      if let next = names[name]?.popNext(of: name, released: &released) {
        return take(out: next, released: &released)
      }
      offered.removeLast()
      names[name]?.isOffered = false
      if names[name]?.isUnused == true { names[name] = nil }
    }
    return nil
  }

  /// Takes out one that waits on a queue for a name that became free; it is blocked no more.
  mutating func popNext(
    on queue: InspectableQueue, released: inout [AnyObject]
  ) -> ObservableOperation? {
    for name in offered {
      let key = ObjectIdentifier(queue)
      if let next = names[name]?.popNext(on: key, of: name, released: &released) {
        return take(out: next, released: &released)
      }
    }
    return nil
  }
}
