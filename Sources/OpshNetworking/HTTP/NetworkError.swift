public import Operations

/// The error of a request; every case has a stable code.
public enum NetworkError: CodedError, Sendable, Equatable {
  /// The response was a success but had no body although one is required.
  case missingData
  /// The body could not be decoded; the text says where and why.
  case serialization(String)
  /// The status is outside 200…299.
  case invalidStatusCode(Int)
  /// The status is 401, and the server offers other schemes than that of the credentials; the text
  /// lists them.
  case unfitCredentials(HTTPAuthentication.Scheme, offered: String)
  /// The request was cancelled.
  case cancelled
  /// A time limit was exceeded.
  case timedOut(RequestTimeout)
  /// No server accepts connections at the address.
  case connectionRefused(UnreachedServer)
  /// The network has no way to the server.
  case hostUnreachable(UnreachedServer)
  /// The name of the host could not be resolved.
  case hostNotFound(UnreachedServer)
  /// The connection ended before the response was complete.
  case connectionLost
  /// The TLS connection could not be established.
  case tls(TLSFailure)
  /// A part of the response is longer than so many bytes, which is its limit.
  case tooLarge(ResponsePart, limit: Int)
  /// The response violates HTTP or its content encoding; the text says how.
  case badResponse(String)
  /// The body has this content encoding, which can't be decoded.
  case unknownEncoding(String)
  /// There were too many redirects.
  case tooManyRedirects
  /// A redirect leads to an address with a user name or password.
  case redirectToUser
  /// A redirect leads to an address with another protocol than HTTP and HTTPS.
  case redirectToProtocol(String)
  /// The address is invalid; the text says why.
  case badURL(String)
  /// The address holds a user name or a password.
  case userInURL
  /// The address names a protocol other than HTTP and HTTPS.
  case unsupportedProtocol(String)
  /// The method or a header is not permitted; the text says why.
  case badRequest(String)
  /// The service answered with an error of its own.
  case api(id: Int, name: String, message: String)
  /// The proxy failed, not the server.
  indirect case proxy(String, NetworkError)
  /// A file whose content is sent is gone, has changed, or can't be read.
  case file(FileError)
  /// The library for transfers cannot be used; the text says why.
  case transportUnavailable(String)
}

/// A server that could not be reached.
public struct UnreachedServer: Sendable, Equatable {
  /// Its host and port, such as `localhost:8080`.
  public let place: String
  /// Whether the request named only a path, and an endpoint the server.
  public let isOfEndpoint: Bool

  /// Creates it from both.
  public init(at place: String, isOfEndpoint: Bool = false) {
    (self.place, self.isOfEndpoint) = (place, isOfEndpoint)
  }
}

/// A part of a response that has a limit of its own.
public enum ResponsePart: Sendable {
  /// All header lines together; ``HTTPResponseHead/maximumSize``.
  case headers
  /// One header line; ``HTTPResponseHead/longestLine``.
  case headerLine
  /// The body; ``HTTPRequest/maximumBodySize``.
  case body

  /// That it is too large, as the beginning of a sentence.
  fileprivate var tooLarge: String {
    switch self {
    case .headers: "all headers of the response together exceed"
    case .headerLine: "a header of the response exceeds"
    case .body: "the body of the response exceeds"
    }
  }
}

extension NetworkError {
  /// The stable code by which scripts and programs distinguish errors.
  public var code: String {
    switch self {
    case .missingData: "missing-data"
    case .serialization: "serialization"
    case .invalidStatusCode(let status): "invalid-status-code(\(status))"
    case .unfitCredentials: "invalid-status-code(401)"
    case .cancelled: "cancelled"
    case .timedOut: "timed-out"
    case .connectionRefused: "connection-refused"
    case .hostUnreachable: "host-unreachable"
    case .hostNotFound: "host-not-found"
    case .connectionLost: "connection-lost"
    case .tls: "tls"
    case .tooLarge: "too-large"
    case .badResponse, .unknownEncoding, .redirectToUser: "bad-response"
    case .tooManyRedirects: "too-many-redirects"
    case .badURL, .userInURL: "bad-url"
    case .unsupportedProtocol, .redirectToProtocol: "unsupported-protocol"
    case .badRequest: "bad-request"
    case .api(let id, let name, let message): "api(\(id), \(name), \(message))"
    case .proxy(_, let error): error.code
    case .file(let error): error.code
    case .transportUnavailable: "transport-unavailable"
    }
  }

