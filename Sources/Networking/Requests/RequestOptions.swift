public import Operations

/// The options of an operation's request.
public struct RequestOptions: Sendable {
  /// The operation's ``Operations/ObservableOperation/timeLimit``, for all attempts together.
  public var timeout: Duration?
  /// The time limit for looking up the host and connecting to it, in each attempt.
  public var connectTimeout: Duration? = .seconds(30)
  /// The time limit without a single byte, in each attempt.
  public var idleTimeout: Duration? = .seconds(60)
  /// The operation's ``Operations/ObservableOperation/retryPolicy``, for transient failures; only of
  /// GET, HEAD and OPTIONS unless ``retriesUnsafeMethods`` is set.
  ///
  /// A server that asks for a longer pause with `Retry-After` gets it, up to the longest of the policy;
  /// beyond that there is no further attempt. Without jitter in the policy the backoff is randomly up
  /// to a quarter longer.
  public var retryPolicy: RetryPolicy?
  /// Statuses that are retried in addition to the usual transient ones, such as 404 of a resource
  /// that is still being created.
  public var retriedStatuses: Set<Int> = []
  /// Whether requests with side effects are also retried, at the risk that their effect happens
  /// twice.
  public var retriesUnsafeMethods = false
  /// The credentials, instead of those of the request.
  public var authentication: HTTPAuthentication?
  /// The cookies to send and to keep, instead of those of the request.
  public var cookies: CookieJar?
  /// The certificates of an HTTPS connection.
  public var tls = TLSOptions()
  /// Headers that replace those of the request with the same name.
  public var headers = HTTPHeaders()
  /// The `User-Agent`; nil for `opsh`.
  public var userAgent: String?
  /// Whether redirects are followed; otherwise they are failures.
  public var followsRedirects = true
  /// The greatest length of the body, on the wire and expanded.
  public var maximumBodySize: Int = HTTPRequest.usualMaximumBodySize

  /// Creates the default options.
  public init() {}
}
