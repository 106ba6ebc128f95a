/// What the practice server does wrong on purpose.
///
/// Faults apply to the routes of the imitated API only. Each request is decided when it arrives,
/// from the server's seed and the number of the request, so that the same seed gives the same
/// sequence of decisions.
///
/// ```swift
/// server.update { faults in
///   faults.latency = .milliseconds(200)
///   faults.failPercent = 10
/// }
/// ```
public struct Faults: Sendable, Equatable {
  /// How long every answer is held back.
  public var latency: Duration = .zero
  /// The most that chance adds to `latency`, evenly spread from nothing.
  public var jitter: Duration = .zero
  /// How many requests in a hundred are answered with `failStatus`.
  public var failPercent: Double = 0
  /// The status of a failed request; anything outside 200 to 599 counts as 503.
  public var failStatus: Int = 503
  /// The `Retry-After` of a failed request in seconds, if it is to have one.
  public var retryAfter: Int?
  /// How many requests in a hundred lose their connection before the whole answer was sent.
  ///
  /// Three in five of them get no byte at all, the others are cut inside the headers or in the
  /// middle of the body.
  public var dropPercent: Double = 0
  /// How many requests in a hundred have their answer cut inside the headers.
  public var closeInHeadersPercent: Double = 0
  /// How many requests in a hundred have their answer cut in the middle of the body.
  public var closeInBodyPercent: Double = 0
  /// How fast the body of an answer is sent, in bytes per second and connection; nil for no limit.
  public var bandwidth: Int?
  /// The `backoff` that every page of items asks for, in seconds; nil for none.
  public var backoff: Int?
  /// Whether a request to a method whose last answer asked for a backoff that is not over is
  /// refused as the real service does.
  public var enforcesBackoff: Bool = false
  /// Whether a request beyond the daily quota is refused as the real service does.
  ///
  /// Otherwise the quota counts down to zero and stays there, so that a script may make as many
  /// requests as it likes.
  public var enforcesQuota: Bool = false

  /// Creates a description of a server without faults.
  public init() {}

  /// Whether there is no fault at all.
  public var isClean: Bool { self == Faults() }
}
