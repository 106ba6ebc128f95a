import OpshJSON
package import Operations
import ShellOutput

/// The beginning of a span: from now on this, and nothing else, keeps an operation or a queue.
package struct RecordedSpan: Sendable {
  /// The operation or queue whose span it is.
  package let subject: EventLog.Change.Subject
  /// When the span begins, and the one before ends.
  package let time: ContinuousClock.Instant
  /// The code of the ``Cause``; `queue` for an operation that is ready and shares the span of its
  /// queue, nil if nothing keeps the subject.
  package let cause: String?
  /// The operation that the span is owed to, as far as that is known at its beginning.
  let culprit: Int?
  /// What keeps the subject, in a sentence without a final full stop; nil if there is nothing to say.
  let text: String?
  /// The command that helps.
  let cure: String?
  /// The operation that the span before was owed to, where only its end has told.
  let owed: Int?
  /// The place of a ready operation among those of its queue: the least starts first.
  let rank: Int?
  /// Whether the span before goes on, and only what is said of it is new.
  let continues: Bool

  package init(
    of subject: EventLog.Change.Subject, at time: ContinuousClock.Instant, _ cause: String?,
    culprit: Int? = nil, text: String? = nil, cure: String? = nil, owed: Int? = nil,
    rank: Int? = nil, continues: Bool = false
  ) {
    (self.subject, self.time, self.cause) = (subject, time, cause)
    (self.culprit, self.text, self.cure, self.owed) = (culprit, text, cure, owed)
    (self.rank, self.continues) = (rank, continues)
  }

  /// The members of its line that do not name the subject.
  var fields: JSONFields {
    [
      "cause": .optional(cause), "culprit": .optional(culprit), "text": .optional(text),
      "cure": .optional(cure), "owed": .optional(owed), "rank": .optional(rank),
      "continues": .boolean(continues),
    ]
  }
}

/// Gives the spans of a session while the lines of its recording are read, in the same order.
package protocol SpanSource: AnyObject {
  /// Returns the spans that begin with an entry or a change of the log, or began since the one before.
  func spans(after event: SpanEvent) -> [RecordedSpan]
}

/// An event after which spans may begin.
package enum SpanEvent {
  /// An entry or a change of the log.
  case log(EventLog.Event)
  /// The transfers of an operation that had finished before them have ended.
  case transfers(ObservableOperation)
  /// The log has been read to its end, and it is this time.
  case time(ContinuousClock.Instant)
}
