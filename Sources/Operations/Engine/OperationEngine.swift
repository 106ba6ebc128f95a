public import Foundation
import OpshLocking
package import OpshSupport

/// Runs operations and queues that can depend on one another: owns their lock, clock, timers, random
/// numbers and event log.
///
/// Every operation and queue belongs to one engine for good. Operations of different engines cannot
/// depend on one another, and an operation can only be added to a queue of its own engine. Engines
/// share nothing, so that two of them can run side by side in one process:
///
/// ```swift
/// let engine = OperationEngine()
/// let queue = InspectableQueue(name: "network", engine: engine)
/// try queue.addOperation(DelayOperation(duration: .seconds(1), engine: engine))
/// ```
///
/// All members can be used on any thread.
public final class OperationEngine: Sendable {
  /// The engine of operations and queues that are created without one.
  public static let shared: OperationEngine = OperationEngine()

  /// When the engine was created; elapsed times count from here.
  public let startInstant: ContinuousClock.Instant
  /// The wall-clock time of ``startInstant``.
  public let startDate: Date
  /// The virtual clock, which can replace the system's clock.
  public let virtualClock: VirtualClock

  /// The clock that the engine goes by while the virtual clock is not in use.
  package let clock: PacedClock

  let start: EngineStart
  /// The one lock: everything that decides what runs changes in it.
  let state: Locked<EngineState>
  /// The count of news of the state, which is read without the lock.
  let newsCount: NewsCount
  /// Calls handlers later: delays, further attempts, time limits.
  let timers: TimerQueue
  /// The seeded random number generator; nil uses the system's.
  let generator = Locked<RandomSource?>(nil)
  let deliveries = Deliveries()
  let foreign = ForeignOperations()
  /// A fold of the log for questions about moments that are not long ago.
  let keptFold = Locked<WorldFold?>(nil)
  let recordedStart = Locked<RecordedStart?>(nil)

  /// Creates an engine with an empty log.
  ///
  /// - Parameters:
  ///   - logCapacity: How many entries the log keeps at least; see ``EventLog/setCapacity(_:)``.
  ///   - logTextLimit: How many bytes the texts of the log's entries may take together; see
  ///     ``EventLog/setTextLimit(_:)``.
  public convenience init(logCapacity: Int = 4_000_000, logTextLimit: Int = 64_000_000) {
    let clock = PacedClock()
    self.init(
      start: EngineStart(of: clock), startDate: Date(), clock: clock, logCapacity: logCapacity,
      logTextLimit: logTextLimit)
  }

  /// Creates an engine that goes by a clock that others have used before.
  package convenience init(clock: PacedClock, logCapacity: Int, logTextLimit: Int) {
    self.init(
      start: EngineStart(now: clock), startDate: clock.date, clock: clock, logCapacity: logCapacity,
      logTextLimit: logTextLimit)
  }

  /// Creates an engine that was started at a time.
  init(
    start: EngineStart, startDate: Date, clock: PacedClock = PacedClock(),
    logCapacity: Int = .max, logTextLimit: Int = .max
  ) {
    self.start = start
    self.clock = clock
    startInstant = start.instant
    self.startDate = startDate
    virtualClock = VirtualClock(start: start)
    timers = TimerQueue(virtualClock: virtualClock, clock: clock)
    let newsCount = NewsCount()
    self.newsCount = newsCount
    state = Locked(
      EngineState(
        entries: EntryStore(capacity: logCapacity, textLimit: logTextLimit, start: start),
        steering: ChangeStore(capacity: logCapacity), virtualClock: virtualClock, clock: clock,
        newsCount: newsCount))
    virtualClock.attach(to: self)
  }

  /// When the engine that this one shows was created; nil unless it is that of a ``WorldFold``.
  package var recorded: RecordedStart? { recordedStart.withLock { $0 } }

  /// The record of everything that happened to the operations.
  public var log: EventLog { EventLog(engine: self) }

  /// Whether observers have still to be called for changes that were made.
  ///
  /// They are called after the change and without a lock, so code that sees that an operation has
  /// finished may be ahead of its observers. The log's wake-up handler is called when they have
  /// caught up.
  public var isDelivering: Bool { deliveries.areUnderWay }

  /// Assigns a new operation its number, its label, and its position in the ``DependencyOrder``.
  func register(kind: String, name: String?) -> (OperationIdentity, position: Int) {
    state.withLock { state in
      state.lastOperationID += 1
      let identity = OperationIdentity(
        id: state.lastOperationID, label: state.label(kind: kind, name: name))
      return (identity, state.order.nextPosition())
    }
  }

  /// Assigns a new queue its number.
  func nextQueueID() -> Int {
    state.withLock { state in
      state.lastQueueID += 1
      return state.lastQueueID
    }
  }
}
