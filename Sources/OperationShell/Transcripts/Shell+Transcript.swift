import Foundation
import Networking
import ShellLanguage
import Terminal

extension Shell {
  /// Types the lines of a transcript, and writes what comes of each to a file, as JSON.
  ///
  /// - Throws: What ends the session; at the end that it is over, whatever is unfinished.
  func runTranscript(_ path: String, result: String, isUpdating: Bool) throws {
    let transcript: Transcript
    do {
      transcript = try Transcript(parsing: ScriptFile.text(of: path, name: path))
    } catch let fault as Transcript.Fault {
      session.complain("bad-transcript", "\(path):\(fault.line): \(fault.message)", file: path)
      session.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
    let descriptor = open(result, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw RedirectionError.file(result, errno) }
    defer { close(descriptor) }
    let runner = TranscriptRunner(transcript, shell: self, isUpdating: isUpdating) { result in
      _ = Output.writeFully(result.json.text + "\n", to: descriptor)
    }
    try runner.run()
    throw SessionEnd(cause: .quit(status: 0, now: true))
  }
}
