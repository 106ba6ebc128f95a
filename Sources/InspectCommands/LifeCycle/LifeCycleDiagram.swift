import CommandParts
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
  private var life: LifeCycle

  /// - Parameters:
  ///   - operation: The operation whose entries follow.
  ///   - width: The greatest number of columns of a line.
  ///   - clock: The clock of the session.
  init(of operation: ObservableOperation, width: Int, clock: SessionClock) {
    self.operation = operation
    self.width = width
    self.clock = clock
    life = LifeCycle(of: operation)
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
    return life.steps(for: entry).flatMap(lines)
  }

  /// Draws a change by which the operation was steered.
  func lines(for change: SteeredChange) -> [StyledText] {
    lines(of: .note(change.name, at: change.time, reason: change.text))
  }

  /// The time in the present state, and the states that have not been reached.
  func end(now: ContinuousClock.Instant) -> [StyledText] {
    life.end(now: now).flatMap(lines)
  }

  private func lines(of step: LifeCycle.Step) -> [StyledText] {
    switch step {
    case .state(let state, let time, let reason, let outcome):
      var text = StyledText(VisibleText.escape(reason))
      if let outcome { text = StyledText(outcome.mark, style: .outcome(outcome)) + " " + text }
      return row(
        at: time, mark: "●", name: state.rawValue, style: .state(state, outcome: outcome),
        text: text)
    case .unreached(let state):
      return row(
        at: nil, mark: "○", name: state.rawValue, style: .dim,
        text: StyledText("not reached", style: .dim))
    case .note(let name, let time, let reason):
      return row(
        at: time, mark: "├", name: name, style: TextStyle(color: .yellow),
        text: StyledText(VisibleText.escape(reason)))
    case .wire(let time, let lasts, let changes):
      return wire(LifeCycle.Step.words(of: time, lasts: lasts, changes))
    }
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
