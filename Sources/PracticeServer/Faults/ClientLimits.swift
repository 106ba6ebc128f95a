/// What clients of Stack Exchange may not do for a time.
struct ClientLimits: Sendable {
  private struct Client {
    var windowStart: UInt64 = 0
    var requests = 0
    var refusedUntil: UInt64 = 0
  }

  private struct Method: Hashable {
    var client: UInt32
    var pattern: String
  }

  private var clients: [UInt32: Client] = [:]
  private struct Backoff {
    var start: UInt64
    var end: UInt64
  }

  /// For this long after a backoff, requests arrive that the client sent before it received it.
  private static let inFlight: UInt64 = 3_000_000

  private var backoffs: [Method: Backoff] = [:]
  /// The limit of remembered clients, so that many addresses cannot fill the memory.
  private static let keptClients = 1_000

  /// Counts a request; returns for how many seconds it is refused, nil if it is not.
  mutating func throttle(
    client address: UInt32, by rule: FaultDecision.Rules.Throttle, now: UInt64
  ) -> Int? {
    if clients.count >= Self.keptClients { clients.removeAll() }
    var client = clients[address, default: Client()]
    defer { clients[address] = client }
    if now < client.refusedUntil {
      return Int((client.refusedUntil - now + 999_999_999) / 1_000_000_000)
    }
    if now - client.windowStart >= 1_000_000_000 {
      client.windowStart = now
      client.requests = 0
    }
    client.requests += 1
    guard client.requests > rule.requestsPerSecond else { return nil }
    client.refusedUntil = now + Duration.seconds(rule.seconds).boundedNanoseconds
    client.requests = 0
    return rule.seconds
  }

  /// Whether a client comes back to a method before the backoff that it was asked for is over.
  ///
  /// Requests that the client sent before it could receive the backoff do not count.
  func ignoresBackoff(client: UInt32, pattern: String, arrival: UInt64) -> Bool {
    guard let backoff = backoffs[Method(client: client, pattern: pattern)] else { return false }
    return arrival >= backoff.start + Self.inFlight && arrival < backoff.end
  }

  /// Starts a client's backoff from a method, unless one is active already.
  mutating func beginBackoff(client: UInt32, pattern: String, seconds: Int, now: UInt64) {
    if backoffs.count >= Self.keptClients { backoffs.removeAll() }
    let method = Method(client: client, pattern: pattern)
    if let backoff = backoffs[method], now < backoff.end { return }
    backoffs[method] = Backoff(
      start: now, end: now + Duration.seconds(seconds).boundedNanoseconds)
  }
}
