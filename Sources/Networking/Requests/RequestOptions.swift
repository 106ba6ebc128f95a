/// Sets how an operation makes its request.
public struct RequestOptions: Sendable, Equatable {
  /// The time for the whole operation, all attempts and the pauses between them included.
  public var timeout: Duration?
  /// The time for looking up the host and connecting to it, in each attempt.
  public var connectTimeout: Duration? = .seconds(15)
  /// The time that may pass without a single byte, in each attempt.
  public var idleTimeout: Duration? = .seconds(60)
  /// How many further attempts follow a failure that may pass; only for GET, HEAD and OPTIONS, as
  /// long as ``retriesUnsafeMethods`` is not set.
  public var retryCount: Int = 0
  /// Whether also a request that may change something is sent again, at the risk that it does so
  /// twice.
  public var retriesUnsafeMethods = false
  /// The pause before the second attempt, doubled before each further one; nil for half a second.
  public var backoff: Duration?
  /// How much of a pause is left to chance, from 0 to 1: so much shorter it may be; nil makes it up
  /// to a quarter longer instead.
  public var jitter: Double?
  /// The longest pause; a server that asks for a longer one with `Retry-After` gets no further
  /// attempt.
  public var maximumRetryDelay: Duration = .seconds(60)
  /// What is sent besides the headers of the request, in place of those of the same name.
  public var headers = HTTPHeaders()
  /// What the client calls itself; nil for `opsh`.
  public var userAgent: String?
  /// Whether redirects are followed; otherwise they are failures of their status.
  public var followsRedirects = true
  /// The greatest length of the body, on the wire and expanded.
  public var maximumBodySize: Int = HTTPRequest.usualMaximumBodySize

  /// Creates the options that suit most requests.
  public init() {}
}
