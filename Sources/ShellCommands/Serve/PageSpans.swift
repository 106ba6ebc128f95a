import Operations
import ShellSession

/// The spans of a session's operations and queues, as its page shows them.
///
/// It is asked after each entry and each change of the log, in their order, from the first one that
/// the log keeps, and answers with what begins there. A page that shows the session from its beginning
/// has a value of its own.
final class PageSpans: SpanSource {
  private let session: Session

  init(of session: Session) { self.session = session }

  func spans(after event: SpanEvent) -> [RecordedSpan] { lines(for: event) }

  /// Returns the spans that begin with an event, or began by the time alone since the one before.
  ///
  /// - Parameter event: The entry or change, the end of transfers, or the present.
  /// - Returns: The spans in their order; those of a request's steps when they are known.
  private func lines(for event: SpanEvent) -> [RecordedSpan] { [] }
}

@available(*, unavailable)
extension PageSpans: Sendable {}
