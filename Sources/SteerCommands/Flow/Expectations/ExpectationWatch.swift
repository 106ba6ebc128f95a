import Foundation
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// Evaluates expressions after every event, in the order of the log, and whenever something changes
/// that the log does not record: bytes, progress, a priority, a queue, a time that grows.
///
/// No event is left out. What an event costs does not depend on how many operations there are: an
/// entry changes one operation, and ``LiveCount`` keeps what `count of` gives. A count for which that
/// is not possible, such as one of queues, is counted anew after each event.
final class ExpectationWatch {
  private let invocation: Invocation
  private let counts: LiveCounts
  private let times: LiveTimes
  private let unlogged: UnloggedChanges
  private let moment: Moment
  /// The next entry of the log.
  private var cursor: Int
  /// Whether the moment is the present, and not one in the log.
  private(set) var isAtPresent = false
  /// Whether it looks through all that has happened since the start of the run.
  let isFromStart: Bool
  /// Whether the moment at which the statement began was looked at.
  private var hasBegun: Bool

  /// How many entries are looked at before signals are answered.
  private static let pageSize = 1024

  /// Creates a watch that begins at the present, or at the start of the run.
  init(
    _ expressions: [ShellLanguage.Expression], _ invocation: Invocation,
    fromStart isFromStart: Bool = false
  ) {
    self.invocation = invocation
    self.isFromStart = isFromStart
    // Before the run there was nothing to look at.
    hasBegun = isFromStart
    let log = invocation.jobs.engine.log
    if isFromStart {
      cursor = 0
      moment = Moment(before: 0, in: log, at: invocation.jobs.engine.startInstant)
    } else {
      cursor = log.count
      // Each transition has a time of its own, so that the last may be ahead of a clock that stands.
      let last = log.entries(from: max(0, cursor - 1), limit: 1).entries.first?.time
      moment = Moment(
        before: cursor, in: log, at: max(invocation.run.clock.now, last ?? invocation.run.clock.now)
      )
    }
    counts = LiveCounts(expressions, invocation, at: moment)
    times = LiveTimes(expressions, invocation, counts)
    unlogged = UnloggedChanges(expressions, invocation)
  }

  /// Whether an expression holds at the moment.
  ///
  /// A property of what is null yet, such as the code of an error that may still come, does not
  /// hold: it is looked at again after the next event.
  func holds(_ expression: ShellLanguage.Expression) throws -> Bool {
    invocation.jobs.noteConditionCheck()
    do {
      return try invocation.context.holds(expression)
    } catch let missing as Diagnostic where missing.is(.noValue) {
      return false
    }
  }

  /// What was true at the moment that was looked at last.
  func atMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    try CurrentMoment.with(moment, body)
  }

  /// The next time at which an expression may change by itself; nil where only events change it.
  func nextLook() -> ContinuousClock.Instant? { times.next(after: moment) }

  /// Walks along what has happened since the last call, and looks at the end at what is now.
  ///
  /// - Parameter look: Looks; true ends the walk.
  /// - Returns: Whether `look` has ended it.
  /// - Throws: What `look` throws, and where the log has lost entries that were not looked at.
  func walk(_ look: () throws -> Bool) throws -> Bool {
    unlogged.watch()
    counts.refresh()
    unlogged.take().forEach(counts.note)
    if !hasBegun {
      hasBegun = true
      if try atPresentMoment(look) { return true }
    }
    var isFirstPage = true
    while true {
      if !isFirstPage, try invocation.run.pump(runsHandlers: false) {
        throw Interruption("stopped waiting for the expectation")
      }
      isFirstPage = false
      let (entries, next) = invocation.jobs.engine.log.entries(from: cursor, limit: Self.pageSize)
      guard let first = entries.first else { break }
      guard first.sequence == cursor else { throw lostEntries(first.sequence - cursor) }
      cursor = next
      counts.refresh()
      for entry in entries {
        if try pass(entry, look) { return true }
      }
    }
    counts.refresh()
    unlogged.take().forEach(counts.note)
    moment.advance(to: invocation.run.clock.now)
    isAtPresent = true
    defer { isAtPresent = false }
    return try atPresentMoment(look)
  }

  /// Looks before and after an entry; before it only where time has changed something.
  private func pass(_ entry: EventLog.Entry, _ look: () throws -> Bool) throws -> Bool {
    if times.areRead {
      moment.advance(to: entry.time)
      if try atPresentMoment(look) { return true }
    }
    moment.pass(entry)
    counts.note(entry.operation.id)
    return try atPresentMoment(look)
  }

  /// Looks with the kept counts.
  private func atPresentMoment(_ look: () throws -> Bool) throws -> Bool {
    try LiveCounts.current.with(counts) { try atMoment(look) }
  }

  private func lostEntries(_ count: Int) -> Diagnostic {
    invocation.call.failure(
      .recordDropped,
      "the log no longer has \(count) of the events that the expectation has to look at",
      at: Expect.expression, help: "'set keep N' keeps more")
  }
}

@available(*, unavailable)
extension ExpectationWatch: Sendable {}
