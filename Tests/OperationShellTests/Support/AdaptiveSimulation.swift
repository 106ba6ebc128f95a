import OpshSupport

@testable import ShellSession

/// A queue of requests to a server, in virtual time.
///
/// Requests are repeated until they are answered, as with `--retry`: the pauses begin with half a
/// second and double, and a request keeps its slot meanwhile.
struct AdaptiveSimulation {
  /// What limits the server.
  enum Limit: Sendable {
    /// Nothing but the time of an answer.
    case latency
    /// As `limit_conn`: more concurrent requests are refused with this status.
    case connections(Int, status: Int)
    /// As `limit_req`: so many per second, and a burst above them; with the status of a refusal.
    case rate(Double, burst: Double, status: Int)
    /// All answers together come over a line that carries so many per second.
    case bandwidth(Double)
    /// This share of all answers is an error, whatever the client does.
    case errors(Double, status: Int)
  }

  private enum Kind { case start, retry, end(AdaptiveLimits.Result, sent: Double) }

  private struct Event: Comparable {
    var time: Double
    var sequence: Int
    var request: Int
    var kind: Kind

    static func < (one: Event, other: Event) -> Bool {
      (one.time, one.sequence) < (other.time, other.sequence)
    }
    static func == (one: Event, other: Event) -> Bool { one.sequence == other.sequence }
  }

  var limit: Limit
  /// The time of an answer, in seconds.
  var latency: Double
  /// By what share it varies.
  var jitter = 0.1
  var count: Int
  /// The limits that adapt; nil for a fixed width.
  var limits: AdaptiveLimits?
  var width: Int
  /// Whether a refused request is repeated; otherwise it has failed.
  var isRetried = true

  private(set) var refused = 0
  private(set) var succeeded = 0
  private(set) var changes: [String] = []
  private let epoch = ContinuousClock.now
  private var random: RandomSource
  private var events = Heap<Event>()
  private var sequence = 0
  private var now = 0.0
  private var executing = 0
  private var waiting = 0
  private var attempts: [Int] = []
  private var lastStart = -1e9
  private var timer = -1.0
  // The server.
  private var connections = 0
  private var excess = 0.0
  private var excessTime = 0.0
  private var busyUntil = 0.0

  init(
    _ limit: Limit, latency: Double, count: Int, width: Int? = nil, isRetried: Bool = true,
    seed: UInt64 = 1
  ) {
    random = RandomSource(seed: seed)
    self.limit = limit
    self.latency = latency
    self.count = count
    self.isRetried = isRetried
    // The transport has no more than 16 connections.
    self.width = min(width ?? 0, 16)
    if width == nil {
      let limits = AdaptiveLimits(width: 2)
      self.limits = limits
      self.width = limits.width
    }
  }

  /// Adds `count` requests and runs until all have ended.
  ///
  /// - Returns: The seconds that it took.
  mutating func run() -> Double {
    let begin = now
    waiting = count
    attempts = Array(repeating: 0, count: count)
    startWaiting()
    while let event = events.popFirst() {
      now = event.time
      switch event.kind {
      case .start: startWaiting()
      case .retry: send(event.request)
      case .end(let result, let sent): end(event.request, result, sent: sent)
      }
    }
    return now - begin
  }

  private mutating func startWaiting() {
    while waiting > 0, executing < width {
      let pace = (limits?.pace ?? nil) ?? .zero
      let next = lastStart + pace / .seconds(1)
      guard next <= now + 1e-9 else {
        if timer != next { schedule(at: next, 0, .start) }
        timer = next
        return
      }
      lastStart = now
      waiting -= 1
      executing += 1
      send(count - waiting - 1)
    }
  }

  private func instant(_ time: Double) -> ContinuousClock.Instant { epoch + .seconds(time) }

  private mutating func send(_ request: Int) {
    attempts[request] += 1
    connections += 1
    let answerTime = latency * (1 + jitter * (Double(random.next() % 2001) / 1000 - 1))
    var result = AdaptiveLimits.Result.answered
    var duration = answerTime
    func refusal(_ status: Int) -> AdaptiveLimits.Result {
      let code = "invalid-status-code(\(status))"
      return status == 429 ? .tooFast(code) : .refused(code)
    }
    switch limit {
    case .latency: break
    case .connections(let most, let status):
      if connections > most { (result, duration) = (refusal(status), 0.001) }
    case .rate(let rate, let burst, let status):
      let next = max(0, excess - rate * (now - excessTime)) + 1
      if next > burst + 1 {
        (result, duration) = (refusal(status), 0.001)
      } else {
        (excess, excessTime) = (next, now)
      }
    case .bandwidth(let rate):
      busyUntil = max(busyUntil, now) + 1 / rate
      duration += busyUntil - now
    case .errors(let share, let status):
      if Double(random.next() % 10_000) < share * 10_000 { result = refusal(status) }
    }
    schedule(at: now + duration, request, .end(result, sent: now))
  }

  private mutating func end(_ request: Int, _ result: AdaptiveLimits.Result, sent: Double) {
    connections -= 1
    let attempt = AdaptiveLimits.Attempt(
      started: instant(sent), ended: instant(now), result: result)
    if var limits {
      let old = (limits.width, limits.rate)
      limits.attemptEnded(attempt)
      self.limits = limits
      if old != (limits.width, limits.rate) { noteChange(limits) }
    }
    if result == .answered || !isRetried {
      if result == .answered { succeeded += 1 } else { refused += 1 }
      executing -= 1
      startWaiting()
      return
    }
    refused += 1
    let chance = Double(random.next() % 1000) / 1000
    let pause = 0.5 * Double(1 << min(attempts[request] - 1, 6)) * (1 + 0.25 * chance)
    schedule(at: now + min(pause, 60), request, .retry)
    startWaiting()
  }

  private mutating func noteChange(_ limits: AdaptiveLimits) {
    width = limits.width
    let rate = limits.rate.map { "\(($0 * 10).rounded() / 10)/s" } ?? "-"
    changes.append("\((now * 100).rounded() / 100): \(width) \(rate) \(limits.reason)")
    startWaiting()
  }

  private mutating func schedule(at time: Double, _ request: Int, _ kind: Kind) {
    sequence += 1
    events.insert(Event(time: time, sequence: sequence, request: request, kind: kind))
  }
}
