import Foundation
import OpshJSON
import OpshSupport

/// Answers the requests with which clients try out credentials and cookies.
struct TryOutAPI {
  /// The only user.
  static let user = "opsh"
  /// The user's password, and the token; everyone knows it, so it is never masked.
  static let secret = "practice"
  /// The realm of all challenges.
  private static let realm = "practice"
  /// How long a nonce is good, in seconds; then a client has to answer another one.
  private static let life: UInt64 = 300

  let request: PracticeRequest
  let seed: UInt64
  /// Nanoseconds since 1970.
  let wall: UInt64

  /// Answers the request.
  func answer(_ route: TryOutRoute) -> PracticeAnswer {
    switch route {
    case .basic: authenticated("basic", challenges: ["Basic realm=\"\(Self.realm)\""], isBasic)
    case .bearer: authenticated("bearer", challenges: ["Bearer realm=\"\(Self.realm)\""], isBearer)
    case .digest: digest()
    case .cookies:
      .json(
        JSONValue.object(cookies.map { .init(name: $0.0, value: .string($0.1)) }).bytes(),
        cacheControl: "no-store")
    case .setCookies: setCookies()
    }
  }

  private var credentials: AuthenticationField? {
    request.header("Authorization").flatMap { AuthenticationField.all(in: [$0]).first }
  }

  private func authenticated(
    _ scheme: String, challenges: [String], _ isRight: (AuthenticationField) -> Bool
  ) -> PracticeAnswer {
    if let credentials, credentials.scheme == scheme, isRight(credentials) {
      let json = JSONValue(["authenticated": true, "scheme": scheme, "user": Self.user])
      return .json(json.bytes(), cacheControl: "no-store")
    }
    let reason = credentials == nil ? "no credentials" : "wrong credentials"
    var answer = PracticeAnswer.json(
      status: 401, JSONValue(["error": reason]).bytes(), cacheControl: "no-store")
    answer.headers += challenges.map { .init(name: "WWW-Authenticate", value: $0) }
    return answer
  }

  private func isBasic(_ credentials: AuthenticationField) -> Bool {
    credentials.token == Data("\(Self.user):\(Self.secret)".utf8).base64EncodedString()
  }

  private func isBearer(_ credentials: AuthenticationField) -> Bool {
    credentials.token == Self.secret
  }

  // MARK: Digest

  private func digest() -> PracticeAnswer {
    let asked = request.parameters["algorithm"]
    // In the order of preference; a client takes the first that it knows.
    let algorithms = DigestAlgorithm.allCases.filter {
      asked == nil ? $0 == .sha256 || $0 == .md5 : $0 == DigestAlgorithm(named: asked)
    }
    let isStale = credentials.map { isRight($0) && !isFresh($0) } ?? false
    let (nonce, stale) = (nonce(of: wall / 1_000_000_000), isStale ? ", stale=true" : "")
    return authenticated(
      "digest",
      challenges: algorithms.map {
        "Digest realm=\"\(Self.realm)\", nonce=\"\(nonce)\", qop=\"auth\", "
          + "algorithm=\($0.rawValue)\(stale)"
      }
    ) { isRight($0) && isFresh($0) }
  }

  /// A nonce that shows when it was made, and that this server made it.
  private func nonce(of second: UInt64) -> String {
    let time = String(second, radix: 16)
    return time + "-" + DigestAlgorithm.sha256.hash("\(seed) \(time)").prefix(32)
  }

  private func isRight(_ credentials: AuthenticationField) -> Bool {
    let parameters = credentials.parameters
    guard let algorithm = DigestAlgorithm(named: parameters["algorithm"]),
      parameters["username"] == Self.user, parameters["realm"] == Self.realm,
      parameters["qop"] == "auth", let nonce = parameters["nonce"],
      let clientNonce = parameters["cnonce"], let count = parameters["nc"],
      let target = parameters["uri"],
      target == String(decoding: PracticeRequest.originForm(request.target), as: UTF8.self)
    else { return false }
    return parameters["response"]
      == algorithm.response(
        user: Self.user, password: Self.secret, realm: Self.realm,
        request: (request.method, target),
        nonces: .init(nonce: nonce, client: (clientNonce, count)))
  }

  private func isFresh(_ credentials: AuthenticationField) -> Bool {
    guard let nonce = credentials.parameters["nonce"],
      let second = nonce.split(separator: "-").first.flatMap({ UInt64($0, radix: 16) }),
      nonce == self.nonce(of: second)
    else { return false }
    let now = wall / 1_000_000_000
    return second <= now && now - second < Self.life
  }

  // MARK: Cookies

  private var cookies: [(String, String)] {
    (request.header("Cookie") ?? "").split(separator: ";").compactMap { pair in
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return sides.first.map { (String($0), sides.count == 2 ? String(sides[1]) : "") }
    }
  }

  /// Sets a cookie for each field, and sends the client on to where it sees them.
  private func setCookies() -> PracticeAnswer {
    var answer = PracticeAnswer.redirect(to: "/cookies")
    let life = request.parameters["max-age"].flatMap { Int($0) }
    for field in request.fields where field.name.lowercased() != "max-age" {
      // What ends a cookie, or a header, would be another one.
      let name = field.name.filter {
        $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
      }
      let value = field.value.filter { $0.isASCII && $0 > " " && $0 != ";" && $0 != "\u{7F}" }
      guard !name.isEmpty else { continue }
      answer.headers.append(
        .init(
          name: "Set-Cookie",
          value: "\(name)=\(value); Path=/" + (life.map { "; Max-Age=\($0)" } ?? "")))
    }
    return answer
  }
}
