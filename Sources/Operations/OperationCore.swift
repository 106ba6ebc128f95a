import Foundation

/// Everything about an operation that changes; guarded by the lock of its log.
struct OperationCore {
  /// How far Foundation's queue is with running the operation.
  enum Handover {
    /// It knows nothing of the operation.
    case none
    /// It was given the operation and has not called `start()` yet. Telling it now that the
    /// operation has finished would make it complain, and then use freed memory.
    case given
    /// It has called `start()`, or somebody did by hand.
    case begun
  }

  var name: String?
  var state: OperationState = .created
  var isCancelled = false
  /// What `isReady` says; it follows from `unmet` and `isCancelled`, but with a delay for those
  /// who asked to hear of it before it changes.
  var isReady = true
  /// A slot is taken; the change to `executing` is decided.
  var isClaimed = false
  /// Somebody won the right to finish the operation.
  var isFinishing = false
  var handover: Handover = .none
  var priority: Operation.QueuePriority = .normal
  var quality: QualityOfService = .default
  var progress: Double?
  var attempts = 0
  var outcome: OperationOutcome?
  /// What a dependency that did not succeed decided.
  var verdict: OperationError?
  var timestamps = StateTimestamps()

  var queue: InspectableQueue?
  /// Its number on the queue in the order of adding.
  var serial = 0
  /// Its rank among equals on the queue: the order of adding, or of its last change of priority.
  var order = 0
  /// The slot it holds, from 1.
  var slot = 0

  var upstream = UpstreamEdges()
  /// How many of the upstream operations have not finished.
  var unmet = 0
  var downstream = DownstreamList()

  var observers: ObserverRegistry?
  var waiters: [Waiter] = []

  /// Whether the queue may start it.
  var isStartable: Bool { state == .ready && isReady && !isClaimed && !isFinishing }

  /// Whether what it depends on may still be changed.
  var takesDependencies: Bool {
    switch state {
    case .created, .pending, .ready: !isClaimed && !isFinishing
    case .executing, .finished: false
    }
  }
}
