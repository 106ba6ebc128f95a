/// An HTTP request, with limits on the time and size of the response.
///
/// ```swift
/// var request = try HTTPRequest(method: "GET", url: "https://api.example.com/2.3/info")
/// request.timeout = .seconds(10)
/// ```
public struct HTTPRequest: Sendable, Equatable {
  /// The method, a token; upper case by custom.
  public let method: String
  /// The address, checked and in its normal form.
  public var url: String { address.text }
  /// The scheme, the host and the port of the address, as in `http://127.0.0.1:8080`.
  public var origin: String { address.origin }
  /// The headers in addition to those that the transport sets itself.
  public var headers = HTTPHeaders()
  /// What to send; nil for a request without a body.
  public var body: RequestBody?
  /// Where the body comes from; nil if it is given as it is.
  public var bodyOrigin: BodyOrigin?
  /// Whether only the path was chosen for it, and the server is that of an endpoint.
  public var isOfEndpoint = false
  /// The time limit for everything, including waiting for a free connection and redirects.
  public var timeout: Duration?
  /// The limits and the credentials of each of its transfers.
  ///
  /// An operation adds its own options. Time limits and certificates that differ from the default
  /// count before those of the operation, credentials only if the operation has none.
  public var transfer: TransferOptions {
    _read { yield sharedTransfer.value }
    set { sharedTransfer.value = newValue }
  }

  var sharedTransfer: Shared<TransferOptions> = .standard
  let address: WebAddress
  /// The challenge that is answered with this request.
  var challenge: DigestChallenge?
  /// Whether a challenge was answered with this request or one before it.
  var hasAnswered = false

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: The method, such as `GET`.
  ///   - url: A complete address beginning with `http://` or `https://`.
  /// - Throws: `NetworkError.badURL`, `unsupportedProtocol`, or `badRequest` for the method.
  public init(method: String = "GET", url: String) throws(NetworkError) {
    try self.init(method: method, address: WebAddress(parsing: url))
  }

  init(method: String, address: WebAddress) throws(NetworkError) {
    // Nearly all requests use it.
    if method != "GET" { try Self.validate(method: method) }
    self.method = method
    self.address = address
  }

  private static func validate(method: String) throws(NetworkError) {
    guard HTTPHeaders.isToken(method), method.utf8.count <= 64 else {
      throw .badRequest("'\(printable(method))' is not a method")
    }
    // CONNECT and TRACE change what the bytes on the connection mean.
    guard !["CONNECT", "TRACE"].contains(method.uppercased()) else {
      throw .badRequest("the method \(method) cannot be used")
    }
  }

  /// Creates a GET request for an address that was checked before.
  init(get address: WebAddress) {
    method = "GET"
    self.address = address
  }

  /// Whether sending it twice has no additional effect.
  public var isSafe: Bool { Self.isSafe(method: method) }

  /// Whether sending a request of a method twice has no additional effect.
  public static func isSafe(method: String) -> Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

  /// The body that is sent: methods with a defined body send an empty one.
  var bodyToSend: RequestBody? {
    body ?? (["POST", "PUT", "PATCH"].contains(method) ? [] : nil)
  }

  /// The address with every secret in its query replaced by `***`.
  public var maskedURL: String { address.maskedText }

  /// Returns an address with every secret in its query replaced by `***`.
  ///
  /// - Parameter url: The address.
  /// - Returns: The address for display; empty if it is invalid.
  public static func masked(_ url: String) -> String {
    (try? WebAddress(parsing: url))?.maskedText ?? ""
  }

  /// Validates properties that may have been set after creation.
  func validate() throws(NetworkError) {
    try headers.validate()
    guard method != "HEAD" || body == nil else {
      throw .badRequest("a HEAD request has no body")
    }
  }

  /// The same request to another address, as a redirect requires.
  func redirected(
    to address: WebAddress, method: String, keepsBody: Bool
  ) throws(NetworkError) -> HTTPRequest {
    var copy = try HTTPRequest(method: method, address: address)
    copy.headers = headers
    copy.body = keepsBody ? body : nil
    copy.bodyOrigin = keepsBody ? bodyOrigin : nil
    copy.timeout = timeout
    copy.hasAnswered = hasAnswered
    if address.origin == self.address.origin {
      copy.isOfEndpoint = isOfEndpoint
      copy.sharedTransfer = sharedTransfer
      copy.challenge = challenge
    } else {
      copy.transfer = transfer.forOtherOrigin
    }
    return copy
  }
}
