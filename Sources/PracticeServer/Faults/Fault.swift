import OpshSupport

/// One thing that the practice server does wrong, for a share of the requests to some routes.
///
/// ```swift
/// let slow = try Fault("latency", percent: 50, duration: .milliseconds(300))
/// let broken = try Fault("status-503", percent: 10, route: RoutePattern("/search.json"))
/// server.update { faults in
///   faults.set(slow)
///   faults.set(broken)
/// }
/// ```
public struct Fault: Sendable, Equatable, CustomStringConvertible {
  /// What goes wrong.
  public let kind: Kind
  /// For how many requests in a hundred.
  public let percent: Double
  /// To which routes.
  public let route: RoutePattern
  /// How long, where the kind takes a time; nil for what is usual.
  public let duration: Duration?
  /// How far the time may be off, where the kind takes that.
  public let spread: Duration?
  /// How many, where the kind takes a number; nil for what is usual.
  public let size: Int?
  /// For how many further requests of its routes; nil for all.
  public internal(set) var next: Int?
  /// Whether it was set by a property of `Faults`, not by its name.
  let isShortForm: Bool

  /// Describes a fault.
  ///
  /// - Parameters:
  ///   - name: The name of its kind; ``Kind/all`` lists them.
  ///   - percent: For how many requests in a hundred.
  ///   - route: To which routes.
  ///   - duration: How long, if the kind takes a time.
  ///   - spread: How far off, if the kind takes that.
  ///   - size: How many, if the kind takes a number.
  ///   - next: For how many requests of its routes, the next ones; nil for all.
  /// - Throws: `unknown-fault`, or `bad-fault` for a value that the kind does not take.
  public init(
    _ name: String, percent: Double = 100, route: RoutePattern = .everything,
    duration: Duration? = nil, spread: Duration? = nil, size: Int? = nil, next: Int? = nil
  ) throws(PracticeServerError) {
    let kind = try Kind(named: name)
    guard percent >= 0, percent <= 100 else {
      throw .badFault("a share of \(percent)% makes no sense: it is from 0% to 100%")
    }
    let given: [(Parameter, Bool)] = [
      (.duration, duration != nil), (.spread, spread != nil), (.size, size != nil),
    ]
    for (parameter, isGiven) in given where isGiven && kind.meaning(of: parameter) == nil {
      throw .badFault("the fault '\(name)' takes no \(parameter.rawValue)")
    }
    for time in [duration, spread] {
      if let time, time < .zero { throw .badFault("a time of less than nothing makes no sense") }
    }
    if let next, next < 1 { throw .badFault("there are no 'next \(next)' requests: at least 1") }
    if let size, size < 0 { throw .badFault("a number below 0 makes no sense") }
    if let size, kind.effect == .fail, !(200...599).contains(size) {
      throw .badFault("a status is a number from 200 to 599")
    }
    self.kind = kind
    self.percent = percent
    self.route = route
    self.duration = duration
    self.spread = spread
    self.size = size
    self.next = next
    isShortForm = false
  }

  /// Creates the row of a short form, whose values are not checked.
  init(
    shortForm kind: Kind, percent: Double = 100, duration: Duration? = nil,
    spread: Duration? = nil, size: Int? = nil
  ) {
    self.kind = kind
    self.percent = percent
    route = .everything
    self.duration = duration
    self.spread = spread
    self.size = size
    isShortForm = true
  }

  /// The name of the kind.
  public var name: String { kind.name }

  /// The fault in a few words, such as `latency 300 ms ± 50 ms for 20% of /search.json`.
  public var description: String {
    var text = name
    if let duration { text += " \(DurationText(duration.bounded))" }
    if let spread { text += " ± \(DurationText(spread.bounded))" }
    if let size { text += " \(size)" }
    let share = percent < 100 ? "\(Self.text(percent))%" : nil
    let count = next.map { $0 == 1 ? "the next request" : "the next \($0) requests" }
    let scope = [share, count, route == .everything ? nil : route.description].compactMap(\.self)
    return scope.isEmpty ? text : text + " for " + scope.joined(separator: " of ")
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }

  /// Whether it may strike a request, if chance decides so.
  func concerns(_ request: PracticeRequest) -> Bool {
    guard route.matches(method: request.method, path: request.path) else { return false }
    if kind.effect.isOfStackExchange {
      guard case .stackExchange = request.route else { return false }
    }
    if request.connection.isSecure, kind.effect.needsPlainConnection { return false }
    if kind.effect == .deliver(.staleConnection), !request.connection.isReused { return false }
    // A request that has been redirected is not redirected again.
    if request.isElsewhere, case .redirect = kind.effect { return false }
    return true
  }

  /// What a kind of fault can be told beside its share and its route.
  public enum Parameter: String, Sendable, CaseIterable {
    /// A time.
    case duration
    /// How far the time may be off.
    case spread
    /// A number.
    case size
  }
}

extension PracticeServerError {
  static func badFault(_ message: String) -> PracticeServerError {
    PracticeServerError(code: "bad-fault", message: message)
  }

  static func unknownFault(_ name: String) -> PracticeServerError {
    PracticeServerError(code: "unknown-fault", message: "no fault is named '\(name)'")
  }
}
