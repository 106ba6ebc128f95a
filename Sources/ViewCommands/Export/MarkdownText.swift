import CommandParts
import OpshLocking
import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// A session as a Markdown page: its operations, what was typed, and every transition with its time.
///
/// The syntax is that of <https://spec.commonmark.org>, with the tables and the Mermaid blocks that
/// the usual readers have.
struct MarkdownText {
  let text: String

  init(of exported: ExportedSession, _ invocation: Invocation) {
    let ended = exported.rows.compactMap(\.times.finished).max() ?? exported.now
    let length = DurationText(ended - exported.clock.startInstant)
    let count = OperationTable.count(exported.rows.count, "operation")
    var parts = [
      "# \(count) in \(length)",
      "Session of \(exported.clock.timestamp(exported.clock.startInstant)).", "## Operations",
      Self.table(of: exported), "## What happened", Self.fenced(Self.log(of: invocation), "text"),
    ]
    if exported.rows.contains(where: { !$0.dependencies.isEmpty }) {
      parts += ["## Dependencies", Self.fenced(MermaidText(of: exported).text, "mermaid")]
    }
    text = parts.joined(separator: "\n\n") + "\n"
  }

  // MARK: Operations

  private static func table(of session: ExportedSession) -> String {
    let heads = ["id", "name", "kind", "queue", "state", "outcome", "waited", "ran", "error"]
    var lines = [row(heads), row(heads.map { _ in "---" })]
    for operation in session.rows {
      let times = operation.times
      let begun = times.executing ?? times.finished
      func time(_ start: ContinuousClock.Instant?, _ end: ContinuousClock.Instant?) -> String {
        guard let start, let end else { return "" }
        return DurationText(end - start).description
      }
      lines.append(
        row(
          [
            String(operation.id), operation.name, operation.kind, operation.queue ?? "",
            operation.state.rawValue, operation.outcome ?? "", time(times.pending, begun),
            time(times.executing, times.finished), operation.error ?? "",
          ].map(escaped)))
    }
    return lines.joined(separator: "\n")
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  /// Text in which no character is Markdown or HTML.
  private static func escaped(_ text: String) -> String {
    VisibleText.escape(text).map { character in
      "\\`*_{}[]<>()#+!|~&".contains(character) ? "\\\(character)" : String(character)
    }.joined()
  }

  // MARK: What happened

  /// The lines that were typed and the transitions, in the order of time.
  private static func log(of invocation: Invocation) -> String {
    var typed = invocation.run.state.withLock { $0.typed }[...]
    var text = TransitionText()
    var lines: [String] = []
    for entry in invocation.jobs.engine.log.entries(from: 0, limit: .max).entries {
      while let line = typed.first, line.position <= entry.sequence {
        lines.append(prompted(typed.removeFirst()))
      }
      lines.append(text.line(for: entry, clock: invocation.run.clock).plain)
    }
    return (lines + typed.map(prompted)).map(invocation.screen.secrets.mask).joined(separator: "\n")
      + "\n"
  }

  private static func prompted(_ line: TypedLine) -> String {
    var text = line.text
    while text.last?.isNewline == true { text.removeLast() }
    return "opsh> " + text.replacing("\n", with: "\n    > ") + remark(on: line)
  }

  /// A comment that says which part of a line completed; empty if all of it did.
  private static func remark(on line: TypedLine) -> String {
    guard line.completed != line.text else { return "" }
    guard let completed = line.completed else { return "  # not completed" }
    let statements = completed.split(whereSeparator: \.isNewline).joined(separator: "; ")
    return "  # completed only: " + statements
  }

  /// A block of code, whose fence is longer than any in it.
  private static func fenced(_ text: String, _ language: String) -> String {
    var (longest, run) = (0, 0)
    for character in text {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "\(fence)\(language)\n\(text)\(fence)"
  }
}
