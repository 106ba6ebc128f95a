import Foundation
import OpshLocking
import OpshNetworking
import OpshSecrets
package import ShellLanguage
import ShellOutput
package import OpshTerminal

extension Screen {
  /// Shows an error or a warning as text on standard error, and with `--json` also as an object.
  package func report(_ diagnostic: Diagnostic) {
    let diagnostic = shortened(diagnostic)
    if output.isJSON {
      if diagnostic.severity == .error { output.object("error", JSONFields(of: diagnostic)) }
      if state.withLock({ $0.describesDiagnostics }) {
        output.object("diagnostic", JSONFields(describing: diagnostic))
      }
    }
    if diagnostic.severity == .error { state.withLock { $0.lastErrorTopic = diagnostic.topic } }
    guard isShown(diagnostic) else { return }
    let whole = renderer.lines(of: diagnostic)
    let shown = omitsPlaces ? renderer.lines(of: diagnostic) { !$0.isTypedLine } : whole
    let typed = transcript.map { renderer.lines(of: $0.asTyped(diagnostic)) } ?? whole
    for (line, recorded) in zip(shown, typed) {
      output.line(
        Self.styled(line, diagnostic.severity), to: .standardError,
        recorded: Self.styled(recorded, diagnostic.severity),
        // A line of the source stays whole: the carets stand below it.
        folds: line.parts.contains { [.severity, .note, .help].contains($0.role) })
    }
    for line in (diagnostic.underlying as? ExpectationFailure)?.transitions ?? [] {
      output.line(line, to: .standardError)
    }
  }

  /// Whether equal errors are counted instead of shown: files, pipes and `--json` get all.
  private var countsErrors: Bool {
    output.terminals.contains(.standardError) && !output.isJSON && transcript == nil
  }

  /// Counts an error on a terminal, wherever it is; says once that further equal ones are only
  /// counted.
  private func isShown(_ diagnostic: Diagnostic) -> Bool {
    guard countsErrors else { return true }
    let count = output.repeatedErrors.count(
      secrets.mask("\(diagnostic.message) [\(diagnostic.code)]"))
    if count == RepeatedErrors.mostShown + 1 { remark("more of these errors are only counted") }
    return count <= RepeatedErrors.mostShown
  }

  /// Says how often errors came that were not shown each time.
  package func reportRepeatedErrors() {
    for (error, count) in output.repeatedErrors.takeHidden() {
      remark("\(count) more times: \(error)")
    }
  }

  /// How many bytes a word in an error may have before its middle is left out.
  private static let longestWord = 4_000

