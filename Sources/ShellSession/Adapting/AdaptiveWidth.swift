import Networking
import Operations
import Support

/// Finds the best number of concurrent requests for a network.
///
/// It measures rounds of some requests: the bytes per second, and the time of a request. It
/// increases the width while that increases the throughput, goes back when it does not, and reduces
/// it at once when requests fail. Later it occasionally tries one more, because networks change.
struct AdaptiveWidth: Sendable {
  /// The result of one request.
  struct Sample: Sendable {
    var bytes: Int
    var started: ContinuousClock.Instant
    var finished: ContinuousClock.Instant
    /// The code of its error if that indicates overload; nil for a success.
    var failure: String?
  }

  /// The new or unchanged width, and the reason in words.
  struct Decision: Sendable, Equatable {
    var width: Int
    var reason: String
  }

  /// The result of a round.
  private struct Round {
    var width: Int
    /// Bytes per second, or responses per second without bodies.
    var rate: Double
    var latency: Duration
  }

  /// The maximum of the transport.
  static let greatest = 16

  private(set) var width: Int
  private var samples: [Sample] = []
  private var roundStart: ContinuousClock.Instant?
  private var previous: Round?
  private var isSettled = false
  private var quietRounds = 0
  private var patience = 4

  init(width: Int) {
    self.width = min(max(width, 1), Self.greatest)
  }

  /// Records the result of a request.
  ///
  /// - Returns: The decision, at the end of a round with a result to report.
  mutating func note(_ sample: Sample) -> Decision? {
    if roundStart == nil { roundStart = sample.started }
    // A request that started under another width is not counted.
    guard let start = roundStart, sample.started >= start else { return nil }
    samples.append(sample)
    guard samples.count >= max(6, 2 * width) else { return nil }
    defer {
      samples = []
      roundStart = sample.finished
    }
    return endRound(at: sample.finished)
  }

  private mutating func endRound(at end: ContinuousClock.Instant) -> Decision? {
    let failures = samples.compactMap(\.failure)
    if failures.count * 4 >= samples.count, let code = failures.first {
      return retreat("\(failures.count) of \(samples.count) failed, one with \(code)")
    }
    let good = samples.filter { $0.failure == nil }
    guard let first = good.map(\.started).min() else { return nil }
    let seconds = max((end - first) / .seconds(1), 1e-6)
    let bytes = good.reduce(0) { $0 + $1.bytes }
    let latencies = good.map { $0.finished - $0.started }.sorted()
    let round = Round(
      width: width, rate: Double(bytes > 0 ? bytes : good.count) / seconds,
      latency: latencies[latencies.count / 2])
    defer { previous = isSettled && previous != nil ? previous : round }
    return decide(round, isInBytes: bytes > 0)
  }

  private mutating func decide(_ round: Round, isInBytes: Bool) -> Decision? {
    func rate(_ value: Double) -> String {
      isInBytes
        ? ByteCount(Int(min(value, 1e15))).description + "/s"
        : "\(Int(min(value, 1e9).rounded())) answers/s"
    }
    guard let before = previous else {
      guard width < Self.greatest else { return settle("\(rate(round.rate)), and no more can run") }
      return change(
        to: width + max(1, width / 2), "\(rate(round.rate)) with \(width); more may bring more")
    }
    let (now, then) = (rate(round.rate), rate(before.rate))
    if isSettled { return watch(round, before, now: now) }
    if round.width > before.width, round.rate > before.rate * 1.1 {
      guard width < Self.greatest else {
        return settle("\(now) instead of \(then), and no more can run")
      }
      return change(to: width + max(1, width / 2), "\(now) with \(width) instead of \(then)")
    }
    if round.width > before.width {
      let times =
        "\(DurationText(round.latency).description) instead of "
        + DurationText(before.latency).description
      previous = before
      isSettled = true
      quietRounds = 0
      return change(
        to: before.width,
        "\(now) with \(width) is no more than \(then) with \(before.width), and one takes \(times)")
    }
    return settle("\(now) with \(width)")
  }

  /// Checks periodically whether the width is still the best one.
  private mutating func watch(_ round: Round, _ before: Round, now: String) -> Decision? {
    if width > 1, round.latency > before.latency * 2.0, round.rate < before.rate * 1.1 {
      previous = nil
      isSettled = false
      return change(
        to: width - 1,
        "one takes \(DurationText(round.latency).description) instead of "
          + "\(DurationText(before.latency).description), and no more comes for it")
    }
    quietRounds += 1
    guard quietRounds >= patience, width < Self.greatest else { return nil }
    // After each unsuccessful attempt the interval grows.
    patience = min(patience * 2, 64)
    previous = round
    isSettled = false
    quietRounds = 0
    return change(to: width + 1, "\(now) for a while; one more is tried")
  }

  private mutating func retreat(_ reason: String) -> Decision {
    previous = nil
    isSettled = false
    return change(to: max(1, width / 2), reason)
  }

  private mutating func settle(_ reason: String) -> Decision {
    isSettled = true
    quietRounds = 0
    return Decision(width: width, reason: reason)
  }

  private mutating func change(to new: Int, _ reason: String) -> Decision {
    width = min(max(new, 1), Self.greatest)
    return Decision(width: width, reason: reason)
  }
}
