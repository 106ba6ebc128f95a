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
  /// All faults: those with short forms, then those that were set by name, in that order.
  ///
  /// If several of them would replace the answer, or spoil its delivery, the first does.
  private(set) var rows: [Fault] = []

  /// The faults that strike any requests, short forms among them.
  public var active: [Fault] { rows.filter { $0.percent > 0 } }

  /// The faults that were set by name, in the order in which they were set.
  public var named: [Fault] { rows.filter { !$0.isShortForm } }

  /// Creates a description of a server without faults.
  public init() {}

  /// Whether there is no fault at all.
  public var isClean: Bool { self == Faults() }

  /// Adds a fault, in place of one with the same name and the same routes.
  public mutating func set(_ fault: Fault) {
    let index = rows.firstIndex {
      !$0.isShortForm && $0.name == fault.name && $0.route == fault.route
    }
    if let index { rows[index] = fault } else { rows.append(fault) }
  }

  /// Counts a request for the faults that strike a number of requests, and removes those that have
  /// had theirs.
  mutating func count(_ request: PracticeRequest) {
    for index in rows.indices.reversed() {
      guard let next = rows[index].next, rows[index].concerns(request) else { continue }
      if next > 1 { rows[index].next = next - 1 } else { rows.remove(at: index) }
    }
  }

  /// Removes faults.
  ///
  /// - Parameters:
  ///   - name: Their name.
  ///   - route: Their routes; nil for those of that name whatever their routes are.
  /// - Returns: How many there were.
  @discardableResult public mutating func remove(
    named name: String, route: RoutePattern? = nil
  ) -> Int {
    let before = rows.count
    rows.removeAll { $0.name == name && (route == nil || $0.route == route) }
    return before - rows.count
  }
}

/// Short forms: rows of the table that every request has at most once, whatever its route.
extension Faults {
  /// How long every answer is held back at least.
  public var latency: Duration {
    get { row(.latency).map { ($0.duration ?? .zero) - ($0.spread ?? .zero) } ?? .zero }
    set { setLatency(newValue, jitter: jitter) }
  }

  /// The most that is added to `latency` at random, evenly spread from nothing.
  public var jitter: Duration {
    get { (row(.latency)?.spread ?? .zero) * 2 }
    set { setLatency(latency, jitter: newValue) }
  }

  /// How many requests in a hundred are answered with `failStatus`.
  public var failPercent: Double {
    get { row(.fail)?.percent ?? 0 }
    set { setFail(newValue, failStatus, retryAfter) }
  }

  /// The status of a failed request; anything outside 200 to 599 counts as 503.
  public var failStatus: Int {
    get { row(.fail)?.size ?? 503 }
    set { setFail(failPercent, newValue, retryAfter) }
  }

  /// The `Retry-After` of a failed request in seconds, if it has one.
  public var retryAfter: Int? {
    get { row(.fail)?.duration.map { Int($0.components.seconds) } }
    set { setFail(failPercent, failStatus, newValue) }
  }

  /// How many requests in a hundred lose their connection before the whole answer was sent.
  ///
  /// Three in five of them get no byte at all, the others are cut inside the headers or in the
  /// middle of the body.
  public var dropPercent: Double {
    get { row(.drop)?.percent ?? 0 }
    set { replace(.drop, newValue == 0 ? nil : Fault(shortForm: .drop, percent: newValue)) }
  }

  /// How fast the body of an answer is sent, in bytes per second and connection; nil for no limit.
  public var bandwidth: Int? {
    get { row(.bandwidth)?.size }
    set { replace(.bandwidth, newValue.map { Fault(shortForm: .bandwidth, size: $0) }) }
  }

  private mutating func setLatency(_ latency: Duration, jitter: Duration) {
    let (latency, spread) = (latency.bounded, jitter.bounded / 2)
    let fault = Fault(shortForm: .latency, duration: latency + spread, spread: spread)
    replace(.latency, latency + spread == .zero ? nil : fault)
  }

  private mutating func setFail(_ percent: Double, _ status: Int, _ retryAfter: Int?) {
    let fault = Fault(
      shortForm: .fail, percent: percent, duration: retryAfter.map { .seconds($0) }, size: status)
    replace(.fail, percent == 0 && status == 503 && retryAfter == nil ? nil : fault)
  }

  private func row(_ kind: Fault.Kind) -> Fault? {
    rows.first { $0.isShortForm && $0.kind == kind }
  }

  private mutating func replace(_ kind: Fault.Kind, _ fault: Fault?) {
    rows.removeAll { $0.isShortForm && $0.kind == kind }
    guard let fault else { return }
    // A dropped answer is not failed too: dropping comes first.
    let order: [Fault.Kind] = [.latency, .bandwidth, .drop, .fail]
    let before = order.prefix { $0 != kind }
    rows.insert(fault, at: rows.prefix { $0.isShortForm && before.contains($0.kind) }.count)
  }
}
