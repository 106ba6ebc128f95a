/// Finds how many requests a queue should send at once, and how fast it should start them.
///
/// It has no clock and no queue: it receives the end of every attempt, those that are retried
/// included. The limits change by additive increase and multiplicative decrease, in rounds of the
/// attempts that started since the last change:
///
/// - If more than a third of a round is refused, the *width* is halved. Without that it grows by one
///   per round, and doubles until the first refusal. A width that was refused is tried again later
///   and later.
/// - If the refusals say that requests come too fast (429), the *rate* of starts is reduced instead,
///   by at most half, and not below nine tenths of what the server accepted in the round.
struct AdaptiveLimits: Sendable {
  /// The limit of the transport.
  static let greatestWidth = 16
  /// The width of the start, unless the queue has a larger one.
  static let startWidth = 6
  /// The lowest rate, in starts per second.
  static let lowestRate = 0.5
  /// The least attempts of a round: fewer refusals than a third of them may be chance.
  private static let leastAttempts = 12
  private static let leastGrowth = 0.05

  /// The end of one attempt.
  struct Attempt: Sendable {
    var started: ContinuousClock.Instant
    var ended: ContinuousClock.Instant
    var result: Result
  }

  /// What the end of an attempt says about the network.
  enum Result: Sendable, Equatable {
    /// The server answered, whatever its answer was.
    case answered
    /// The server or the network could not serve the attempt; with the code of the error.
    case refused(String)
    /// The server said that requests come too fast; with the code of the error.
    case tooFast(String)
    /// The client ended the attempt, which says nothing.
    case cancelled
  }

  /// The attempts that started under the present limits.
  private struct Round: Sendable {
    var start: ContinuousClock.Instant?
    var answered = 0
    var refused = 0
    var count: Int { answered + refused }
  }

  private(set) var width: Int
  /// The most starts per second; nil for no limit.
  private(set) var rate: Double?
  /// Why the limits are as they are, in words.
  private(set) var reason = "nothing has been measured yet"
  /// True if the rate may be limited; otherwise a rate that is too high reduces the width.
  var limitsRate = true {
    didSet { if !limitsRate { rate = nil } }
  }

  private var round = Round()
  /// The width and the rate that were refused last.
  private var refusedWidth: Int?
  private var refusedRate = 0.0
  private var wasRefused: Bool { refusedWidth != nil || refusedRate > 0 }
  private var quietRounds = 0
  /// The number of rounds without refusals before a refused width is tried again.
  private var patience = 4
  private var growth = Self.leastGrowth

  /// Creates limits for a queue.
  ///
  /// - Parameter width: The present width of the queue, negative for unlimited.
  init(width: Int) {
    self.width = min(max(width, Self.startWidth), Self.greatestWidth)
  }

  /// The shortest time between two starts, a multiple of 10 µs: zero for no limit, nil if it is not
  /// limited here.
  var pace: Duration? {
    guard limitsRate else { return nil }
    return rate.map { .microseconds(max(1, Int((1e5 / $0).rounded())) * 10) } ?? .zero
  }

  /// Records the end of an attempt.
  mutating func attemptEnded(_ attempt: Attempt) {
    let start = round.start ?? attempt.started
    guard attempt.result != .cancelled, attempt.started >= start else { return }
    round.start = start
    let seconds = max((attempt.ended - start) / .seconds(1), 1e-3)
    switch attempt.result {
    case .answered, .cancelled:
      round.answered += 1
      guard round.count >= (wasRefused ? max(Self.leastAttempts, width) : width),
        rate == nil || seconds >= 1
      else { return }
      grow(Double(round.answered) / seconds)
    case .refused(let code), .tooFast(let code):
      round.refused += 1
      guard 3 * round.refused > max(Self.leastAttempts, round.count) else { return }
      if limitsRate, attempt.result == .tooFast(code) {
        reduceRate(code, over: seconds)
      } else {
        reduceWidth(code)
      }
    }
    round = Round(start: attempt.ended)
  }

  private mutating func grow(_ answersPerSecond: Double) {
    reason = "\(Self.text(answersPerSecond)) answers/s with \(width)"
    quietRounds += 1
    let larger = wasRefused ? width + 1 : 2 * width
    if larger < refusedWidth ?? .max || quietRounds >= patience {
      width = min(larger, Self.greatestWidth)
    }
    guard let rate else { return }
    // Far below the rate that was refused there is room.
    if rate < 0.8 * refusedRate {
      self.rate = min(1.5 * rate, 0.8 * refusedRate)
    } else {
      self.rate = rate * (1 + growth)
      growth = min(2 * growth, 0.25)
    }
  }

  private mutating func reduceWidth(_ code: String) {
    reason = "\(code) with \(width) at once"
    if refusedWidth != nil { patience = min(2 * patience, 64) }
    (refusedWidth, quietRounds) = (width, 0)
    width = max(1, width / 2)
  }

  private mutating func reduceRate(_ code: String, over seconds: Double) {
    let current = min(rate ?? .infinity, Double(round.count) / seconds)
    let accepted = seconds >= 1 ? Double(round.answered) / seconds : 0
    reason = "\(code) at \(Self.text(current)) per second"
    rate = max(current / 2, 0.9 * accepted, Self.lowestRate)
    (refusedRate, growth) = (current, Self.leastGrowth)
  }

  private static func text(_ number: Double) -> String {
    number < 10 ? "\((number * 10).rounded() / 10)" : "\(Int(min(number, 1e9).rounded()))"
  }
}
