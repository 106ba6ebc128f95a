import Foundation
import Networking
import ShellCommands
import ShellLanguage
import ShellOutput
import ShellSession
import Terminal
import Transcripts

extension Shell {
  /// Runs the lines of a transcript, and writes their results to a file, as JSON.
  ///
  /// - Throws: What ends the session; at the end `quit`, even with unfinished operations.
  func runTranscript(_ path: String, result: String, isUpdating: Bool) throws {
    let transcript: Transcript
    do {
      let text = try ScriptFile.text(
        of: session.configuration.path(path), name: path, session.attendBlocked)
      transcript = try Transcript(parsing: text)
    } catch let fault as Transcript.Fault {
      session.complain(.badTranscript, "\(path):\(fault.line): \(fault.message)", file: path)
      session.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
    let place = session.configuration.path(result)
    let descriptor = open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw UnplacedError.file(result, errno) }
    defer { close(descriptor) }
    let runner = TranscriptRunner(transcript, shell: self, isUpdating: isUpdating) { result in
      _ = Output.writeFully(result.json.text + "\n", to: descriptor)
    }
    try runner.run()
    throw SessionEnd(cause: .quit(status: 0, now: true))
  }
}
