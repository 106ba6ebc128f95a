public import Foundation
import Locking

/// The record of every transition, and the lock under which the transitions happen.
///
/// Operations and queues that work together share one log: an entry is written in the same
/// critical section as the change it tells of, so the order of the entries *is* the order of
/// events. Readers take copies by cursor and never hold anything up:
///
/// ```swift
/// var cursor = 0
/// let page = log.entries(from: cursor, limit: 100)
/// for entry in page.entries { print(entry.operation.name, entry.from, entry.to, entry.reason) }
/// cursor = page.next
/// ```
public final class EventLog: Sendable {
  /// The log that operations and queues use when they are given none.
  public static let shared: EventLog = EventLog()

  /// When the log was made; elapsed times count from here.
  public let startInstant: ContinuousClock.Instant
  /// The wall-clock time of ``startInstant``.
  public let startDate: Date

  let start: EngineStart
  let domain: Locked<Domain>
  /// The clock to put in place of the system's.
  public let virtualClock: VirtualClock
  /// Makes things happen later: delays, further attempts, time limits.
  let timers: TimerQueue
  /// From what chance follows; nil for chance as such.
  let chance = Locked<UInt64?>(nil)
  let deliveries = Deliveries()
  let foreign = ForeignOperations()

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - capacity: How many entries are kept at least; the oldest go first. One takes 32 bytes, and
  ///     its words, where it has some of its own.
  ///   - textLimit: How many bytes the words of all entries may take together; see
  ///     ``setTextLimit(_:)``.
  public init(capacity: Int = 4_000_000, textLimit: Int = 64_000_000) {
    start = EngineStart()
    startInstant = start.instant
    startDate = Date()
    virtualClock = VirtualClock(start: start)
    timers = TimerQueue(virtualClock: virtualClock)
    domain = Locked(
      Domain(
        entries: EntryStore(capacity: capacity, textLimit: textLimit, start: start),
        virtualClock: virtualClock))
  }

  /// Sets how many entries are kept at least; what is beyond that goes at once.
  ///
  /// It may be called on any thread, and takes time for each entry that goes.
  ///
  /// - Parameter capacity: How many.
  public func setCapacity(_ capacity: Int) {
    let dropped = domain.withLock { $0.entries.setCapacity(capacity) }
    // Letting go of it may take a while, and nobody is to wait for the lock meanwhile.
    withExtendedLifetime(dropped) {}
  }

  /// Sets how many bytes the words of all entries may take together.
  ///
  /// Words are reasons and the messages of failures. Beyond the limit those of the oldest entries
  /// are dropped, and a note stands in their place; the entries stay. The latest entry always keeps
  /// its words. It may be called on any thread, and takes time for each entry whose words are
  /// dropped; nothing waits for the lock that long.
  ///
  /// - Parameter limit: How many bytes.
  public func setTextLimit(_ limit: Int) {
    domain.withLock { $0.entries.setTextLimit(limit) }
    while domain.withLock({ $0.entries.dropTexts() }) {}
  }

  /// How many bytes the words of all entries take; short ones count nothing.
  public var textSize: Int { domain.withLock { $0.entries.textBytes } }

  /// Gives a new operation its number and its label.
  func enroll(kind: String, name: String?) -> OperationIdentity {
    domain.withLock { domain in
      domain.lastOperationID += 1
      return OperationIdentity(
        id: domain.lastOperationID, label: domain.label(kind: kind, name: name))
    }
  }

  /// How many entries were ever written; also the cursor behind the last one.
  public var count: Int { domain.withLock { $0.entries.count } }

  /// Whether observers have still to be told of changes that were made.
  ///
  /// Their calls come after the change and without a lock, so one who sees that an operation has
  /// finished may be ahead of its observers. The wake-up handler is called when they have caught
  /// up.
  public var isDelivering: Bool { deliveries.areUnderWay }

  /// Returns entries in order, beginning with the one at the cursor.
  ///
  /// Entries that are no longer kept are left out; their absence shows in ``Entry/sequence``.
  /// A reader that got everything up to the end counts as having caught up: the next entry calls
  /// the wake-up handler.
  ///
  /// - Parameters:
  ///   - cursor: The sequence number of the first entry wanted.
  ///   - limit: How many entries to return at most.
  /// - Returns: The entries, and the cursor to go on from.
  public func entries(from cursor: Int, limit: Int) -> (entries: [Entry], next: Int) {
    var (entries, next, isAtEnd): ([Entry], Int, Bool) = ([], cursor, false)
    repeat {
      // In pieces, so that nobody waits for the lock while a million of them are copied.
      let size = min(limit - entries.count, LogChunk.size)
      let page = domain.withLock { domain in
        let page = domain.entries.page(from: next, limit: size)
        isAtEnd = page.next >= domain.entries.count
        if isAtEnd { domain.isWakeUpArmed = true }
        return page
      }
      next = page.next
      if entries.isEmpty { entries = page.entries } else { entries += page.entries }
    } while !isAtEnd && entries.count < limit
    return (entries, next)
  }

  /// Sets what is called when something is written after a reader had caught up.
  ///
  /// The handler runs on the thread that caused the entry, with no lock held; it should only poke
  /// the reader. It is called once until a reader has again read to the end, and at once if there
  /// are entries already. No wake-up is lost: whatever is written after a reader saw the end
  /// calls the handler. It is also called when ``isDelivering`` has become false.
  ///
  /// - Parameter handler: What to call, or nil to call nothing any more.
  public func setWakeUp(_ handler: (@Sendable () -> Void)?) {
    let (old, isCalledNow) = domain.withLock { domain in
      let old = domain.wakeUp
      domain.wakeUp = handler
      deliveries.watch(handler != nil)
      domain.isWakeUpArmed = domain.entries.count == 0
      return (old, domain.entries.count > 0)
    }
    // The old handler is let go here and not under the lock, because what it captured may take it.
    withExtendedLifetime(old) {}
    if isCalledNow { handler?() }
  }
}
