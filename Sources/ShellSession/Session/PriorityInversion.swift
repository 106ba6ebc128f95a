import Foundation
package import Operations

/// An operation of high priority that waits for one of low priority, before which others start.
package struct PriorityInversion {
  /// The operation that waits.
  package let waiting: ObservableOperation
  /// The dependency, direct or not, that others start before.
  package let dependency: ObservableOperation
  /// The place of the dependency in the order in which its queue starts operations, from 1.
  private let place: Int
  private let count: Int

  /// How many dependencies are looked at.
  private static let mostExamined = 500

  /// Looks for the nearest dependency of an operation that has a lower priority and is not next.
  package init?(of operation: ObservableOperation) {
    guard operation.state == .pending, !operation.isCancelled else { return nil }
    var seen: Set<Int> = []
    var open = operation.upstream.map(\.operation)
    while let next = open.first, seen.count < Self.mostExamined {
      open.removeFirst()
      guard next.state != .finished, seen.insert(next.id).inserted else { continue }
      if next.state == .ready, next.queuePriority.rawValue < operation.queuePriority.rawValue,
        let queue = next.queue
      {
        let order = queue.predictedOrder().filter { $0.state == .ready }
        if let index = order.firstIndex(where: { $0 === next }), index > 0 {
          (waiting, dependency) = (operation, next)
          (place, count) = (index + 1, order.count)
          return
        }
      }
      open += next.upstream.map(\.operation)
    }
    return nil
  }

  /// Says what waits for what, with both priorities.
  package var text: String {
    let priority = { (operation: ObservableOperation) in
      "\(operation.displayName) (\(operation.queuePriority.shellName))"
    }
    return "priority inversion: \(priority(waiting)) waits for \(priority(dependency)), "
      + "\(OrdinalText.text(place)) of \(count)"
  }

  /// The command that ends it.
  package var cure: String {
    "priority \(dependency.displayName) \(waiting.queuePriority.shellName)"
  }

  /// The inversion as a reason why the operation does not run.
  package var reason: WhyReason {
    WhyReason(
      .higherPriority, text, subject: [dependency.displayName], queue: dependency.queue, cure: cure)
  }
}
