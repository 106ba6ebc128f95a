/// Tells refusals that depend on the rate of requests from those that come by chance, at any rate.
///
/// A server that limits the rate has nothing to spare when it refuses. What it answers of the
/// attempts that start afterwards is therefore no more than its limit: that rate is *proven*. If
/// attempts that come clearly slower are still refused, one here and one there, the rate is not the
/// reason. Their share is known then, and only a far greater one makes the rate suspicious again.
struct ChanceRefusals: Sendable {
  /// What a refusal says about the rate.
  enum Verdict: Sendable {
    /// The rate may be the reason.
    case mayDepend
    /// The rate is clearly lower than the proven one; more refusals will tell.
    case unclear
    /// The rate is not the reason, as this refusal shows.
    case isFound
    /// The rate is not the reason, as was found before.
    case isKnown
  }

  /// The answers to attempts that started after a refusal.
  private struct Proof: Sendable {
    let start: ContinuousClock.Instant
    var answers = 0
    /// When the last of them started, in seconds after the refusal.
    var seconds = 0.0
  }

  /// What happened to attempts that came clearly slower than the proven rate.
  private struct Slow: Sendable {
    var answered = 0
    var refused = 0
    /// How many of those refused did not follow another one.
    var apart = 0
  }

  /// The share of attempts that are refused by chance; nil if no such share is known.
  private(set) var share: Double?
  private var proof: Proof?
  private var proven: (rate: Double, time: ContinuousClock.Instant)?
  private var slow = Slow()
  private var answersInTurn = Int.max

  private static let leastAnswers = 8
  private static let mostAnswers = 32
  /// What part of the proven rate is clearly slower.
  private static let slowness = 0.8
  private static let enoughApart = 2
  private static let enoughAttempts = 12
  private static let greatestShare = 0.4
  private static let leastShare = 0.02
  /// How long a proven rate counts.
  private static let memory: Duration = .seconds(30)

  /// Whether more refusals are waited for, so that the rate must stay.
  var isUnclear: Bool { slow.refused > 0 }

  /// Forgets what happened at the present rate.
  mutating func rateChanges() { slow = Slow() }

  /// Records an answer; the rate is nil if it is not limited.
  mutating func noteAnswer(to attempt: AdaptiveLimits.Attempt, rate: Double?) {
    if answersInTurn < .max { answersInTurn += 1 }
    // The server has stopped.
    if let share, Double(answersInTurn) > 10 / share { self.share = nil }
    if var proof, attempt.started >= proof.start {
      proof.answers += 1
      proof.seconds = max(proof.seconds, (attempt.started - proof.start) / .seconds(1))
      if proof.answers >= Self.leastAnswers { take(proof, at: attempt.ended) }
      self.proof = proof.answers < Self.mostAnswers ? proof : nil
    }
    if isSlow(rate, at: attempt.ended) { slow.answered += 1 }
  }

  /// Records a refusal; the rate is nil if it is not limited.
  ///
  /// - Parameters:
  ///   - attempt: The refused attempt.
  ///   - rate: The attempts per second.
  ///   - recentShare: The share of the last attempts that was refused.
  /// - Returns: What it says about the rate.
  mutating func noteRefusal(
    of attempt: AdaptiveLimits.Attempt, rate: Double?, recentShare: Double
  ) -> Verdict {
    let isApart = answersInTurn > 0
    answersInTurn = 0
    if proof.map({ $0.answers >= Self.leastAnswers }) ?? true {
      proof = Proof(start: attempt.ended)
    }
    if let share {
      if recentShare <= 2 * share + 0.1 { return .isKnown }
      (self.share, proven) = (nil, nil)
    }
    guard isSlow(rate, at: attempt.ended) else { return .mayDepend }
    slow.refused += 1
    if isApart { slow.apart += 1 }
    let attempts = slow.answered + slow.refused
    let refused = Double(slow.refused) / Double(attempts)
    if refused > Self.greatestShare {
      guard attempts >= Self.enoughAttempts else { return .unclear }
      proven = nil
      return .mayDepend
    }
    // A limit of so many requests in each minute refuses many in a row.
    guard slow.apart >= Self.enoughApart, 2 * slow.apart >= slow.refused else { return .unclear }
    share = max(refused, Self.leastShare)
    slow = Slow()
    return .isFound
  }

  private mutating func take(_ proof: Proof, at now: ContinuousClock.Instant) {
    guard proof.seconds > 0 else { return }
    let rate = Double(proof.answers - 1) / proof.seconds
    if let proven, proven.rate > rate, now - proven.time <= Self.memory { return }
    proven = (rate, now)
  }

  private func isSlow(_ rate: Double?, at now: ContinuousClock.Instant) -> Bool {
    guard let rate, let proven, now - proven.time < Self.memory else { return false }
    return rate <= Self.slowness * proven.rate
  }
}
