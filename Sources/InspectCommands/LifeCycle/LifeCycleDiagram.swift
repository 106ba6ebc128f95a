import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// The life cycle from top to bottom, drawn one entry of the log after the other.
///
/// ```
///  0.000  ● created
///         │ 0 s
///  0.000  ● pending    added to network
///         │ 1 ms  isReady false → true
///  0.001  ● ready      dependencies met: a
///         ○ executing  not reached
///         │ 2 ms  isFinished false → true
///  0.003  ● finished   ⊘ cancelled before it ran
/// ```
struct LifeCycleDiagram {
  private static let nameWidth = 10
  private static let leastTextWidth = 12

  private let operation: ObservableOperation
  private let width: Int
  private let clock: SessionClock
  /// The columns before the line of states: a time and a gap.
  private var indent: Int
  /// The state that was drawn last, and since when the operation was in it.
  private var state: OperationState?
  private var since: ContinuousClock.Instant?

  /// - Parameters:
  ///   - operation: The operation whose entries follow.
  ///   - width: The greatest number of columns of a line.
  ///   - clock: The clock of the session.
  init(of operation: ObservableOperation, width: Int, clock: SessionClock) {
    self.operation = operation
    self.width = width
    self.clock = clock
    indent = Self.indent(for: clock.now, clock)
  }

  private static func indent(for time: ContinuousClock.Instant, _ clock: SessionClock) -> Int {
    TransitionText.time(clock.elapsed(time)).count + 2
  }

  private var textWidth: Int { max(Self.leastTextWidth, width - indent - Self.nameWidth - 3) }

  /// The title.
  var beginning: [StyledText] {
    let place = operation.queueName.map { " on queue \(VisibleText.escape($0))" } ?? ", on no queue"
    let title =
      StyledText(VisibleText.escape(operation.displayName), style: .bold)
      + StyledText(" (\(VisibleText.escape(operation.kind)))\(place)")
    return [title.truncated(to: width)]
  }

  /// Draws one entry; the entries of the operation have to come in their order.
  mutating func lines(for entry: EventLog.Entry) -> [StyledText] {
    // Later times of one that is followed may have more digits.
    indent = max(indent, Self.indent(for: entry.time, clock))
    let notifications = entry.notifications(defects: operation.defects)
    guard entry.event == .transition else {
      return row(
        at: entry.time, mark: "├", name: Self.name(of: entry.event), style: Self.noteStyle,
        text: StyledText(VisibleText.escape(entry.reason)))
        + wire(texts(of: notifications))
    }
    var lines: [StyledText] = []
    if state == nil {
      let isWhole = entry.from == .created
      since = isWhole ? operation.timestamps.created : nil
      lines += row(
        at: since, mark: "●", name: entry.from.rawValue, style: .state(entry.from),
        text: StyledText(isWhole ? "" : "earlier entries are no longer in the log"))
    }
    let passed = OperationState.allCases.drop { $0 != entry.from }.dropFirst()
      .prefix { $0 != entry.to }
    for missed in passed { lines += unreached(missed) }
    let duration = since.map { DurationText($0.duration(to: entry.time)).description }
    lines += wire([duration].compactMap { $0 } + texts(of: notifications))
    var reason = StyledText(VisibleText.escape(entry.reason))
    if let outcome = entry.outcome {
      reason = StyledText(outcome.mark, style: .outcome(outcome)) + " " + reason
    }
    lines += row(
      at: entry.time, mark: "●", name: entry.to.rawValue,
      style: .state(entry.to, outcome: entry.outcome), text: reason)
    (state, since) = (entry.to, entry.time)
    return lines
  }

  /// The time in the present state, and the states that have not been reached.
  func end(now: ContinuousClock.Instant) -> [StyledText] {
    guard state != .finished else { return [] }
    let present = state ?? .created
    let created = state == nil ? operation.timestamps.created : nil
    var lines: [StyledText] = []
    if state == nil {
      lines += row(
        at: created, mark: "●", name: present.rawValue, style: .state(present), text: "")
    }
    if let since = since ?? created {
      lines += wire(["\(DurationText(max(.zero, since.duration(to: now)))) until now"])
    }
    for next in OperationState.allCases.drop(while: { $0 != present }).dropFirst() {
      lines += unreached(next)
    }
    return lines
  }

  private func unreached(_ state: OperationState) -> [StyledText] {
    row(
      at: nil, mark: "○", name: state.rawValue, style: .dim,
      text: StyledText("not reached", style: .dim))
  }

  private static let noteStyle = TextStyle(color: .yellow)

  private static func name(of event: EventLog.Entry.Event) -> String {
    switch event {
    case .transition: ""
    case .cancelling: "cancelled"
    case .attempt: "attempt"
    case .pause: "pause"
    case .refusal: "refused"
    case .awaitsFinish: "waits"
    case .completion: "callback"
    }
  }

  private func texts(of notifications: [EventLog.Entry.Notification]) -> [String] {
    notifications.map { "\($0.key) \(!$0.new) → \($0.new)" }
  }

  /// The line from one state to the next, with texts beside it; as many on a line as fit.
  private func wire(_ texts: [String]) -> [StyledText] {
    var groups: [String] = []
    for text in texts {
      let room = width - indent - 2
      if let last = groups.last, TextWidth.columns(of: last + ", " + text) <= room {
        groups[groups.count - 1] += ", " + text
      } else {
        groups.append(text)
      }
    }
    let margin = String(repeating: " ", count: indent)
    return groups.map { StyledText(margin + "│ ") + StyledText($0, style: .dim) }
  }

  /// A state or what happened in it; a long text goes on below itself.
  private func row(
    at time: ContinuousClock.Instant?, mark: String, name: String, style: TextStyle,
    text: StyledText
  ) -> [StyledText] {
    let time = time.map { TransitionText.time(clock.elapsed($0)) } ?? ""
    let head =
      StyledText(TextWidth.pad(time, to: indent), style: .dim) + StyledText(mark, style: style)
      + " " + StyledText(TextWidth.pad(name, to: Self.nameWidth), style: style)
    let pieces = text.wrapped(to: textWidth)
    let margin =
      String(repeating: " ", count: indent) + "│"
      + String(repeating: " ", count: Self.nameWidth + 1)
    let isLast = name == OperationState.finished.rawValue
    let below = isLast ? String(repeating: " ", count: indent + Self.nameWidth + 2) : margin
    return pieces.enumerated().map { index, piece in
      piece.plain.isEmpty
        ? head.withoutTrailingBlanks : (index == 0 ? head : StyledText(below)) + " " + piece
    }
  }
}
