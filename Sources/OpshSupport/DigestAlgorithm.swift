/// A hash function of digest authentication, by its name in HTTP (RFC 7616, 3.4 and 6.1).
///
/// A client and a server compute the same: ``response(user:password:realm:request:challenge:)``.
package enum DigestAlgorithm: String, Sendable, CaseIterable {
  case sha256 = "SHA-256"
  case sha256Session = "SHA-256-sess"
  case md5 = "MD5"
  case md5Session = "MD5-sess"

  /// Finds the algorithm of a challenge; names ignore case, and without one it is MD5.
  package init?(named name: String?) {
    guard let name else {
      self = .md5
      return
    }
    let found = Self.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
    guard let found else { return nil }
    self = found
  }

  /// The part of a response that comes from a challenge and its client.
  package struct Nonces: Sendable {
    /// The server's `nonce`.
    package var nonce: String
    /// The client's `cnonce`, and how often it has used the `nonce`, as 8 hexadecimal digits; nil
    /// without `qop`, as before RFC 2617.
    package var client: (nonce: String, count: String)?

    /// Creates the part.
    package init(nonce: String, client: (nonce: String, count: String)?) {
      self.nonce = nonce
      self.client = client
    }
  }

  /// Returns the value of `response`.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - password: The password.
  ///   - realm: The realm of the challenge.
  ///   - request: The method and the target of the request line.
  ///   - nonces: The nonces.
  ///   - body: The body of the request, for `qop=auth-int`; nil for `qop=auth`.
  /// - Returns: The hash in hexadecimal digits.
  package func response(
    user: String, password: String, realm: String, request: (method: String, target: String),
    nonces: Nonces, body: [UInt8]? = nil
  ) -> String {
    var secret = hash("\(user):\(realm):\(password)")
    if self == .md5Session || self == .sha256Session {
      secret = hash("\(secret):\(nonces.nonce):\(nonces.client?.nonce ?? "")")
    }
    let sent = hash("\(request.method):\(request.target)" + (body.map { ":" + hash($0) } ?? ""))
    guard let client = nonces.client else { return hash("\(secret):\(nonces.nonce):\(sent)") }
    let quality = body == nil ? "auth" : "auth-int"
    return hash("\(secret):\(nonces.nonce):\(client.count):\(client.nonce):\(quality):\(sent)")
  }

  /// Returns the hash of a text in hexadecimal digits.
  package func hash(_ text: String) -> String { hash(Array(text.utf8)) }

  private func hash(_ bytes: [UInt8]) -> String {
    let hash: [UInt8] =
      switch self {
      case .md5, .md5Session: MD5.digest(of: bytes)
      case .sha256, .sha256Session: SHA256.digest(of: bytes)
      }
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
