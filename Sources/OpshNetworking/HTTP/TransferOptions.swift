/// The limits and the credentials of the transfers of a request.
public struct TransferOptions: Sendable, Equatable {
  /// The time limit for looking up the host and connecting to it.
  public var connectTimeout: Duration? = .seconds(30)
  /// The time limit without a single byte in either direction.
  public var idleTimeout: Duration? = .seconds(60)
  /// The greatest length of the body, on the wire and expanded.
  public var maximumBodySize: Int = TransferOptions.usualMaximumBodySize
  /// The certificates of an HTTPS connection.
  public var tls = TLSOptions()
  /// The credentials; only the request's own origin gets them.
  public var authentication: HTTPAuthentication?
  /// The cookies to send, in which those of the responses are kept.
  public var cookies: CookieJar?
  /// Whether redirects are followed; otherwise they are delivered as responses, which are failures of
  /// an operation.
  public var followsRedirects = true

  /// The default limit of body bytes.
  public static let usualMaximumBodySize: Int = 256 << 20

  /// Creates the default options.
  public init() {}

  /// The options after a redirect to another origin, which gets no credentials.
  var forOtherOrigin: TransferOptions {
    var options = self
    options.tls = tls.forOtherOrigin
    options.authentication = nil
    return options
  }

  /// The options of an operation for a request that may have some of its own, those that differ from
  /// the default.
  ///
  /// Time limits and certificates of the request count before those of the operation, credentials and
  /// cookies of the operation before those of the request; the lower limit of the body counts.
  func merged(with own: TransferOptions) -> TransferOptions {
    let standard = TransferOptions()
    var options = self
    if own.connectTimeout != standard.connectTimeout { options.connectTimeout = own.connectTimeout }
    if own.idleTimeout != standard.idleTimeout { options.idleTimeout = own.idleTimeout }
    options.tls = tls.merged(with: own.tls)
    options.followsRedirects = followsRedirects && own.followsRedirects
    options.authentication = authentication ?? own.authentication
    options.cookies = cookies ?? own.cookies
    if own.maximumBodySize != Self.usualMaximumBodySize {
      options.maximumBodySize = min(maximumBodySize, own.maximumBodySize)
    }
    return options
  }
}

extension Shared<TransferOptions> {
  /// The default options.
  static let standard = Shared(TransferOptions())

  /// The options of an operation for a request with its own: see ``TransferOptions/merged(with:)``.
  func merged(with own: Self) -> Self {
    own.isIdentical(to: .standard) ? self : Shared(value.merged(with: own.value))
  }
}
