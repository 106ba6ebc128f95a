import Locking

/// What the threads of a program and the server's own thread share.
final class ServerState: Sendable {
  private struct Content {
    var faults = Faults()
    var seed: UInt64
    /// How many API requests have been decided since the seed was set.
    var decided: UInt64 = 0
    var usedQuota = 0
    var usedQuotaWithKey = 0
    /// When the backoff of each route ends that has been asked to wait.
    var backoffEnds: [String: UInt64] = [:]
    var statistics = PracticeServer.Statistics()
  }

  private let content: Locked<Content>

  init(seed: UInt64) {
    content = Locked(Content(seed: seed))
  }

  var faults: Faults { content.withLock { $0.faults } }

  var seed: UInt64 { content.withLock { $0.seed } }

  var statistics: PracticeServer.Statistics { content.withLock { $0.statistics } }

  /// Puts new faults in place of the expected ones.
  ///
  /// - Returns: Whether the faults were still the expected ones.
  func exchangeFaults(_ expected: Faults, for faults: Faults) -> Bool {
    content.withLock { content in
      guard content.faults == expected else { return false }
      content.faults = faults
      return true
    }
  }

  func setFaults(_ faults: Faults) {
    content.withLock { $0.faults = faults }
  }

  /// Takes another seed and begins its sequence of decisions.
  func setSeed(_ seed: UInt64) {
    content.withLock { content in
      content.seed = seed
      content.decided = 0
    }
  }

  func reset() {
    content.withLock { $0 = Content(seed: 1) }
  }

  /// Counts a request and decides what goes wrong with it.
  ///
  /// - Parameters:
  ///   - route: The pattern that the request matched.
  ///   - isImitated: Whether faults apply to the route.
  /// - Returns: What is settled about the request from now on.
  func admit(route: String, isImitated: Bool) -> Admission {
    content.withLock { content in
      content.statistics.requests += 1
      content.statistics.routes[route, default: 0] += 1
      var decision = FaultDecision()
      if isImitated {
        decision = FaultDecision(
          faults: content.faults, seed: content.seed, number: content.decided)
        content.decided += 1
        switch decision.outcome {
        case .answer: break
        case .fail: content.statistics.failuresInjected += 1
        case .drop: content.statistics.dropsInjected += 1
        }
      }
      return Admission(
        decision: decision, seed: content.seed, backoff: content.faults.backoff,
        enforcesBackoff: content.faults.enforcesBackoff,
        enforcesQuota: content.faults.enforcesQuota)
    }
  }

  /// Takes one request from the day's quota.
  ///
  /// - Parameter hasKey: Whether the request named an application's key.
  /// - Returns: The quota; `wasExhausted` tells that nothing was left to take.
  func takeQuota(hasKey: Bool) -> Quota {
    content.withLock { content in
      let maximum = hasKey ? Quota.withKey : Quota.withoutKey
      let used = hasKey ? content.usedQuotaWithKey : content.usedQuota
      let nowUsed = min(used + 1, maximum)
      if hasKey { content.usedQuotaWithKey = nowUsed } else { content.usedQuota = nowUsed }
      return Quota(
        maximum: maximum, remaining: maximum - nowUsed, wasExhausted: used == maximum)
    }
  }

  /// Asks the clients of a route to keep away for some time.
  ///
  /// - Parameters:
  ///   - route: The pattern of the route.
  ///   - seconds: How long.
  ///   - now: The present time in nanoseconds.
  /// - Returns: Whether the client has kept the last backoff; if not, nothing is changed.
  func beginBackoff(route: String, seconds: Int, now: UInt64) -> Bool {
    content.withLock { content in
      if let end = content.backoffEnds[route], now < end { return false }
      content.backoffEnds[route] = now + Duration.seconds(seconds).boundedNanoseconds
      return true
    }
  }

  func countConnection() {
    content.withLock { $0.statistics.connections += 1 }
  }

  func countSent(bytes: Int) {
    content.withLock { $0.statistics.bytesSent += bytes }
  }
}

/// What was settled about a request on its arrival.
struct Admission: Sendable {
  var decision: FaultDecision
  var seed: UInt64
  var backoff: Int?
  var enforcesBackoff: Bool
  var enforcesQuota: Bool
}

/// How many requests a client may still make on this day.
struct Quota: Sendable {
  static let withoutKey = 300
  static let withKey = 10_000

  var maximum: Int
  var remaining: Int
  var wasExhausted: Bool
}
