import CommandParts
import OpshNetworking
import Operations
import ShellSession

/// The spans of a session's operations and queues, as its page shows them.
///
/// It is asked after each entry and each change of the log, in their order, from the first one that
/// the log keeps, and answers with what begins there. A page that shows the session from its beginning
/// has a value of its own.
final class PageSpans: SpanSource {
  private let jobs: Jobs
  private let account: LifeAccount
  /// Since when each operation works that does.
  private var working: [Int: ContinuousClock.Instant] = [:]
  /// The last work of requests that finished before their transfers did.
  private var outrun: [Int: LifeSpan] = [:]
  /// The operations that are told to wait in a circle.
  private var inCircle: Set<Int> = []
  /// The numbers of the log's entries and changes when circles were looked for.
  private var looked = (entries: 0, changes: 0)

  init(of jobs: Jobs) {
    self.jobs = jobs
    account = LifeAccount(following: jobs.engine.log)
  }

  func spans(after event: SpanEvent) -> [RecordedSpan] {
    if case .transfers(let operation) = event {
      return outrun.removeValue(forKey: operation.id).map { steps(of: operation, in: $0) } ?? []
    }
    return lines(for: event).flatMap { span in
      guard case .operation(let id) = span.subject else { return [span] }
      inCircle.remove(id)
      let start = working.removeValue(forKey: id)
      if span.cause == Cause.work.rawValue { working[id] = span.time }
      guard let start, let operation = jobs.operations.operation(id: id) else { return [span] }
      let work = LifeSpan(cause: .work, start: start, end: span.time)
      guard operation.networkMetrics?.isTransferring != true else {
        outrun[id] = work
        return [span]
      }
      return steps(of: operation, in: work) + [span]
    }
  }

  /// The steps of a request within its work, of which is known when that has ended; none for other
  /// operations.
  private func steps(of operation: ObservableOperation, in work: LifeSpan) -> [RecordedSpan] {
    let phases = LifeSpan.steps(of: operation, in: [work])
    return phases.drop { $0.cause == .work }.map {
      RecordedSpan(of: .operation(operation.id), at: $0.start, $0.cause.rawValue)
    }
  }

  /// Returns the spans that begin with an event, or began by the time alone since the one before.
  ///
  /// - Parameter event: The entry or change, or the present after the last of these.
  /// - Returns: The spans in their order.
  private func lines(for event: SpanEvent) -> [RecordedSpan] {
    switch event {
    case .log(let event):
      // What has lasted until the event is put into words before that changes it.
      account.advance(to: event.time)
      let lasting = news(isUpToDate: false)
      account.follow(event)
      return lasting + news(isUpToDate: false)
    case .time(let now):
      account.advance(to: now)
      return news(isUpToDate: true) + circles()
    case .transfers: return []
    }
  }

  /// Looks for circles if something has happened since the last look: a span begins where one has
  /// closed, and where one has opened, the span before goes on.
  private func circles() -> [RecordedSpan] {
    let log = jobs.engine.log
    guard (log.count, log.changeCount) != looked else { return [] }
    looked = (log.count, log.changeCount)
    let circles = account.circles()
    let found = Set(circles.flatMap(\.operations))
    let opened = inCircle.subtracting(found).sorted().compactMap(account.lastNews).map(recorded)
    let closed = circles.flatMap { circle in
      let reason = WhyReason(circle.reason, in: jobs)
      return circle.operations.filter { !inCircle.contains($0) }.map {
        RecordedSpan(
          of: .operation($0), at: circle.start, Cause.deadlock.rawValue, text: reason.text,
          cure: reason.cure)
      }
    }
    inCircle = found
    return opened + closed
  }

  private func news(isUpToDate: Bool) -> [RecordedSpan] {
    account.takeNews(isUpToDate: isUpToDate).map(recorded)
  }

  private func recorded(_ span: SpanNews) -> RecordedSpan {
    let reason = account.reason(for: span).map { WhyReason($0, in: jobs) }
    var text = reason?.text
    if span.cause == .dependency, let culprit = span.culprit {
      // It changes its state meanwhile, which the page knows; and while it is held, the log has no name.
      text = jobs.operations.operation(id: culprit).map { "waits for '\($0.displayName)'" } ?? text
    }
    return RecordedSpan(
      of: span.subject, at: account.start(of: span),
      span.isShared ? "queue" : span.cause?.rawValue, culprit: span.culprit,
      text: text, cure: reason?.cure, owed: span.owed, rank: span.rank,
      continues: span.continues)
  }
}

@available(*, unavailable)
extension PageSpans: Sendable {}

extension EventLog.Event {
  /// When it happened.
  fileprivate var time: ContinuousClock.Instant {
    switch self {
    case .entry(let entry): entry.time
    case .change(let change): change.time
    }
  }
}