  /// Whether the code contains all information of the message, so that one of them is enough.
  public var isToldByCode: Bool {
    if case .api = self { true } else { false }
  }

  /// The name of the page that explains it: some codes have several causes.
  public var topic: String {
    switch self {
    case .tls(let failure): failure.topic
    case .tooLarge(.body, _): "body-too-large"
    case .tooLarge: "headers-too-large"
    case .proxy(_, .tls(let failure)): failure.topic
    case .proxy(_, .invalidStatusCode(407)): "proxy-credentials"
    case .proxy: "proxy-failed"
    case .invalidStatusCode(401): "unauthorized"
    case .unfitCredentials: "unfit-credentials"
    case .unknownEncoding: "unknown-encoding"
    case .redirectToUser: "user-in-redirect"
    case .redirectToProtocol: "protocol-in-redirect"
    case .userInURL: "user-in-url"
    case .connectionRefused(let server) where server.isOfEndpoint: "service-unreachable"
    case .hostUnreachable(let server) where server.isOfEndpoint: "service-unreachable"
    case .hostNotFound(let server) where server.isOfEndpoint: "service-unreachable"
    default: code
    }
  }

  private static func message(of error: NetworkError, at proxy: String) -> String {
    switch error {
    case .connectionRefused: "the proxy '\(proxy)' does not accept connections"
    case .hostUnreachable: "the network has no way to the proxy '\(proxy)'"
    case .hostNotFound: "the name of the proxy '\(proxy)' could not be resolved"
    case .invalidStatusCode(407):
      "the proxy '\(proxy)' answered with status 407: it asks for a name and a password"
    case .invalidStatusCode(let status):
      "the proxy '\(proxy)' answered with status \(status) and connects to no server"
    case .unsupportedProtocol(let scheme):
      "the proxy '\(proxy)' has the protocol '\(scheme)', which is not one of a proxy"
    default: "\(error.message) (asked through the proxy '\(proxy)')"
    }
  }

  /// One sentence about the error, without a full stop.
  public var message: String {
    switch self {
    case .missingData: "the response has no body"
    case .serialization(let why): "the body could not be decoded: \(why)"
    case .invalidStatusCode(let status): "the server answered with status \(status)"
    case .unfitCredentials(let scheme, let offered):
      "the server answered with status 401: it offers \(offered), and \(scheme.rawValue) credentials "
        + "do not fit"
    case .cancelled: "the request was cancelled"
    case .timedOut(let timeout): timeout.message
    case .connectionRefused(let server):
      "the server at '\(server.place)' does not accept connections"
    case .hostUnreachable(let server):
      "the network has no way to the server at '\(server.place)'"
    case .hostNotFound(let server):
      "the name of the server at '\(server.place)' could not be resolved"
    case .connectionLost: "the connection ended before the response was complete"
    case .tls(let failure): failure.message
    case .tooLarge(let part, let limit):
      "\(part.tooLarge) the limit of \(ByteCount(limit).description)"
    case .badResponse(let why): "the response is broken: \(why)"
    case .unknownEncoding(let name):
      "the body has the encoding '\(name)', which can't be decoded: only gzip or deflate alone can"
    case .redirectToUser:
      "it redirects to an address with a user name in it, and such addresses are not followed"
    case .tooManyRedirects: "the server redirected more than \(Redirect.limit) times"
    case .badURL(let why): why
    // The address is not shown: it may hold a password.
    case .userInURL: "an address must not hold a user name or password"
    case .unsupportedProtocol(let scheme):
      "'\(scheme)' is not supported, an address begins with http:// or https://"
    case .redirectToProtocol(let scheme):
      "it redirects to an address with the protocol '\(scheme)', which is not followed"
    case .badRequest(let why): why
    case .api(let id, let name, let message): "the service says \(message) (\(id), \(name))"
    case .proxy(let proxy, let error): Self.message(of: error, at: proxy)
    case .file(let error): error.message
    case .transportUnavailable(let why): why
    }
  }
}
