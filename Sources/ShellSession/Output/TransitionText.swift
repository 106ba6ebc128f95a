import Foundation
package import Operations
package import ShellOutput
package import OpshTerminal

/// One line of text per entry of the event log, in aligned columns.
///
/// ```
///  0.312  questions-1  ready → executing     slot 1 of 2 on network
///  0.588  questions-1  executing → finished  ✓ 30 questions, 14.9 kB, 276 ms
/// ```
package struct TransitionText {
  /// The widest name so far: columns only widen, so neighbouring lines stay aligned.
  private var nameWidth = 11

  package init() {}
  private static let changeWidth = "executing → finished".count

  /// - Parameters:
  ///   - entry: The entry.
  ///   - clock: Converts times to seconds since the start.
  ///   - labels: The names in the table, if the line belongs to a table.
  /// - Returns: The line, which may widen the column of names for later ones.
  package mutating func line(
    for entry: EventLog.Entry, clock: SessionClock, labels: OperationLabels? = nil
  ) -> StyledText {
    let name =
      labels?.label(of: entry.operation) ?? VisibleText.escape(entry.operation.name)
    nameWidth = min(max(nameWidth, TextWidth.columns(of: name)), 32)
    let reason = Self.reason(of: entry)
    var line =
      StyledText(Self.time(clock.elapsed(entry.time)), style: .dim) + "  "
      + StyledText(TextWidth.pad(name, to: nameWidth), style: .bold) + "  " + Self.change(entry)
    if !reason.plain.isEmpty { line = line + "  " + reason }
    return line
  }

  /// The line of equal transitions of many operations.
  mutating func line(for folded: FoldedTransition, clock: SessionClock) -> StyledText {
    let change = folded.states.dropFirst(2).reduce(Self.change(folded.first)) { text, state in
      text.withoutTrailingBlanks + " → " + StyledText(state.rawValue, style: .state(state))
    }
    let name = TextWidth.pad(VisibleText.escape(folded.names), to: nameWidth)
    return StyledText(Self.time(clock.elapsed(folded.first.time)), style: .dim) + "  "
      + StyledText(name, style: .bold) + "  " + change.padded(to: Self.changeWidth) + "  "
      + StyledText("\(folded.operations.count) ", style: .bold)
      + StyledText(VisibleText.escape(folded.reason))
  }

  /// The line of what steered an operation or a queue, as the log keeps it.
  package mutating func line(
    for change: SteeredChange, clock: SessionClock, labels: OperationLabels? = nil
  ) -> StyledText {
    let elapsed = clock.elapsed(change.time)
    let reason = change.sentence
    switch change.subject {
    case .operation(let identity, let state):
      let name = labels?.label(of: identity) ?? VisibleText.escape(identity.name)
      return line(
        at: elapsed, name, StyledText(state.rawValue, style: .state(state)), reason)
    case .queue(let name):
      return line(at: elapsed, VisibleText.escape(name), StyledText("queue " + reason), "")
    }
  }

  /// The line of what a command has changed.
  mutating func line(for effect: SteeringEffect, clock: SessionClock) -> StyledText {
    let (change, reason) = effect.columns
    return line(
      at: clock.elapsed(clock.now), VisibleText.escape(effect.name), change, reason)
  }

  private mutating func line(
    at elapsed: Double, _ name: String, _ change: StyledText, _ reason: String
  ) -> StyledText {
    nameWidth = min(max(nameWidth, TextWidth.columns(of: name)), 32)
    let head =
      StyledText(Self.time(elapsed), style: .dim) + "  "
      + StyledText(TextWidth.pad(name, to: nameWidth), style: .bold) + "  "
    return reason.isEmpty
      ? head + change
      : head + change.padded(to: Self.changeWidth) + "  " + StyledText(VisibleText.escape(reason))
  }

  /// Seconds since the start, in a column of six.
  package static func time(_ seconds: Double) -> String {
    let text = String(format: "%.3f", seconds)
    return String(repeating: " ", count: max(0, 6 - text.count)) + text
  }

  private static func change(_ entry: EventLog.Entry) -> StyledText {
    let text: StyledText =
      switch entry.event {
      case .transition:
        StyledText(entry.from.rawValue, style: .state(entry.from)) + " → "
          + StyledText(entry.to.rawValue, style: .state(entry.to, outcome: entry.outcome))
      case .cancelling:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + ", "
          + StyledText("cancelled", style: .outcome(.cancelled))
      case .pause:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + ", "
          + StyledText("pause", style: TextStyle(color: .yellow))
      case .attempt:
        StyledText(entry.to.rawValue, style: .state(entry.to))
          // Progress messages are not attempts.
          + (entry.reason.hasPrefix("attempt ") ? ", again" : "")
      case .awaitsFinish:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + ", "
          + StyledText("waits", style: TextStyle(color: .yellow))
      case .completion:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + ", callback"
      case .phase:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + " · "
          + StyledText(VisibleText.escape(entry.phase?.progress ?? ""))
      case .refusal:
        StyledText(entry.to.rawValue, style: .state(entry.to)) + ", refused"
      }
    return text.padded(to: changeWidth)
  }

  private static func reason(of entry: EventLog.Entry) -> StyledText {
    let reason = VisibleText.escape(entry.phase?.note ?? entry.reason)
    guard entry.event == .transition, let outcome = entry.outcome else {
      return StyledText(reason)
    }
    return StyledText(outcome.mark, style: .outcome(outcome)) + " " + StyledText(reason)
  }
}

extension OperationOutcome {
  /// The symbol before the reason of the last transition.
  package var mark: String {
    switch self {
    case .succeeded: "✓"
    case .failed: "✗"
    case .cancelled: "⊘"
    case .skipped: "↷"
    }
  }
}

extension TextStyle {
  /// One colour per state; a finished operation has its outcome's.
  package static func state(_ state: OperationState, outcome: OperationOutcome? = nil) -> TextStyle
  {
    switch state {
    case .created: .dim
    case .pending: TextStyle(color: .yellow)
    case .ready: TextStyle(color: .cyan)
    case .executing: TextStyle(color: .blue)
    case .finished: outcome.map(TextStyle.outcome) ?? .dim
    }
  }

  package static func outcome(_ outcome: OperationOutcome) -> TextStyle {
    switch outcome {
    case .succeeded: TextStyle(color: .green)
    case .failed: TextStyle(color: .red)
    case .cancelled: TextStyle(color: .magenta)
    case .skipped: TextStyle(color: .magenta)
    }
  }
}
