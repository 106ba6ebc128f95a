import OpshSupport

/// Who may see the session, and who may steer it.
///
/// A secret in the address gives a browser a token, which it keeps in a cookie.
package struct AccessControl: Sendable {
  /// What a token allows.
  package enum Role: Sendable, Equatable {
    case steering
    case reading
  }

  /// What came of an exchange of a secret for a token.
  package enum Exchange: Sendable, Equatable {
    case granted(token: String, Role)
    case refused
    /// There were too many wrong secrets in this second.
    case tooMany
  }

  /// The secret for steering.
  package let steeringSecret: String = Self.randomText()
  /// The secret that can only read; nil where there is none.
  package let readingSecret: String?

  private var roles: [String: Role] = [:]
  /// The tokens of each role, the oldest first: those that read cannot displace those that steer.
  private var tokens: [Role: [String]] = [:]
  /// How many wrong secrets each address has sent in the present second.
  private var mistakes: [String: Int] = [:]
  private var second: UInt64 = 0

  /// More than the followers that there can be at once.
  private static let tokenLimit = 1000
  /// How many wrong secrets an address may send in a second.
  private static let mistakeLimit = 5

  /// Creates the secrets.
  package init(hasReaders: Bool) {
    readingSecret = hasReaders ? Self.randomText() : nil
  }

  /// 128 bits from the system's source of randomness, as hexadecimal digits.
  private static func randomText() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<2).map { _ in (source.next() as UInt64).padded(to: 16, radix: 16) }.joined()
  }

  /// Exchanges a secret for a token.
  package mutating func exchange(_ secret: String, from client: String, now: UInt64) -> Exchange {
    let present = now / 1_000_000_000
    if present != second { (second, mistakes) = (present, [:]) }
    guard mistakes[client, default: 0] < Self.mistakeLimit else { return .tooMany }
    // Both are compared, so that the time says nothing.
    let steers = Self.isEqual(secret, steeringSecret)
    let reads = readingSecret.map { Self.isEqual(secret, $0) } ?? false
    // There is no steering from another machine.
    guard steers && Self.isLocal(client) || reads else {
      mistakes[client, default: 0] += 1
      return .refused
    }
    let token = Self.randomText()
    let role = steers ? Role.steering : .reading
    roles[token] = role
    tokens[role, default: []].append(token)
    if let all = tokens[role], all.count > Self.tokenLimit {
      roles[all[0]] = nil
      tokens[role]?.removeFirst()
    }
    return .granted(token: token, role)
  }

  /// The role of a token; nil for one that was not given.
  package func role(of token: String) -> Role? { roles[token] }

  /// Whether an address is one of this machine that no other machine can have.
  package static func isLocal(_ client: String) -> Bool {
    client == "::1" || client.hasPrefix("127.") || client.hasPrefix("::ffff:127.")
  }

  /// Compares two texts in a time that depends on their lengths only.
  private static func isEqual(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    guard first.count == second.count else { return false }
    return zip(first, second).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
