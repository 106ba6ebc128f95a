import Foundation
import Locking
import Networking
import Secrets
import ShellLanguage
import Terminal

extension Session {
  /// Shows an error or a warning: as text on standard error, with `--json` as an object as well.
  func report(_ diagnostic: Diagnostic) {
    var diagnostic = diagnostic
    // The system's own errors, such as `file(2)`, know no better.
    if diagnostic.help == nil, diagnostic.code.hasSuffix(")") {
      diagnostic.help = ErrorCatalog.help(forSystem: diagnostic.code)
    }
    if output.isJSON {
      if diagnostic.severity == .error { output.object("error", JSONFields(of: diagnostic)) }
      if state.withLock({ $0.describesDiagnostics }) {
        output.object("diagnostic", JSONFields(describing: diagnostic))
      }
    }
    if diagnostic.severity == .error { state.withLock { $0.lastErrorCode = diagnostic.code } }
    let whole = renderer.lines(of: diagnostic)
    let shown = omitsPlaces ? renderer.lines(of: diagnostic) { !$0.isTypedLine } : whole
    let typed = recorder.map { renderer.lines(of: $0.asTyped(diagnostic)) } ?? whole
    for (line, recorded) in zip(shown, typed) {
      output.line(
        Self.styled(line, diagnostic.severity), to: .standardError,
        recorded: Self.styled(recorded, diagnostic.severity))
    }
    for line in (diagnostic.underlying as? ExpectationFailure)?.transitions ?? [] {
      output.line(line, to: .standardError)
    }
  }

  /// Whether errors in a line that was typed leave out its place: on a terminal the line stands
  /// above, and the caret is the place.
  private var omitsPlaces: Bool { !output.isJSON && state.withLock { $0.isTypedOnTerminal } }

  /// What the parts of an error look like where the terminal has colours.
  private static func styled(
    _ line: DiagnosticRenderer.Line, _ severity: Diagnostic.Severity
  ) -> StyledText {
    let color: TextColor = severity == .error ? .red : .yellow
    return line.parts.reduce(into: StyledText()) { text, part in
      let style: TextStyle
      switch part.role {
      case .place, .message: style = .bold
      case .severity: style = TextStyle(color: color, bold: true)
      case .code: style = .dim
      case .carets: style = TextStyle(color: color)
      case .note: style = TextStyle(color: .cyan)
      case .help: style = TextStyle(color: .green)
      case .plain: style = .plain
      }
      // It quotes the source, which may hold a key.
      text.append(.init(SecretText.mask(part.text), style: style))
    }
  }

  /// Shows an error that no statement is to blame for: an unreadable file, a limit that is over.
  ///
  /// Its place is the beginning of the file it is about, else where the run was when it happened.
  func complain(_ code: String, _ message: String, file: String? = nil, help: String? = nil) {
    let (ended, program) = state.withLock { ($0.endedAt, $0.programName) }
    let place =
      file == nil
      ? ended ?? (SourceText(name: program, text: ""), SourceRange(0, 0))
      : (SourceText(name: file ?? "", text: ""), SourceRange(0, 0))
    report(
      Diagnostic(
        code: code, message: message, source: place.0, range: place.1, help: help,
        phase: .running))
  }

  /// A remark that is no error and no command's text.
  func remark(_ text: String) {
    output.line(StyledText("opsh: " + VisibleText.escape(text)), to: .standardError)
  }

  /// Tells of something that happened by itself, as transitions are told of; no command prints it.
  func tell(_ command: String, _ text: String) {
    if output.isJSON {
      return output.object("message", ["command": .string(command), "text": .string(text)])
    }
    guard feed.destination != .off || isInteractive else { return }
    output.line(
      StyledText(VisibleText.escape(text), style: .dim),
      to: isInteractive ? .standardOutput : .standardError)
  }
}

extension SourceText {
  /// What the text that is typed at the prompt is called.
  static let promptName = "<prompt>"

  /// Whether it is one line that was typed at the prompt.
  fileprivate var isTypedLine: Bool { name == Self.promptName && isOneLine }
}

extension JSONFields {
  /// An error as every `--json` shows it.
  init(of diagnostic: Diagnostic) {
    self = [
      "code": .string(diagnostic.code), "message": .string(SecretText.mask(diagnostic.message)),
      "file": .string(diagnostic.source.name), "line": .number(diagnostic.line),
      "column": .number(diagnostic.column), "help": .optional(diagnostic.help.map(SecretText.mask)),
    ]
  }

  /// All that there is to an error or a warning: what `--check --json` gives an editor.
  init(describing diagnostic: Diagnostic) {
    self = ["severity": .string(diagnostic.severity.rawValue)]
    members += Self(of: diagnostic).members
    append("end", Self.place(diagnostic.endPlace))
    append(
      "labels",
      .array(
        diagnostic.labels.map { label in
          JSONFields([
            .init(name: "message", value: .string(label.message)),
            .init(name: "file", value: .string(label.source.name)),
            .init(name: "start", value: Self.place(label.source.place(of: label.range.lower))),
            .init(name: "end", value: Self.place(label.source.place(of: label.range.upper))),
          ]).value
        }))
  }

  private static func place(_ place: SourcePlace) -> JSONValue {
    JSONFields([
      .init(name: "line", value: .number(place.line)),
      .init(name: "column", value: .number(place.column)),
    ]).value
  }
}
