public import Operations

/// The options of an operation's request.
public struct RequestOptions: Sendable {
  /// The operation's ``Operations/ObservableOperation/timeLimit``, for all attempts together.
  public var timeout: Duration?
  /// The limits and the credentials of each attempt; credentials are used instead of those of the
  /// request, time limits and certificates where the request has none of its own.
  public var transfer: TransferOptions {
    _read { yield sharedTransfer.value }
    set { sharedTransfer.value = newValue }
  }
  /// The operation's ``Operations/ObservableOperation/retryPolicy``, for transient failures; only of
  /// GET, HEAD and OPTIONS unless ``retriesUnsafeMethods`` is set.
  ///
  /// A server that asks for a pause with `Retry-After` gets it in place of the backoff, up to the
  /// longest of the policy; beyond that there is no further attempt. Without jitter in the policy the
  /// backoff is randomly up to a quarter longer.
  public var retryPolicy: RetryPolicy?
  /// Statuses that are retried in addition to the usual transient ones, such as 404 of a resource
  /// that is still being created.
  public var retriedStatuses: Set<Int> = []
  /// Whether requests with side effects are also retried, at the risk that their effect happens
  /// twice.
  public var retriesUnsafeMethods = false
  /// Headers that replace those of the request with the same name.
  public var headers = HTTPHeaders()
  /// The `User-Agent`; nil for `opsh`.
  public var userAgent: String?

  /// Where equal requests that are in flight are found; nil to send each of its own.
  public var coalescer: RequestCoalescer?
  /// Whether a GET or HEAD request joins an equal one in flight, also on a queue that does not
  /// coalesce; only with a ``coalescer``.
  public var isCoalesced = false

  var sharedTransfer: Shared<TransferOptions> = .standard

  /// Creates the default options.
  public init() {}
}
