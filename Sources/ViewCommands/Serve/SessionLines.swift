import SessionServer
import ShellSession

/// The lines of a session for its live server: those of a recording, and the spans.
final class SessionLines: LineSource {
  private var lines: RecordingLines

  private let isCurrent: () -> Bool

  /// - Parameters:
  ///   - run: The run of the session.
  ///   - jobs: Its operations.
  ///   - notice: What is said first, of a session that has taken the place of another.
  ///   - isCurrent: Returns whether no other session has taken its place.
  init(
    of run: Run, _ jobs: Jobs, notice: String? = nil,
    isCurrent: @escaping () -> Bool = { true }
  ) {
    lines = RecordingLines(of: run, spans: PageSpans(of: jobs), notice: notice)
    self.isCurrent = isCurrent
  }

  var isOutOfDate: Bool { !isCurrent() }

  /// About how many lines are read at once.
  private static let piece = 2000

  func next() -> [String] { lines.hasNews ? lines.next(limit: Self.piece) : [] }

  var hasMore: Bool { lines.isBehind }

  func end(status: Int32) -> [String] { lines.end(status: status) }
}

@available(*, unavailable)
extension SessionLines: Sendable {}
