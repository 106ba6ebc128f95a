import Support

/// The challenge of a server that asks for digest credentials (RFC 7616, 3.3), and how often it was
/// answered.
///
/// Not libcurl's: its answer would differ from that of the transport without sockets, it sends a POST
/// without its body first, and it answers a server that calls each answer stale for ever.
struct DigestChallenge: Sendable, Equatable {
  private let algorithm: DigestAlgorithm
  private let realm: String
  private let nonce: String
  private let opaque: String?
  /// Whether the server knows `qop`, which protects against replays.
  private let hasQuality: Bool
  private let hashesUser: Bool
  private var count: UInt32 = 0

  /// Finds the first challenge that can be answered, because the order is the server's preference.
  ///
  /// - Parameter head: A response with the status 401.
  init?(in head: HTTPResponseHead) {
    let challenges = AuthenticationField.all(in: head.headers.values(of: "WWW-Authenticate"))
    guard let found = challenges.lazy.compactMap(DigestChallenge.init(_:)).first else { return nil }
    self = found
  }

  private init?(_ challenge: AuthenticationField) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let nonce = parameters["nonce"],
      let algorithm = DigestAlgorithm(named: parameters["algorithm"])
    else { return nil }
    if let qualities = parameters["qop"] {
      // `auth-int` alone, which also covers the body, is not known.
      let names = qualities.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
      guard names.contains("auth") else { return nil }
      hasQuality = true
    } else {
      hasQuality = false
    }
    self.algorithm = algorithm
    self.nonce = nonce
    realm = parameters["realm"] ?? ""
    opaque = parameters["opaque"]
    hashesUser = parameters["userhash"]?.lowercased() == "true"
  }

  /// Returns the value of `Authorization`, another one each time.
  mutating func answer(
    as authentication: HTTPAuthentication, for request: HTTPRequest
  ) -> String {
    count += 1
    let target = request.address.target
    let client = (
      nonce: String(UInt64.random(in: .min ... .max), radix: 16),
      count: count.padded(to: 8, radix: 16)
    )
    let response = algorithm.response(
      user: authentication.user, password: authentication.secret, realm: realm,
      request: (request.method, target),
      nonces: .init(nonce: nonce, client: hasQuality ? client : nil))
    var parts: [String] = []
    func add(_ name: String, _ value: String) {
      parts.append("\(name)=\(AuthenticationField.quoted(value))")
    }
    add(
      "username",
      hashesUser ? algorithm.hash("\(authentication.user):\(realm)") : authentication.user)
    add("realm", realm)
    add("nonce", nonce)
    add("uri", target)
    add("response", response)
    if let opaque { add("opaque", opaque) }
    parts.append("algorithm=\(algorithm.rawValue)")
    if hasQuality {
      parts += ["qop=auth", "nc=\(client.count)"]
      add("cnonce", client.nonce)
    }
    if hashesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }
}
