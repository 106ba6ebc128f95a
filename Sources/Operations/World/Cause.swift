/// What keeps an operation from starting or from ending, or what it does meanwhile.
///
/// It is the one vocabulary of everything that explains an operation: reasons, spans of its life,
/// pictures and pages. The raw value is the code in JSON.
public enum Cause: String, Sendable, CaseIterable {
  /// It was never added to a queue, so nothing starts it.
  case notOnQueue = "not-on-queue"
  /// A dependency has not finished.
  case dependency
  /// The delay before it may become ready is not over.
  case delay
  /// The app is in the background, and it is not essential.
  case background = "app-background"
  /// A barrier was added before it, or it is one and something was added before.
  case barrier
  /// The group that it is in has not begun.
  case group
  /// Its queue is suspended.
  case queuePaused = "queue-paused"
  /// Its queue has no slots.
  case widthZero = "width-zero"
  /// All slots of its queue are taken.
  case queueFull = "queue-full"
  /// Others on its queue start before it.
  case higherPriority = "higher-priority"
  /// The pace of its queue does not let anything start yet.
  case pace
  /// Another operation has, or has reserved, a name that it needs for itself.
  case exclusive
  /// Its own code does not say, or does not announce, that it is ready.
  case readiness
  /// Its queue is one that Foundation runs: a slot is free, but no thread of Foundation's pool.
  case threadPool = "thread-pool"
  /// Its queue is one that Foundation runs, which will never start it.
  case foundation
  /// It waits for something that waits for it, so nothing will ever start it.
  case deadlock
  /// Nothing keeps it: its queue is about to start it.
  case starting
  /// It executes, and its body waits for other operations.
  case bodyWaits = "body-waits"
  /// It executes, and pauses before its next attempt.
  case backoff
  /// It executes, and pauses because a server asked for it.
  case hostPause = "host-pause"
  /// Its work is done, and nothing has finished it; see ``FinishWait``.
  case awaitsFinish = "awaits-finish"
  /// It executes, and was paused at a phase of its work, or is handled there.
  case phaseHeld = "phase-held"
  /// It is a group that executes, and waits for its members.
  case members
  /// It is a request that waits until others have been sent.
  case requestQueued = "request-queued"
  /// It is a request, and looks the host up.
  case lookup
  /// It is a request, and connects.
  case connect
  /// It is a request, and agrees on encryption.
  case tls
  /// It is a request, and sends its body.
  case sending
  /// It is a request, and waits for the first byte of the response.
  case firstByte = "first-byte"
  /// It is a request, and receives the body of the response.
  case receiving = "body"
  /// It works.
  case work

  /// Whether the operation executes meanwhile.
  public var isExecuting: Bool {
    switch self {
    case .bodyWaits, .backoff, .hostPause, .awaitsFinish, .phaseHeld, .members, .requestQueued,
      .lookup, .connect, .tls, .sending, .firstByte, .receiving, .work:
      true
    default: false
    }
  }

  /// Whether the operation works meanwhile, and does not wait for something else.
  public var isWork: Bool {
    switch self {
    case .lookup, .connect, .tls, .sending, .firstByte, .receiving, .work: true
    default: false
    }
  }
}
