package import OpshJSON
package import Operations
import OpshSupport
import ShellOutput
package import ShellSession
package import OpshTerminal

/// What a finished operation waited for, the longest first.
package struct EndedWaits {
  /// All the time that it waited for one thing.
  private struct Row {
    let cause: Cause
    /// The operation that the time was owed to.
    let culprit: String?
    var time = Duration.zero
    /// The longest stretch of it.
    var longest: LifeSpan?

    /// `queue full, owed to 'a'`.
    var words: String {
      cause.look.words + (culprit.map { ", owed to '\($0)'" } ?? "")
    }
  }

  private var rows: [Row] = []
  private let name: String
  private let clock: SessionClock

  /// Changes of one instant have times a nanosecond apart.
  private static let shortest = Duration.microseconds(1)

  /// - Parameters:
  ///   - operation: The operation.
  ///   - account: The lives of all operations.
  ///   - jobs: The jobs that it is one of.
  package init(of operation: ObservableOperation, in account: LifeAccount, _ jobs: Jobs) {
    (name, clock) = (operation.displayName, jobs.clock)
    for span in account.spans(of: operation.id)
    where !span.cause.isWork && span.cause != .starting && span.duration >= Self.shortest {
      let culprit = span.culprit.map { id in
        account.life(of: id)?.identity.name ?? "operation \(id)"
      }
      let index = rows.firstIndex { $0.cause == span.cause && $0.culprit == culprit }
      if index == nil { rows.append(Row(cause: span.cause, culprit: culprit)) }
      let place = index ?? rows.count - 1
      rows[place].time += span.duration
      if span.duration > rows[place].longest?.duration ?? .zero { rows[place].longest = span }
    }
    rows.sort { $0.time > $1.time }
  }

  package var isEmpty: Bool { rows.isEmpty }

  /// A line for each, and at the longest the command that shows it as it was.
  package var lines: [StyledText] {
    let times = rows.map { DurationText($0.time).description }
    let width = times.map(\.count).max() ?? 0
    return zip(rows, times).enumerated().map { index, row in
      let time = row.1 + String(repeating: " ", count: width - row.1.count)
      let text = StyledText("  \(time)  \(VisibleText.escape(row.0.words))")
      guard index == 0, let look = look(at: row.0) else { return text }
      return text + StyledText("  → " + look, style: TextStyle(color: .cyan))
    }
  }

  /// The same as data.
  package var objects: [JSONValue] {
    rows.map { row in
      JSONValue.members([
        "code": .string(row.cause.rawValue),
        "text": .string("\(DurationText(row.time)): \(row.words)"),
        "subject": .string(row.culprit ?? ""), "cure": .optional(look(at: row)),
      ])
    }
  }

  /// The command that shows what kept it in the middle of the longest stretch; nil for one that is
  /// shorter than what a time can say.
  private func look(at row: Row) -> String? {
    guard let span = row.longest, span.duration >= .milliseconds(2) else { return nil }
    let middle = clock.elapsed(span.start + span.duration / 2)
    return "at \(TransitionText.time(middle).trimmingPrefix { $0 == " " }) why \(name)"
  }
}
