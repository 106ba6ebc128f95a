import Networking
import Operations

/// Finds out how many requests at once a network is good for.
///
/// It measures in rounds of some requests: how many bytes came in a second, and how long one took.
/// It goes on adding while that brings more, goes back when it does not, and gives way at once when
/// requests fail. Later it tries one more now and then, for networks change.
struct AdaptiveWidth: Sendable {
  /// How one request ended.
  struct Sample: Sendable {
    var bytes: Int
    var started: ContinuousClock.Instant
    var finished: ContinuousClock.Instant
    /// The code of its error where the error speaks of too much at once; nil for a success.
    var failure: String?
  }

  /// A new width, or the one that stays, and the reason in words.
  struct Decision: Sendable, Equatable {
    var width: Int
    var reason: String
  }

  /// What a round came to.
  private struct Round {
    var width: Int
    /// Bytes in a second, or answers where they have no bodies.
    var rate: Double
    var latency: Duration
  }

  /// More than this the transport does not do at once.
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

  /// Takes in how a request ended.
  ///
  /// - Returns: What to do, at the end of a round in which something is to be said.
  mutating func note(_ sample: Sample) -> Decision? {
    if roundStart == nil { roundStart = sample.started }
    // What began under another width says nothing of this one.
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

  /// Looks at a width that has been found, whether it still is the right one.
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
    // Each time it finds nothing better it waits longer.
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