  /// The same without the middle of very long words, which an error quotes from a script.
  ///
  /// Secrets are masked before, because what is left of one does not show what it is.
  private func shortened(_ diagnostic: Diagnostic) -> Diagnostic {
    func shortened(_ text: String) -> String {
      guard text.utf8.count > Self.longestWord else { return text }
      var (shown, rest) = ("", secrets.mask(text)[...])
      while !rest.isEmpty {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...]
        // A character may have any number of scalars.
        let scalars = word.unicodeScalars
        shown +=
          word.utf8.count <= Self.longestWord
          ? word : "\(Substring(scalars.prefix(80)))…\(Substring(scalars.suffix(40)))"
        let space = rest.prefix(while: \.isWhitespace)
        rest = rest[space.endIndex...]
        shown += space
      }
      return shown
    }
    var copy = diagnostic
    copy.message = shortened(copy.message)
    copy.help = copy.help.map(shortened)
    return copy
  }

  /// Whether errors in a typed line omit its place: on a terminal the line is above the error, and
  /// the caret marks the place.
  private var omitsPlaces: Bool {
    if !output.isJSON, case .prompt(onTerminal: true) = typing { true } else { false }
  }

  /// The styles of the parts of an error on a terminal with colours.
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
      // The text quotes the source, which may contain a key.
      text.append(.init(SecretText.mask(part.text), style: style))
    }
  }

  /// Shows an error that no statement caused: an unreadable file, an exceeded limit.
  ///
  /// Its place is the start of the file in question, otherwise the statement that was running.
  package func complain(
    _ page: ErrorPage, _ message: String, file: String? = nil, help: String? = nil
  ) {
    let (ended, program) = state.withLock { ($0.endedAt, $0.programName) }
    let place =
      file == nil
      ? ended ?? (SourceText(name: program, text: ""), SourceRange(0, 0))
      : (SourceText(name: file ?? "", text: ""), SourceRange(0, 0))
    report(Diagnostic(page, message, source: place.0, range: place.1, help: help, phase: .running))
  }

  /// Shows a remark that is neither an error nor the output of a command.
  package func remark(_ text: String) {
    output.line(
      StyledText("opsh: " + VisibleText.escape(text)), to: .standardError, folds: true)
  }

  /// Says where `back` has returned to.
  ///
  /// - Parameters:
  ///   - statement: The statement that is the last one now; nil at the beginning.
  ///   - time: The time there, as the first column shows it.
  ///   - files: What was written after that, and stays.
  package func showReturn(to statement: String?, at time: ContinuousClock.Instant, files: [String])
  {
    let seconds = output.clock.number(output.clock.elapsed(time))
    if output.isJSON {
      return output.object(
        ObjectKind.back.type,
        ObjectKind.back.fields([
          "statement": .optional(statement.map(secrets.mask)), "now": .seconds(seconds),
          "files": .array(files.map { .string($0) }),
        ]))
    }
    let first = statement?.split(whereSeparator: \.isNewline).first.map(String.init)
    let place = first.map { "after '\(TextWidth.truncate(secrets.mask($0), to: 60))'" }
    let clock = TransitionText.time(seconds).drop { $0 == " " }
    remark("back at \(clock), \(place ?? "at the beginning")")
    guard !files.isEmpty else { return }
    remark("written since, and left as it is: " + files.joined(separator: ", "))
  }

  /// Shows the effect of a command that steers, in the way transitions are shown.
  package func show(_ effect: SteeringEffect) { feed.show(effect) }

  /// Shows an event that happened by itself, in the way transitions are shown.
  package func tell(_ command: String, _ text: String) {
    typed.excluding {
      if output.isJSON {
        return output.object("message", ["command": .string(command), "text": .string(text)])
      }
      guard feed.destination != .off || isInteractive else { return }
      output.line(
        StyledText(VisibleText.escape(text), style: .dim),
        to: isInteractive ? .standardOutput : .standardError)
    }
  }
}

extension SourceText {
  /// Whether the source is a single line that was typed at the prompt.
  fileprivate var isTypedLine: Bool { name == Self.promptName && isOneLine }
}

extension JSONFields {
  /// The form of an error in every `--json` output.
  init(of diagnostic: Diagnostic) {
    self = [
      "code": .string(diagnostic.code), "message": .string(SecretText.mask(diagnostic.message)),
      "file": .string(diagnostic.source.name), "line": .number(diagnostic.line),
      "column": .number(diagnostic.column), "help": .optional(diagnostic.help.map(SecretText.mask)),
    ]
  }

  /// The full description of an error or a warning, as `--check --json` prints it for editors.
  init(describing diagnostic: Diagnostic) {
    self = ["severity": .string(diagnostic.severity.rawValue)]
    members += Self(of: diagnostic).members
    append("end", Self.place(diagnostic.endPlace))
    append(
      "labels",
      .array(
        diagnostic.labels.map { label in
          JSONValue.members([
            "message": .string(label.message), "file": .string(label.source.name),
            "start": Self.place(label.source.place(of: label.range.lower)),
            "end": Self.place(label.source.place(of: label.range.upper)),
          ])
        }))
  }

  private static func place(_ place: SourcePlace) -> JSONValue {
    JSONValue.members(["line": .number(place.line), "column": .number(place.column)])
  }
}

/// The underlying error of a failed expectation.
package struct ExpectationFailure: Error {
  package let transitions: [StyledText]

  package init(transitions: [StyledText]) {
    self.transitions = transitions
  }
}
