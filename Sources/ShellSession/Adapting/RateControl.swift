/// How the rate of starts grows after it was lowered.
struct RateControl: Sendable {
  /// When the rate was last lowered.
  private(set) var lastCut: ContinuousClock.Instant?
  private var refused = 0.0
  private var growth = Self.leastGrowth
  private var roundStart: ContinuousClock.Instant?
  private var answered = 0

  private static let leastGrowth = 0.025
  private static let greatestGrowth = 0.25

  /// Whether a refusal may lower the rate again: attempts that started before, or at about the time
  /// of, the last change say nothing about the present rate.
  func mayCut(after attempt: AdaptiveLimits.Attempt, rate: Double?) -> Bool {
    guard let lastCut, let rate else { return true }
    return attempt.started >= lastCut + .seconds(2 / rate)
  }

  /// Records that the server refused a rate.
  mutating func cut(at time: ContinuousClock.Instant, refused rate: Double) {
    lastCut = time
    refused = rate
    growth = Self.leastGrowth
    roundStart = nil
    answered = 0
  }

  /// Counts an answer; returns the answers per second at the end of a round.
  mutating func endRound(after attempt: AdaptiveLimits.Attempt) -> Double? {
    guard let lastCut, attempt.started >= lastCut else { return nil }
    guard let start = roundStart else {
      roundStart = attempt.ended
      return nil
    }
    answered += 1
    let seconds = (attempt.ended - start) / .seconds(1)
    guard answered >= 5, seconds >= 1 else { return nil }
    defer {
      roundStart = attempt.ended
      answered = 0
    }
    return Double(answered) / seconds
  }

  /// Returns the rate that follows on one without refusals.
  mutating func raise(_ rate: Double) -> Double {
    // Far below the rate that was refused there is room.
    if rate < 0.8 * refused { return min(1.5 * rate, 0.8 * refused) }
    defer { growth = min(2 * growth, Self.greatestGrowth) }
    return rate * (1 + growth)
  }
}
