/// One thing that is wrong with a script, or went wrong while it ran, with its place.
public struct Diagnostic: Error, Sendable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// The statement cannot run, or failed.
    case error
    /// It runs, but hardly as meant.
    case warning
  }

  /// When it was found, which decides the exit status.
  public enum Phase: Sendable, Hashable {
    /// By reading the script, before anything ran.
    case checking
    /// By running it.
    case running
  }

  /// Another place that helps to understand the first one.
  public struct Label: Sendable {
    /// What is there.
    public let message: String
    /// The text the place is in.
    public let source: SourceText
    /// The place.
    public let range: SourceRange

    /// Creates a label.
    public init(_ message: String, source: SourceText, range: SourceRange) {
      self.message = message
      self.source = source
      self.range = range
    }
  }

  /// How bad it is.
  public var severity: Severity
  /// A stable name, such as `unclosed-quote`.
  public let code: String
  /// The name of the page that explains it: the code, unless one code has several causes.
  public let topic: String
  /// One sentence without a final full stop.
  public var message: String
  /// The text the place is in.
  public var source: SourceText
  /// The place.
  public var range: SourceRange
  /// Other places that help.
  public var labels: [Label]
  /// The calls that led there, if it is in a definition or in a sourced file.
  public internal(set) var calls = Backtrace()
  /// What to do about it.
  public var help: String?
  /// When it was found.
  public var phase: Phase
  /// The host's error that caused it.
  public var underlying: (any Error)?

  /// Creates a diagnostic; without `help` it has its page's.
  public init(
    _ page: ErrorPage, _ message: String, source: SourceText, range: SourceRange,
    labels: [Label] = [], help: String? = nil, severity: Severity = .error,
    phase: Phase = .checking, underlying: (any Error)? = nil
  ) {
    self.severity = severity
    self.code = page.code
    self.topic = page.topic
    self.message = message
    self.source = source
    self.range = range
    self.labels = labels
    self.help = help ?? page.help
    self.phase = phase
    self.underlying = underlying
  }

  /// Returns whether it is one of several errors.
  public func `is`(_ pages: ErrorPage...) -> Bool { pages.contains { $0.code == code } }

  /// Line and column just after the place.
  public var endPlace: SourcePlace { source.place(of: range.upper) }

  /// Line and column of where the place begins.
  public var place: SourcePlace { source.place(of: range.lower) }
  /// The line, counted as the source text counts.
  public var line: Int { place.line }
  /// The column in characters, counted from 1.
  public var column: Int { place.column }

  /// The status a run ends with because of it: 2 if reading shows it, 1 if only running does.
  public var exitStatus: Int32 {
    guard severity == .error else { return 0 }
    return phase == .checking ? 2 : 1
  }

  /// Notes a call that led there; calls further out are noted later.
  ///
  /// - Parameters:
  ///   - message: What was called, such as `'greet' was called here`.
  ///   - source: The text that the call stands in.
  ///   - range: Where it stands.
  public mutating func noteCall(_ message: String, source: SourceText, range: SourceRange) {
    calls.append(Label(message, source: source, range: range))
  }

  /// Notes the calls that led to a failure elsewhere which this reports.
  ///
  /// - Parameter backtrace: The calls; those that led here are noted later.
  public mutating func noteCalls(_ backtrace: Backtrace) { calls = backtrace }

  /// Returns the same with other places, those of its labels and calls included.
  public func mapPlaces(
    _ transform: (SourceText, SourceRange) -> (source: SourceText, range: SourceRange)
  ) -> Diagnostic {
    func map(_ label: Label) -> Label {
      let (source, range) = transform(label.source, label.range)
      return Label(label.message, source: source, range: range)
    }
    var copy = self
    (copy.source, copy.range) = transform(source, range)
    copy.labels = labels.map(map)
    copy.calls.map(map)
    return copy
  }

  /// The same, found while running.
  func whileRunning() -> Diagnostic {
    var copy = self
    copy.phase = .running
    return copy
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `FILE:LINE:COLUMN: error: MESSAGE [CODE]`.
  public var description: String {
    let place = place
    return
      "\(source.name):\(place.line):\(place.column): \(severity.rawValue): \(message) [\(code)]"
  }
}
