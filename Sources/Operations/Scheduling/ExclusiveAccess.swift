/// Who has which names for itself, and who waits for them.
///
/// An operation takes all the names it needs when its turn comes, or none: then it is parked
/// outside its queue's order of starting, so that others pass it. When the name becomes free, the
/// first of those that wait is put back on each queue, and the first of them whose turn comes gets
/// it. Waking them all would cost the square of their number.
struct ExclusiveAccess {
  private struct Name {
    var holder: ObservableOperation?
    /// Those that wait, by their queue.
    var parked: [ObjectIdentifier: ReadyOrder] = [:]
  }

  private var names: [String: Name] = [:]

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
  mutating func park(_ operation: ObservableOperation, on name: String) {
    guard let queue = operation.core.queue else { return }
    operation.core.isParked = true
    operation.core.extras?.parkedOn = name
    names[name, default: Name()].parked[ObjectIdentifier(queue), default: ReadyOrder()]
      .insert(operation)
  }

  /// Lets go of what the operation has, or no longer competes for.
  ///
  /// - Returns: Those whose turn it is to try, which are parked no more.
  mutating func yield(
    _ operation: ObservableOperation, released: inout [AnyObject]
  ) -> [ObservableOperation] {
    var woken: [ObservableOperation] = []
    for name in operation.core.extras?.exclusiveNames ?? [] {
      guard var entry = names[name] else { continue }
      if entry.holder === operation { entry.holder = nil }
      if entry.holder == nil {
        for queue in Array(entry.parked.keys) {
          let first = entry.parked[queue]?.popFirst(
            where: { $0.core.isParked && $0.core.extras?.parkedOn == name }, released: &released)
          if let first {
            Self.unpark(first)
            woken.append(first)
          } else {
            entry.parked[queue] = nil
          }
        }
      }
      names[name] = entry.holder == nil && entry.parked.isEmpty ? nil : entry
    }
    return woken
  }

  static func unpark(_ operation: ObservableOperation) {
    operation.core.isParked = false
    operation.core.extras?.parkedOn = nil
  }
}
