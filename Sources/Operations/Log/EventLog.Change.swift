public import Foundation
import OpshLocking

extension EventLog {
  /// One change that decides what runs, apart from the transitions, which are entries.
  ///
  /// A change is written in the same critical section as the change it describes. With the entries
  /// it tells the state of every queue at any moment: which operations are on it, what each of them
  /// waits for, and what the queue lets start.
  public struct Change: Sendable {
    /// The operation or queue that changed, by its number in the engine.
    public enum Subject: Sendable, Hashable {
      case operation(Int)
      case queue(Int)
    }

    /// What changed, from which value to which.
    ///
    /// What takes more room than a dependency is indirect, because it is rare and those are many.
    public enum Event: Sendable, Equatable {
      /// The width of a queue; the old one is nil when the queue is created.
      indirect case width(old: Int?, new: Int)
      /// The queue is that of a group, and starts nothing before the group executes.
      case group(Int)
      case suspended(Bool)
      indirect case pace(old: Duration, new: Duration)
      /// A suspended queue starts one operation, the next of the entries.
      case step
      case priority(old: Operation.QueuePriority, new: Operation.QueuePriority)
      /// The class of service of the operation or queue.
      case quality(old: QualityOfService, new: QualityOfService)
      /// The policy of a dependency on the operation of that number; nil for no dependency.
      case dependency(Int, old: FailurePolicy?, new: FailurePolicy?)
      /// The operation is about to be added as a barrier.
      case barrier
      indirect case exclusiveNames(old: [String], new: [String])
      /// The operation had its turn and waits outside of the order of starting for its exclusive names,
      /// of which this one was not to be had; nil ends that.
      indirect case setAside(String?)
      /// How long after it is added the operation may become ready.
      indirect case startDelay(old: Duration, new: Duration)
      /// The time of its delay is over.
      case delayEnded
      /// Whether the operation waits until the app is in the foreground.
      case awaitsForeground(Bool)
      /// The body waits for the operations of these numbers, perhaps for a limited time; for none when
      /// it goes on.
      case awaited([Int], isLimited: Bool)
      /// A pause of this length began inside `executing`.
      indirect case pause(Duration)
      /// The operation was given a slot and its names without executing yet, or gave them back.
      case claimed(Bool)
      /// How the operation ends is decided; client code is called before it is seen as finished.
      case ending
      /// Observers with the option `prior` are called before the operation becomes ready; false when
      /// they have been.
      case announcing(Bool)
      /// The operation is kept off the queue of this number until it is started.
      case held(Int)
      /// Whether the group goes on executing when nothing is left in it.
      case open(Bool)
      /// The group of the queue has begun, or ends without having run: the queue may start its members.
      case began
      /// The dependency of this number decides, by its failure, how the operation ends; nil for none
      /// any more.
      case stopped(Int?)
      /// The operation or queue has another name; nil for the name by kind and number.
      indirect case renamed(old: String?, new: String?)
      /// How long the operation may execute; nil for no limit.
      indirect case timeLimit(Duration?)
      /// The mistakes of the operation's code, as raw value.
      case defects(UInt8)
      /// The operation watches one that Foundation runs.
      case foreign
      /// Its queue's driver never starts the operation, for this reason; nil if it may.
      indirect case obstacle(String?)
      /// The operations of these numbers hold all threads of the pool by which its driver starts the
      /// operations of the queue; none while a thread is free.
      indirect case poolHolders([Int])
      /// An attempt has failed, and this one follows.
      indirect case nextAttempt(AttemptPause)
      /// The attempt of this number begins.
      case attempt(Int)
      /// Why the operation goes on executing although its work is done; nil when it works again.
      case finishWait(FinishWait?)
      /// The work of the operation has come to this phase.
      case phase(PhaseProgress)
      /// Whether its body waits for something to happen.
      case expecting(Bool)
      /// A server asked for a pause of all requests to that place, in its answer to the operation.
      indirect case hostPause(String, Duration)

      /// Whether it is a new dependency.
      var isEdge: Bool {
        if case .dependency(_, old: nil, _) = self { true } else { false }
      }
    }

    /// Its place among the changes: 0, 1, 2.
    public let sequence: Int
    /// The ``Entry/sequence`` of the first entry after it.
    public let position: Int
    /// When it happened; for a dependency of an operation that has not been added, when something
    /// happened last.
    public let time: ContinuousClock.Instant
    /// The operation or queue that changed.
    public let subject: Subject
    /// What changed.
    public let event: Event
  }

  /// How many changes were ever written; also the cursor after the last one.
  public var changeCount: Int { engine.state.withLock { $0.steering.count } }

  /// Returns changes in order, beginning with the one at the cursor.
  ///
  /// Changes that are no longer kept are left out: there are as many as entries at least. Nothing
  /// wakes a reader for a change alone.
  ///
  /// - Parameters:
  ///   - cursor: The sequence number of the first change wanted.
  ///   - limit: How many changes to return at most.
  /// - Returns: The changes, and the cursor to go on from.
  public func changes(from cursor: Int, limit: Int) -> (changes: [Change], next: Int) {
    var (changes, next): ([Change], Int) = ([], cursor)
    while changes.count < limit {
      let page = engine.state.withLock { state in
        state.steering.page(
          from: next, limit: min(limit - changes.count, ChangeStore.chunkSize), engine.start)
      }
      if page.changes.isEmpty { break }
      changes += page.changes
      next = page.next
    }
    return (changes, next)
  }
}
