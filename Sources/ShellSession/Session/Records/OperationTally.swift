import Foundation
import OpshNetworking
package import Operations
import OpshSupport

/// Statistics of operations whose records were dropped: outcomes, waiting times and running times.
package struct OperationTally: Sendable {
  package private(set) var outcomes: [String: Int] = [:]
  package private(set) var waiting = TimeDistribution()
  package private(set) var running = TimeDistribution()
  package private(set) var traffic = OperationTraffic()

  mutating func add(_ operation: ObservableOperation) {
    if let outcome = operation.outcome { outcomes[outcome.name, default: 0] += 1 }
    let times = OperationTimes(of: operation)
    times.waiting.map { waiting.add($0) }
    times.running.map { running.add($0) }
    traffic.add(operation)
  }
}

/// What operations did together: their attempts, their bytes, and the time in which they did it.
package struct OperationTraffic: Sendable {
  /// How many attempts were made after the first.
  package private(set) var retries = 0
  /// The bytes of the bodies received, as they were on the wire, of the latest attempts.
  package private(set) var bytes = 0
  /// How many joined the request of another operation.
  package private(set) var joined = 0
  private var finished = 0
  private var first: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?

  package init() {}

  /// How many finished per second, from the first adding to the last end; nil if no time passed.
  package var rate: Double? {
    guard let first, let last, last > first, finished > 0 else { return nil }
    return Double(finished) / (last - first).seconds
  }

  package mutating func add(_ operation: ObservableOperation) {
    retries += max(0, operation.attempts - 1)
    if let request = operation.networkMetrics {
      bytes += request.bytesReceived
      if request.joinedOperation != nil { joined += 1 }
    }
    let stamps = operation.timestamps
    note(stamps.pending, stamps.finished, finished: stamps.finished == nil ? 0 : 1)
  }

  package mutating func add(_ other: OperationTraffic) {
    retries += other.retries
    bytes += other.bytes
    joined += other.joined
    note(other.first, other.last, finished: other.finished)
  }

  private mutating func note(
    _ added: ContinuousClock.Instant?, _ ended: ContinuousClock.Instant?, finished: Int
  ) {
    if let added { first = min(added, first ?? added) }
    if let ended { last = max(ended, last ?? ended) }
    self.finished += finished
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

  /// The time that a part of the values does not exceed; nil without values.
  ///
  /// - Parameter part: From 0 to 1; 0.5 gives the median.
  /// - Returns: The time.
  package func quantile(_ part: Double) -> Duration? {
    var left = max(1, Int((Double(count) * part).rounded(.up)))
    for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
      left -= number
      if left <= 0 { return min(Self.time(of: bucket), longest) }
    }
    return nil
  }

  /// The values of buckets in order, with how many there are of each.
  package var values: [(time: Duration, count: Int)] {
    counts.sorted { $0.key < $1.key }.map { (Self.time(of: $0.key), $0.value) }
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
