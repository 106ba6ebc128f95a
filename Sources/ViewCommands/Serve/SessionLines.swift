import SessionServer
import ShellSession

/// The lines of a session for its live server: those of a recording, and the spans.
final class SessionLines: LineSource {
  private var lines: RecordingLines

  init(of run: Run, _ jobs: Jobs) {
    lines = RecordingLines(of: run, spans: PageSpans(of: jobs))
  }

  /// About how many lines are read at once.
  private static let piece = 2000

  func next() -> [String] { lines.hasNews ? lines.next(limit: Self.piece) : [] }

  var hasMore: Bool { lines.isBehind }

  func end(status: Int32) -> [String] { lines.end(status: status) }
}

@available(*, unavailable)
extension SessionLines: Sendable {}
