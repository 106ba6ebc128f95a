import SessionServer
import ShellSession

/// The lines of a session for its live server: those of a recording.
final class SessionLines: LineSource {
  private var lines: RecordingLines

  init(of session: Session) {
    lines = RecordingLines(of: session)
  }

  func next() -> [String] { lines.hasNews ? lines.next() : [] }

  func end(status: Int32) -> [String] { lines.end(status: status) }
}

@available(*, unavailable)
extension SessionLines: Sendable {}
