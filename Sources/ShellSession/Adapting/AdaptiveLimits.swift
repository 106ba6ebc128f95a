/// Finds how many requests a queue should send at once, and how fast it should start them.
///
/// It has no clock and no queue: it receives the beginning and the end of every attempt, those that
/// are retried included, and holds the resulting limits.
///
/// - The *width* starts as TCP does (slow start, RFC 5681): it doubles while that raises the
///   throughput in requests per second. If it does not, the width before is kept, and a larger one
///   is tried again later and later. Refusals (503, a refused or lost connection, a timeout) while
///   more attempts are under way than were answered before halve it, but not below the number that
///   was answered; then it grows by one per round up to the width below the refused one.
/// - The *rate* of starts has no limit until a server answers several times that requests come too
///   fast (429), or refuses many although no more are under way than it answered before. Then each
///   such answer halves it, but not below nine tenths of what the server accepted during the last
///   seconds. Without one the rate grows, slowly at first. If answers to requests that come clearly
///   slower are no better, they come by chance, and the limit is removed (``ChanceRefusals``).
///
/// The throughput of a width is that width divided by the mean time of the attempts that started
/// under it (Little's law), so that few attempts suffice.
struct AdaptiveLimits: Sendable {
  /// The limit of the transport.
  static let greatestWidth = 16
  /// The width of the start, unless the queue has a larger one.
  static let startWidth = 6
  /// The time without requests after which what is known about the network is forgotten.
  static let idleLimit: Duration = .seconds(60)
  /// The lowest rate, in starts per second.
  static let lowestRate = 0.5

  /// The end of one attempt.
  struct Attempt: Sendable {
    /// The number of the operation.
    var request: Int
    var started: ContinuousClock.Instant
    var ended: ContinuousClock.Instant
    var result: Result
  }

  /// What the end of an attempt says about the network.
  enum Result: Sendable, Equatable {
    /// The server answered, whatever its answer was.
    case answered
    /// The server or the network could not serve the attempt: the code of the error, and whether it
    /// was an answer of the server.
    case refused(String, isStatus: Bool)
    /// The server said that requests come too fast; with the code of the error.
    case tooFast(String)
    /// The client ended the attempt, which says nothing.
    case cancelled
  }

  private enum Phase: Sendable {
    /// The width doubles while the throughput rises.
    case slowStart
    /// After a refusal the width grows by one per round, up to the ceiling.
    case growing
    case steady
    /// A larger width than that of the baseline is tried.
    case probing
  }

  /// The attempts that started under the present width.
  private struct Round: Sendable {
    var start: ContinuousClock.Instant?
    var answered = 0
    var refused = 0
    /// How many ended while the queue had free slots, so that the width was not the limit.
    var unfilled = 0
    var seconds = 0.0
  }

  /// The throughput of a width, in answers per second.
  fileprivate struct Throughput: Sendable {
    var width: Int
    var perSecond: Double
  }

  private(set) var width: Int
  /// The most starts per second; nil for no limit.
  private(set) var rate: Double?
  /// Why the limits are as they are, in words.
  private(set) var reason = "nothing has been measured yet"
  /// Whether the rate may be limited; otherwise a rate that is too high counts as a refusal.
  var limitsRate = true {
    didSet { if !limitsRate { rate = nil } }
  }

  private let startWidth: Int
  private var phase = Phase.slowStart
  private var round = Round()
  private var baseline: Throughput?
  /// The largest width that is known not to be refused; nil if unknown.
  private var ceiling: Int?
  private var quietRounds = 0
  private var patience = Self.leastPatience
  private var last = AttemptHistory.End()
  private var history = AttemptHistory()
  private var rateControl = RateControl()
  private var chance = ChanceRefusals()

  /// How many of the last attempts must have been refused before the rate is limited.
  private static let leastRefusals = 3
  private static let leastPatience = 4
  private static let mostPatience = 64

  /// Creates limits for a queue.
  ///
  /// - Parameter width: The present width of the queue, negative for unlimited.
  init(width: Int) {
    startWidth = width < 0 ? Self.startWidth : min(max(width, Self.startWidth), Self.greatestWidth)
    self.width = startWidth
  }

  /// The shortest time between two starts, a multiple of 10 µs; zero for no limit.
  var pace: Duration {
    rate.map { .microseconds(max(1, Int((1e5 / $0).rounded())) * 10) } ?? .zero
  }

  /// Records the beginning of an attempt; returns whether the limits changed, because the queue was
  /// idle for long.
  mutating func attemptBegan(of request: Int, at now: ContinuousClock.Instant) -> Bool {
    defer { history.began(request, at: now) }
    guard history.isIdle(for: Self.idleLimit, at: now) else { return false }
    let (oldWidth, oldRate) = (width, rate)
    let limitsRate = limitsRate
    self = AdaptiveLimits(width: startWidth)
    self.limitsRate = limitsRate
    guard width != oldWidth || oldRate != nil else { return false }
    reason = "the queue was idle for long, and starts again"
    return true
  }

