import Foundation
import OpshLocking
import OpshSecrets
package import ShellLanguage
package import ShellOutput
package import OpshTerminal
import OpshTranscripts

/// Writes typed lines and their output as a transcript: `--transcript FILE`.
package final class TranscriptRecorder: Sendable {
  private struct State {
    var transcript = Transcript()
    /// The statements of the running script; each counts as typed.
    var statements: Set<ObjectIdentifier> = []
    var scripts: [Script] = []
    var isStopped = false
  }

  private let state = Locked(State())
  private let sink: FileSink
  private let columns: Int?
  private let secrets: SecretMask

  /// Opens the file, so that an unwritable one is an error at once; existing content stays until
  /// everything is written.
  init(path: String, columns: Int?, secrets: SecretMask) throws {
    self.secrets = secrets
    self.columns = columns
    sink = try FileSink(path: path, shown: path, isAppending: false, mode: 0o600)
  }

  /// A line is about to run.
  func begin(_ input: String, at prompt: String) {
    let trimmed = input.hasSuffix("\n") ? String(input.dropLast()) : input
    state.withLock { state in
      state.transcript.steps.append(
        Transcript.Step(
          line: 0, prompt: prompt.hasSuffix(" ") ? String(prompt.dropLast()) : prompt,
          input: secrets.mask(trimmed), output: []))
    }
  }

  /// Records a line of output; output before the first typed line is ignored.
  package func take(_ line: StyledText) {
    state.withLock { state in
      guard !state.transcript.steps.isEmpty, !state.isStopped else { return }
      let last = state.transcript.steps.count - 1
      let text = state.scripts.reduce(line.plain) { TypedPlace.asTyped($0, in: $1) }
      for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
        state.transcript.steps[last].output.append(TranscriptLine.written(String(part)))
      }
    }
  }

  /// Makes these statements count as typed.
  package func watch(_ script: Script) {
    state.withLock { state in
      state.statements.formUnion(script.statements.map(ObjectIdentifier.init))
      state.scripts.append(script)
    }
  }

  /// Stops recording: the end of a script's run does not happen at a prompt.
  package func stop() { state.withLock { $0.isStopped = true } }

  /// An error of the running script, in the form it has if each statement is typed.
  func asTyped(_ diagnostic: Diagnostic) -> Diagnostic {
    let scripts = state.withLock { $0.scripts }
    return diagnostic.mapPlaces { source, range in
      guard let script = scripts.last(where: { $0.source.isSame(as: source) }),
        let statement = script.statements.last(where: { $0.range.lower <= range.lower }),
        range.lower <= statement.range.upper
      else { return (source, range) }
      let (lower, upper) = (statement.range.lower, statement.range.upper)
      return (
        SourceText(
          name: SourceText.promptName, text: script.source.text(in: statement.range)),
        SourceRange(range.lower - lower, min(range.upper, upper) - lower)
      )
    }
  }

  func isWatched(_ statement: Statement) -> Bool {
    state.withLock { $0.statements.contains(ObjectIdentifier(statement)) }
  }

  /// Writes the file; without typed lines there is no file.
  ///
  /// - Parameters:
  ///   - isOfScript: Whether nothing was typed at a prompt.
  ///   - ending: Whether the run ends, which ends the writing to a full pipe.
  /// - Throws: The system's error.
  package func finish(ofScript isOfScript: Bool, ending: RunEnding) throws {
    var transcript = state.withLock { $0.transcript }
    guard !transcript.steps.isEmpty else { return sink.abandon() }
    transcript.header = Transcript.heading(columns: columns, isOfScript: isOfScript)
    // A text in an early line may be sent as a credential only later.
    sink.write(secrets.known.mask(transcript.text), ending: ending)
    try sink.close()
  }
}

/// Places in the middle of a text: `(tour.opsh:12)`.
enum TypedPlace {
  /// Returns a text with line numbers relative to each typed statement.
  static func asTyped(_ text: String, in script: Script) -> String {
    let mark = "(\(script.source.name):"
    guard let start = text.range(of: mark) else { return text }
    let digits = text[start.upperBound...].prefix { $0.isNumber }
    guard let line = Int(digits),
      let statement = script.statements.last(where: {
        script.source.place(of: $0.range.lower).line <= line
      })
    else { return text }
    let first = script.source.place(of: statement.range.lower).line
    // Another statement of standard input has its own numbering.
    guard line <= script.source.place(of: statement.range.upper).line else { return text }
    let rest = asTyped(String(text[digits.endIndex...]), in: script)
    return text[..<start.lowerBound] + "(\(SourceText.promptName):\(line - first + 1)" + rest
  }
}
