import Foundation
import Locking
import ShellLanguage
import Terminal

/// Writes what is typed, and what comes of it, as a transcript: `--transcript FILE`.
final class TranscriptRecorder: Sendable {
  private struct State {
    var transcript = Transcript()
    /// The statements of the script that is run; each counts as typed.
    var statements: Set<ObjectIdentifier> = []
  }

  private let state = Locked(State())
  private let sink: FileSink

  /// Opens the file, so that one that can't be written is an error at once; what was there stays until
  /// all is written.
  init(path: String, columns: Int?) throws(RedirectionError) {
    sink = try FileSink(path: path, shown: path, isAppending: false)
    state.withLock { $0.transcript.header = Transcript.heading(columns: columns) }
  }

  /// A line is about to run.
  func begin(_ input: String, at prompt: String) {
    let trimmed = input.hasSuffix("\n") ? String(input.dropLast()) : input
    state.withLock { state in
      state.transcript.steps.append(
        Transcript.Step(
          line: 0, prompt: prompt.hasSuffix(" ") ? String(prompt.dropLast()) : prompt,
          input: SecretMask.mask(trimmed), output: []))
    }
  }

  /// Takes a line of output; what comes before the first line that is typed belongs to nothing.
  func take(_ line: StyledText) {
    state.withLock { state in
      guard !state.transcript.steps.isEmpty else { return }
      let last = state.transcript.steps.count - 1
      for part in line.plain.split(separator: "\n", omittingEmptySubsequences: false) {
        state.transcript.steps[last].output.append(TranscriptLine.written(String(part)))
      }
    }
  }

  /// From now on these statements count as typed.
  func watch(_ script: Script) {
    state.withLock { $0.statements.formUnion(script.statements.map(ObjectIdentifier.init)) }
  }

  func isWatched(_ statement: Statement) -> Bool {
    state.withLock { $0.statements.contains(ObjectIdentifier(statement)) }
  }

  /// Writes the file.
  func finish() throws {
    sink.write(text: state.withLock { $0.transcript.text })
    try sink.close()
  }
}

extension Session {
  /// Notes a statement of a script as if it had been typed, after what happened before it.
  func record(_ statement: Statement, in context: ExecutionContext) {
    guard let recorder, isOnInterpreterThread, recorder.isWatched(statement) else { return }
    feed.drain()
    recorder.begin(context.source.text(in: statement.range), at: promptText().plain)
  }
}