  /// Records the end of an attempt; returns whether the limits changed.
  mutating func attemptEnded(_ attempt: Attempt) -> Bool {
    last = history.ended(attempt)
    let (oldWidth, oldRate) = (width, rate)
    switch attempt.result {
    case .cancelled: break
    case .answered:
      count(attempt)
      chance.noteAnswer(to: attempt, rate: rateWithRetries(at: attempt.ended))
      raiseRate(after: attempt)
    case .refused(let code, let isStatus): handleRefusal(attempt, code, isStatus: isStatus)
    case .tooFast(let code):
      if limitsRate {
        lowerRate(after: attempt, code)
      } else {
        handleRefusal(attempt, code, isStatus: true)
      }
    }
    return width != oldWidth || rate != oldRate
  }

  // MARK: Width

  private mutating func count(_ attempt: Attempt) {
    if round.start == nil { round.start = attempt.started }
    guard let start = round.start, attempt.started >= start else { return }
    round.answered += 1
    round.seconds += (attempt.ended - attempt.started) / .seconds(1)
    if 4 * last.inFlight < 3 * width { round.unfilled += 1 }
    switch phase {
    case .slowStart, .growing: guard round.answered >= width else { return }
    case .steady, .probing: guard round.answered >= max(2 * width, 8) else { return }
    }
    endRound(at: attempt.ended)
  }

  private mutating func endRound(at end: ContinuousClock.Instant) {
    // A refusal may be chance: more answers tell.
    if phase != .steady, round.refused > 0, round.answered < 10 * round.refused { return }
    // With free slots the width was not the limit.
    guard round.unfilled * 4 <= round.answered else {
      // Unless operations that wait for their next attempt hold slots.
      guard let share = chance.share, width < Self.greatestWidth else {
        return beginRound(at: end)
      }
      return change(
        to: width + max(1, width / 4), "\(Int(share * 100)) % are refused, and retries hold slots",
        at: end)
    }
    let now = Throughput(
      width: width, perSecond: Double(width) / max(round.seconds / Double(round.answered), 1e-6))
    // The rate is the limit then.
    if rate != nil { return beginRound(at: end) }
    switch phase {
    case .slowStart: continueSlowStart(now, at: end)
    case .growing:
      baseline = now
      if width < ceiling ?? Self.greatestWidth {
        change(to: width + 1, "no refusals at width \(width)", at: end)
      } else {
        settle(now, "no refusals at width \(width), and more were refused", at: end)
      }
    case .steady:
      baseline = now
      quietRounds += 1
      guard quietRounds >= patience, width < Self.greatestWidth else { return beginRound(at: end) }
      phase = .probing
      patience = min(2 * patience, Self.mostPatience)
      change(to: width + max(1, width / 4), "\(now.text) for a while; more are tried", at: end)
    case .probing: judgeProbe(now, at: end)
    }
  }

  private mutating func continueSlowStart(
    _ now: Throughput, at end: ContinuousClock.Instant
  ) {
    if let baseline, !now.rises(from: baseline, by: 0.25) {
      // A few slow answers are no proof.
      guard round.answered >= 3 * width else { return }
      return fallBack(to: baseline, from: now, at: end)
    }
    let comparison = baseline.map { "\(now.text) instead of \($0.text)" } ?? now.text
    guard width < Self.greatestWidth else {
      return settle(now, comparison + ", and the width is at its limit", at: end)
    }
    baseline = now
    change(to: 2 * width, comparison + "; more may bring more", at: end)
  }

  private mutating func judgeProbe(_ now: Throughput, at end: ContinuousClock.Instant) {
    guard let baseline else { return settle(now, now.text, at: end) }
    guard now.rises(from: baseline, by: 0.5) else {
      guard round.answered >= 3 * width else { return }
      return fallBack(to: baseline, from: now, at: end)
    }
    ceiling = nil
    patience = Self.leastPatience
    let comparison = "\(now.text) instead of \(baseline.text)"
    guard width < Self.greatestWidth else {
      return settle(now, comparison + ", and the width is at its limit", at: end)
    }
    self.baseline = now
    change(to: width + max(1, width / 4), comparison + "; more may bring more", at: end)
  }

  private mutating func fallBack(
    to baseline: Throughput, from now: Throughput, at end: ContinuousClock.Instant
  ) {
    phase = .steady
    quietRounds = 0
    change(to: baseline.width, "\(now.text) is not much more than \(baseline.text)", at: end)
  }

  private mutating func settle(
    _ now: Throughput, _ reason: String, at end: ContinuousClock.Instant
  ) {
    phase = .steady
    quietRounds = 0
    baseline = now
    self.reason = reason
    beginRound(at: end)
  }

