import OpshSupport

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
  /// The `qop` of the answer, which protects against replays; nil for a server that does not know it.
  private let quality: Quality?
  private let hashesUser: Bool
  private var count: UInt32 = 0

  private enum Quality: String {
    case auth
    /// The answer covers the body too.
    case integrity = "auth-int"
  }

  /// Finds the first challenge that can be answered, because the order is the server's preference.
  ///
  /// - Parameters:
  ///   - head: A response with the status 401.
  ///   - request: Its request.
  init?(in head: HTTPResponseHead, for request: HTTPRequest) {
    let challenges = AuthenticationField.all(in: head.headers.values(of: "WWW-Authenticate"))
    let body = request.body ?? []
    let found = challenges.lazy.compactMap { DigestChallenge($0, for: body) }.first
    guard let found else { return nil }
    self = found
  }

  private init?(_ challenge: AuthenticationField, for body: RequestBody) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let nonce = parameters["nonce"],
      let algorithm = DigestAlgorithm(named: parameters["algorithm"])
    else { return nil }
    if let qualities = parameters["qop"] {
      let names = qualities.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
      // As curl, `auth` where the server takes both. A file that is read while it is sent is not
      // read twice: hashing it would delay all other transfers.
      let known = [Quality.auth] + (body.heldBytes == nil ? [] : [.integrity])
      guard let quality = known.first(where: { names.contains($0.rawValue) }) else { return nil }
      self.quality = quality
    } else {
      quality = nil
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
      nonces: .init(nonce: nonce, client: quality == nil ? nil : client),
      body: quality == .integrity ? request.body?.heldBytes ?? [] : nil)
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
    if let quality {
      parts += ["qop=\(quality.rawValue)", "nc=\(client.count)"]
      add("cnonce", client.nonce)
    }
    if hashesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }
}
