/// What the practice server does wrong on purpose.
///
/// Faults apply to the routes of the imitated services only. Each request is decided when it
/// arrives, from the server's seed, what is asked for, and how often the same was asked before. So
/// the same seed gives the same faults, also where several requests are under way at once and
/// arrive in another order.
///
/// ```swift
/// server.update { faults in
///   faults.latency = .milliseconds(200)
///   faults.failPercent = 10
/// }
/// let fault = try Fault("truncated-body", percent: 5, route: RoutePattern("/2.3/answers*"))
/// server.update { $0.set(fault) }
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
  /// How fast the body of an answer is sent, in bytes per second and connection; nil for no limit.
  public var bandwidth: Int?
  /// The faults that were set by name, in the order in which they were set.
  ///
  /// Where several of them would replace the answer, or spoil its delivery, the first does.
  public private(set) var named: [Fault] = []

  /// Creates a description of a server without faults.
  public init() {}

  /// Whether there is no fault at all.
  public var isClean: Bool { self == Faults() }

  /// Adds a fault, in place of one with the same name and the same routes.
  ///
  /// - Parameter fault: The fault.
  public mutating func set(_ fault: Fault) {
    if let index = named.firstIndex(where: { $0.name == fault.name && $0.route == fault.route }) {
      named[index] = fault
    } else {
      named.append(fault)
    }
  }

  /// Takes faults away.
  ///
  /// - Parameters:
  ///   - name: Their name.
  ///   - route: Their routes; nil for those of that name whatever their routes are.
  /// - Returns: How many there were.
  @discardableResult public mutating func remove(
    named name: String, route: RoutePattern? = nil
  ) -> Int {
    let before = named.count
    named.removeAll { $0.name == name && (route == nil || $0.route == route) }
    return before - named.count
  }

  /// Takes all faults away that were set by name.
  public mutating func removeAllNamed() {
    named = []
  }
}