  private mutating func handleRefusal(
    _ attempt: Attempt, _ code: String, isStatus: Bool
  ) {
    let answered = history.mostAnswered
    guard let parallel = last.parallel, parallel > answered else {
      // As many were answered, so the width is hardly the reason, unless it is overload.
      let share = history.refusedShare(upTo: answered)
      guard share >= 0.4 else { return }
      if isStatus, limitsRate { return lowerRate(after: attempt, code) }
      guard width > 1, attempt.started >= round.start ?? attempt.started else { return }
      return retreat(
        to: width / 2, ceiling: width - 1, "\(code) for \(Int(share * 100)) % of the attempts",
        at: attempt.ended)
    }
    if round.start == nil { round.start = attempt.started }
    guard let start = round.start, attempt.started >= start, parallel <= width else { return }
    round.refused += 1
    // A single one may be chance.
    guard round.refused >= 2 else { return }
    let reason = "\(code) with \(parallel) at once"
    if let baseline, phase == .growing || phase == .probing, baseline.width < width {
      ceiling = max(1, parallel - 1)
      phase = .steady
      quietRounds = 0
      return change(to: baseline.width, reason, at: attempt.ended)
    }
    retreat(
      to: max(width / 2, min(answered, width - 1)), ceiling: parallel - 1, reason,
      at: attempt.ended)
  }

  private mutating func retreat(
    to new: Int, ceiling: Int, _ reason: String, at time: ContinuousClock.Instant
  ) {
    self.ceiling = max(1, ceiling)
    phase = .growing
    baseline = nil
    quietRounds = 0
    change(to: new, reason, at: time)
  }

  private mutating func change(
    to new: Int, _ reason: String, at time: ContinuousClock.Instant
  ) {
    width = min(max(new, 1), Self.greatestWidth)
    self.reason = reason
    beginRound(at: time)
  }

  private mutating func beginRound(at time: ContinuousClock.Instant) {
    round = Round(start: time)
  }

  // MARK: Rate

  private mutating func lowerRate(after attempt: Attempt, _ code: String) {
    switch chance.noteRefusal(
      of: attempt, rate: rateWithRetries(at: attempt.ended), recentShare: history.recentShare)
    {
    case .mayDepend: break
    case .unclear, .isKnown: return
    case .isFound:
      rate = nil
      phase = .slowStart
      baseline = nil
      reason = "\(code) at any rate"
      return beginRound(at: attempt.ended)
    }
    guard rateControl.mayCut(after: attempt, rate: rate) else { return }
    if rate == nil {
      // A few may be chance.
      guard history.recentRefusals >= Self.leastRefusals else { return }
    } else if last.isRepeated, history.answersPerSecond(at: attempt.ended) == nil {
      // Those that were refused at the start come again together, at whatever rate others start.
      return
    }
    chance.rateChanges()
    let current = min(rate ?? .infinity, history.attemptsPerSecond(at: attempt.ended))
    var new = current / 2
    if let accepted = history.answersPerSecond(at: attempt.ended) {
      new = max(new, min(0.9 * accepted, 0.95 * current))
    } else {
      new = min(new, history.answersPerSecondSoFar(at: attempt.ended))
    }
    new = max(new, Self.lowestRate)
    rateControl.cut(at: attempt.ended, refused: current)
    rate = new
    if phase != .steady {
      phase = .steady
      quietRounds = 0
      beginRound(at: attempt.ended)
    }
    reason = "\(code) at \(Self.text(current)) per second"
  }

  /// The rate of starts and retries, if starts are limited.
  private func rateWithRetries(at now: ContinuousClock.Instant) -> Double? {
    rate.map { max($0, history.startsPerSecond(at: now)) }
  }

  private mutating func raiseRate(after attempt: Attempt) {
    guard let rate, let achieved = rateControl.endRound(after: attempt), !chance.isUnclear
    else { return }
    if achieved < 0.8 * rate {
      // Operations that wait for their next attempt hold slots, and their width is no danger.
      guard width < Self.greatestWidth else { return }
      return change(
        to: width + 1, "\(Self.text(achieved)) answers/s, and the pace permits more",
        at: attempt.ended)
    }
    self.rate = rateControl.raise(rate)
    reason = "no refusals at \(Self.text(rate)) per second"
  }

  /// A number of a rate in a reason.
  fileprivate static func text(_ number: Double) -> String {
    number < 10
      ? "\((min(number, 1e9) * 10).rounded() / 10)" : "\(Int(min(number, 1e9).rounded()))"
  }
}

extension AdaptiveLimits.Throughput {
  /// Whether it is larger by a share of what the larger width could bring at best.
  fileprivate func rises(from baseline: Self, by share: Double) -> Bool {
    let best = Double(width) / Double(baseline.width) - 1
    return perSecond >= baseline.perSecond * (1 + share * best)
  }

  fileprivate var text: String { "\(AdaptiveLimits.text(perSecond)) answers/s with \(width)" }
}
