import Foundation
import OpshNetworking
import ShellCommands
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls
import OpshTranscripts

extension Shell {
  /// Runs the lines of a transcript, and writes their results to a file, as JSON.
  ///
  /// - Throws: What ends the session; at the end `quit`, even with unfinished operations.
  func runTranscript(_ path: String, result: String, isUpdating: Bool) throws {
    let transcript: Transcript
    do {
      let text = try ScriptFile.text(
        of: session.outside.path(path), name: path, session.run.attendBlocked)
      transcript = try Transcript(parsing: text)
    } catch let fault as Transcript.Fault {
      session.screen.complain(.badTranscript, "\(path):\(fault.line): \(fault.message)", file: path)
      session.jobs.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
    let place = session.outside.path(result)
    let descriptor = open(place.forSystem, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw UnplacedError.file(result, errno) }
    defer { close(descriptor) }
    let runner = TranscriptRunner(transcript, shell: self, isUpdating: isUpdating) { result in
      _ = writeFully(result.json.text + "\n", to: descriptor)
    }
    try runner.run()
    throw SessionEnd(cause: .quit(status: 0, now: true))
  }

  /// - Returns: 1 with the reason if the transcript can't be written.
  func finishTranscript() -> Int32 {
    guard let recorder = session.screen.transcript else { return 0 }
    session.screen.output.setTap(isSilent: false, nil)
    do {
      try recorder.finish(
        ofScript: !session.screen.isInteractive, ending: session.screen.output.ending)
      return 0
    } catch let error as UnplacedError {
      session.screen.complain(error.page, error.message)
    } catch {
      session.screen.complain(.file, "\(error)")
    }
    return 1
  }

  /// - Returns: The status of the signal or the time limit because of which the last lines of the
  ///   run were discarded; 0 if all were written.
  func statusOfDiscarded() -> Int32 {
    guard session.screen.output.ending.hasDiscarded else { return 0 }
    do {
      // Reads the signal, unless that has been done before.
      try session.run.attendBlocked()
      return 0
    } catch let end as SessionEnd {
      return self.status(of: end.cause)
    } catch {
      return 128 + SIGINT
    }
  }

  private func status(of cause: SessionEnd.Cause) -> Int32 {
    switch cause {
    case .signal(let number): 128 + number
    case .timeout: SessionEnd.timeoutStatus
    case .quit, .refused, .outputLost: 1
    }
  }
}
