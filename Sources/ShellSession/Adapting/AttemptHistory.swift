import Operations

/// What happened to the last attempts.
struct AttemptHistory: Sendable {
  /// What was under way when an attempt ended and when it began, that one included.
  struct End: Sendable {
    var inFlight = 1
    /// Nil if its beginning is unknown.
    var parallel: Int?
    /// Whether the attempt before it of the same request was refused.
    var isRepeated = false
  }

  private struct Entry: Sendable {
    var started: ContinuousClock.Instant
    var time: ContinuousClock.Instant
    var isAnswer: Bool
    var parallel: Int?
  }

  private var ends: [Entry] = []
  /// The attempts under way, with how many there were when each began.
  private var unfinished: [(request: Int, parallel: Int)] = []
  /// The requests that were refused last and may come again.
  private var refusedRequests: [Int] = []
  private var lastEvent: ContinuousClock.Instant?
  /// How many attempts ended at the time of the last event: the queue gives their slots afterwards.
  private var endsAtOnce = 0

  private static let length = 256
  private static let attemptWindow = 16
  private static let startWindow = 24
  private static let fewAttempts = 12
  private static let shareWindow = 32
  private static let mostRefusedRequests = 64
  private static let widthWindow = 64
  private static let refusalWindow = 24
  /// The time over which answers are counted: a burst that a server permits counts little in it.
  private static let answerWindow = 3.0

  /// Whether nothing happened for so long.
  func isIdle(for limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    guard unfinished.isEmpty, let lastEvent else { return false }
    return now - lastEvent >= limit
  }

  mutating func began(_ request: Int, at now: ContinuousClock.Instant) {
    unfinished.append((request, unfinished.count + 1))
    endsAtOnce = 0
    lastEvent = now
  }

  mutating func ended(_ attempt: AdaptiveLimits.Attempt) -> End {
    if let lastEvent, attempt.ended - lastEvent > VirtualClock.simultaneity { endsAtOnce = 0 }
    var end = End(inFlight: unfinished.count + endsAtOnce)
    endsAtOnce += 1
    if let index = unfinished.firstIndex(where: { $0.request == attempt.request }) {
      end.parallel = unfinished.remove(at: index).parallel
    }
    lastEvent = attempt.ended
    if let index = refusedRequests.lastIndex(of: attempt.request) {
      refusedRequests.remove(at: index)
      end.isRepeated = true
    }
    if attempt.result != .cancelled {
      if ends.count >= 2 * Self.length { ends.removeFirst(Self.length) }
      let isAnswer = attempt.result == .answered
      if !isAnswer {
        if refusedRequests.count >= Self.mostRefusedRequests { refusedRequests.removeFirst() }
        refusedRequests.append(attempt.request)
      }
      ends.append(
        Entry(
          started: attempt.started, time: attempt.ended, isAnswer: isAnswer,
          parallel: end.parallel))
    }
    return end
  }

  /// How many attempts were under way when one began that was answered: the most of late, apart
  /// from one, which may have been lucky.
  var mostAnswered: Int {
    var (most, second) = (0, 0)
    for entry in ends.suffix(Self.widthWindow) where entry.isAnswer {
      let parallel = entry.parallel ?? 0
      (most, second) = parallel > most ? (parallel, most) : (most, max(second, parallel))
    }
    return second
  }

  /// What share was refused of the last attempts beside which no more than `parallel` were under
  /// way; 0 if there are too few to say.
  func refusedShare(upTo parallel: Int) -> Double {
    let last = ends.suffix(Self.refusalWindow).filter { $0.parallel ?? .max <= parallel }
    guard last.count >= Self.refusalWindow / 2 else { return 0 }
    return Double(last.count { !$0.isAnswer }) / Double(last.count)
  }

  /// How many of the last few attempts were refused.
  var recentRefusals: Int { ends.suffix(Self.fewAttempts).count { !$0.isAnswer } }

  /// What share of the last attempts was refused; 0 if there are too few to say.
  var recentShare: Double {
    let last = ends.suffix(Self.shareWindow)
    guard last.count >= Self.shareWindow / 2 else { return 0 }
    return Double(last.count { !$0.isAnswer }) / Double(last.count)
  }

  /// How many attempts started per second, by the last ones that ended and those under way.
  func startsPerSecond(at now: ContinuousClock.Instant) -> Double {
    let last = ends.suffix(Self.startWindow)
    guard let first = last.lazy.map(\.started).min() else { return 0 }
    return Double(last.count + unfinished.count) / max((now - first) / .seconds(1), 1e-3)
  }

  /// How many attempts ended per second, by the last few.
  func attemptsPerSecond(at now: ContinuousClock.Instant) -> Double {
    let last = ends.suffix(Self.attemptWindow)
    guard last.count > 1, let first = last.first else { return 1000 }
    return Double(last.count - 1) / max((now - first.time) / .seconds(1), 1e-3)
  }

  /// How many attempts were answered per second since the first one started; a burst that the server
  /// permits counts in it.
  func answersPerSecondSoFar(at now: ContinuousClock.Instant) -> Double {
    let first = ends.lazy.map(\.started).min() ?? now
    return Double(ends.count { $0.isAnswer }) / max((now - first) / .seconds(1), 1e-3)
  }

  /// How many attempts were answered per second, over the last seconds; nil if it is too early to
  /// say.
  func answersPerSecond(at now: ContinuousClock.Instant) -> Double? {
    guard let first = ends.first, (now - first.time) / .seconds(1) >= Self.answerWindow * 0.6 else {
      return nil
    }
    let seconds = min((now - first.time) / .seconds(1), Self.answerWindow)
    let count = ends.reversed().prefix { (now - $0.time) / .seconds(1) <= seconds }
      .count { $0.isAnswer }
    return Double(count) / seconds
  }
}
