import Foundation
package import Operations

/// Statistics of operations whose records were dropped: outcomes, waiting times and running times.
package struct OperationTally: Sendable {
  package private(set) var outcomes: [String: Int] = [:]
  package private(set) var waiting = TimeDistribution()
  package private(set) var running = TimeDistribution()

  /// The number of operations.
  var count: Int { outcomes.values.reduce(0, +) }

  mutating func add(_ operation: ObservableOperation) {
    if let outcome = operation.outcome { outcomes[outcome.name, default: 0] += 1 }
    let times = OperationTimes(of: operation)
    times.waiting.map { waiting.add($0) }
    times.running.map { running.add($0) }
  }

  mutating func add(_ other: OperationTally) {
    outcomes.merge(other.outcomes, uniquingKeysWith: +)
    waiting.add(other.waiting)
    running.add(other.running)
  }
}

/// How long an operation was on its queue before it ran, and how long it ran, if it did.
package struct OperationTimes {
  package let waiting: Duration?
  package let running: Duration?

  package init(of operation: ObservableOperation) {
    let stamps = operation.timestamps
    let ended = stamps.executing ?? stamps.finished
    waiting = stamps.pending.flatMap { added in ended.map { $0 - added } }
    running = stamps.executing.flatMap { started in stamps.finished.map { $0 - started } }
  }
}

/// A histogram of durations with a precision of about a hundredth, in bounded memory.
package struct TimeDistribution: Sendable {
  /// Number of buckets for each doubling of the time.
  private static let steps = 32.0

  private var counts: [Int: Int] = [:]
  package private(set) var count = 0
  package private(set) var longest = Duration.zero

  package init() {}

  package mutating func add(_ time: Duration) {
    counts[Self.bucket(of: time), default: 0] += 1
    count += 1
    longest = max(longest, time)
  }

  package mutating func add(_ other: TimeDistribution) {
    counts.merge(other.counts, uniquingKeysWith: +)
    count += other.count
    longest = max(longest, other.longest)
  }

  /// The median; nil without values.
  package var median: Duration? {
    var left = (count + 1) / 2
    for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
      left -= number
      if left <= 0 { return min(Self.time(of: bucket), longest) }
    }
    return nil
  }

  private static func bucket(of time: Duration) -> Int {
    let nanoseconds = time / .nanoseconds(1)
    return nanoseconds < 1 ? 0 : 1 + Int(log2(nanoseconds) * steps)
  }

  /// The middle of a bucket.
  private static func time(of bucket: Int) -> Duration {
    bucket == 0 ? .zero : .nanoseconds(1) * exp2((Double(bucket) - 0.5) / steps)
  }
}
