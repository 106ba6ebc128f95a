import Foundation
import OpshSecrets
import OpshSupport

/// The credentials of a request: a user name with a password, or a token.
///
/// ```swift
/// var request = try HTTPRequest(url: "https://api.example.com/me")
/// request.transfer.authentication = HTTPAuthentication(.digest, user: "ada", secret: password)
/// ```
///
/// Basic (RFC 7617) and bearer (RFC 6750) credentials are sent with the request; digest credentials
/// (RFC 7616) answer the challenge of a server, once for each attempt. No other origin gets them.
public struct HTTPAuthentication: Sendable, Hashable {
  /// An authentication scheme.
  public enum Scheme: String, Sendable, CaseIterable {
    /// The name and the password, which anyone on the way can read without TLS.
    case basic
    /// A hash of the password and of what the server sent.
    case digest
    /// A token.
    case bearer
  }

  /// Where the secret was read.
  public enum Source: Sendable, Hashable {
    /// A variable of the environment.
    case environment(String)
    /// A file.
    case file(String)
  }

  /// The authentication scheme.
  public let scheme: Scheme
  /// The name of the user; empty with a token.
  public let user: String
  /// Where the secret was read; nil if the caller passed the secret.
  public let source: Source?
  let secret: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - scheme: The authentication scheme.
  ///   - user: The name of the user, without a colon; empty with a token.
  ///   - secret: The password or the token.
  ///   - source: Where the secret was read, for display.
  public init(_ scheme: Scheme, user: String = "", secret: String, source: Source? = nil) {
    self.scheme = scheme
    self.user = user
    self.secret = secret
    self.source = source
  }

  /// The value of `Authorization`; nil with digest, which needs a challenge.
  var unaskedField: String? {
    switch scheme {
    case .basic: "Basic " + Data("\(user):\(secret)".utf8).base64EncodedString()
    case .bearer: "Bearer \(secret)"
    case .digest: nil
    }
  }

  /// What a response with the status 401 offers, if these credentials fit none of it.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - request: Its request.
  /// - Returns: The schemes, those of digest with their parameters; nil if the credentials fit, or if
  ///   none is offered.
  func misfit(in head: HTTPResponseHead, for request: HTTPRequest) -> String? {
    let offers = AuthenticationField.all(in: head.headers.values(of: "WWW-Authenticate"))
    let fits =
      scheme == .digest
      ? DigestChallenge(in: head, for: request) != nil
      : offers.contains { $0.scheme == scheme.rawValue }
    guard !offers.isEmpty, !fits else { return nil }
    let texts = offers.map { offer in
      guard offer.scheme == Scheme.digest.rawValue else { return offer.scheme }
      let parameters = ["algorithm", "qop"].compactMap { name in
        offer.parameters[name].map { "\(name) \($0)" }
      }
      return ([offer.scheme] + parameters).joined(separator: " ")
    }
    return printable(texts.joined(separator: ", "))
  }

  /// The texts that must be masked in all output.
  var secrets: [String] {
    Credentials.written(secret)
      + (unaskedField.map { Credentials.texts(inHeader: $0, isCookie: false) } ?? [])
  }
}

/// A text without the secret.
extension HTTPAuthentication: CustomStringConvertible, CustomReflectable {
  /// The scheme, the user and where the secret was read.
  public var description: String {
    let owner = user.isEmpty ? "" : " as '\(user)'"
    return switch source {
    case .environment(let name): "\(scheme.rawValue)\(owner), secret of env:\(name)"
    case .file(let path): "\(scheme.rawValue)\(owner), secret of file:\(path)"
    case nil: scheme.rawValue + owner
    }
  }

  /// Has only the description, without the secret.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
