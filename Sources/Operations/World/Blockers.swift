/// The first blocker of an operation, as the spans of its life tell it.
extension ObservableOperation {
  /// What keeps it from starting or ending, in a transaction.
  ///
  /// Nil if nothing does but what its queue keeps all its ready operations by.
  func ownBlocker(at time: Int64, in state: EngineState) -> (cause: Cause, culprit: Int?)? {
    guard core.state != .finished else { return nil }
    if core.state != .executing, core.isClaimed || core.isFinishing {
      return (endsMembersFirst ? .members : .starting, nil)
    }
    if isKeptByDependencies, core.unmetDependencies > 0 { return (.dependency, nil) }
    for finding in otherFindings(in: state) {
      switch finding {
      case .notOnQueue: return (.notOnQueue, nil)
      case .obstacle: return (.foundation, nil)
      case .readiness: return (.readiness, nil)
      case .delay: return (.delay, nil)
      case .background: return (.background, nil)
      case .behindBarrier(let barrier): return (.barrier, barrier.id)
      case .barrierWaits: return (.barrier, nil)
      case .betweenAttempts: return (.backoff, nil)
      case .hostPause: return (.hostPause, nil)
      case .awaitsFinish: return (.awaitsFinish, nil)
      case .phaseHeld: return (.phaseHeld, nil)
      case .bodyWaits(let body): return (.bodyWaits, body.awaitedByBody.first?.id)
      case .exclusive(_, let other), .reserved(_, let other):
        // What the queue keeps it by comes first.
        guard core.isBlocked, core.queue?.core.blockers(at: time).isEmpty == true else { continue }
        return (.exclusive, other.id)
      // These are of the queue, and of a pending one if its observers are called before it is ready.
      case .paused, .widthZero, .full, .pool, .pace, .group, .behind:
        guard isAnnouncing, finding.isOfQueue else { continue }
        return (WaitFinding(finding, depth: 0, origin: nil).key.code, nil)
      // It says of a group that executes only whether something in it works.
      case .inside: continue
      // These are not among an operation's own.
      case .dependency, .cycle: continue
      }
    }
    guard core.state == .executing else { return isAnnouncing ? (.starting, nil) : nil }
    if core.extras?.pauses.last?.end == 0 { return (.backoff, nil) }
    return (self is GroupOperation ? .members : .work, nil)
  }
}

extension WaitFinding.Subject {
  /// Whether it is what a queue keeps its ready operations by.
  fileprivate var isOfQueue: Bool {
    switch self {
    case .paused, .widthZero, .full, .pool, .pace, .group: true
    default: false
    }
  }
}

extension ObservableOperation {
  /// Whether observers are called before it becomes ready.
  private var isAnnouncing: Bool {
    core.state == .pending && core.extras?.announcements ?? 0 > 0
  }

  /// Whether it is a group that ends without having run, when all that is in it has.
  private var endsMembersFirst: Bool {
    guard let inner = (self as? GroupOperation)?.innerQueue.core else { return false }
    return !inner.isEmpty && inner.membership?.isHeld == false
  }

  /// The first dependency that has not finished, in a transaction.
  var firstUnmetDependency: ObservableOperation? {
    core.upstream.first { $0.operation.core.state != .finished }?.operation
  }

  /// What keeps it for a cause, in a transaction.
  fileprivate func finding(for cause: Cause, in state: EngineState) -> WaitFinding.Subject? {
    if cause == .dependency { return firstUnmetDependency.map { .dependency($0) } }
    return otherFindings(in: state).first { finding in
      WaitFinding(finding, depth: 0, origin: nil).key.code == cause
    }
  }
}

extension LifeAccount {
  /// Puts a span that has begun into words; nil if it is one of work.
  package func reason(for span: SpanNews) -> WaitReason? {
    guard let cause = span.cause else { return nil }
    let finding = fold.engine.guardedState { state -> WaitFinding.Subject? in
      switch span.subject {
      case .operation(let id): fold.operations[id]?.finding(for: cause, in: state)
      case .queue(let id): fold.queues[id].flatMap { WaitFinding.Subject(cause, of: $0) }
      }
    }
    return finding.flatMap { WaitFinding($0, depth: 0, origin: nil).reason(in: fold.engine) }
  }

  /// When a span began.
  package func start(of span: SpanNews) -> ContinuousClock.Instant {
    fold.engine.start.instant(at: span.start)
  }
}

extension WaitFinding.Subject {
  /// What a queue keeps its ready operations by.
  init?(_ cause: Cause, of queue: InspectableQueue) {
    switch cause {
    case .queueFull: self = .full(queue)
    case .threadPool: self = .pool(queue)
    case .pace: self = .pace(queue)
    case .widthZero: self = .widthZero(queue)
    case .queuePaused: self = .paused(queue)
    case .group:
      guard let group = queue.core.membership?.group else { return nil }
      self = .group(group)
    default: return nil
    }
  }
}

extension OperationCore {
  /// How many dependencies have not finished.
  var unmetDependencies: Int {
    guard let extras else { return Int(unmet) }
    return Int(unmet) - (extras.delayEnds > 0 ? 1 : 0) - (extras.awaitsForeground ? 1 : 0)
      - (extras.defects.lacksReadiness ? 1 : 0)
  }
}

extension QueueCore {
  /// What keeps a ready operation whose turn has come from starting, the nearest first; the pace needs
  /// the present time.
  func blockers(at time: Int64) -> [Cause] {
    var causes: [Cause] = []
    let isFull = width != 0 && !hasRoom
    if !isSuspended {
      if isFull { causes.append(.queueFull) }
      if width != 0, !isFull, !poolHolders.isEmpty { causes.append(.threadPool) }
      if width != 0, pace > 0, nextStart > time { causes.append(.pace) }
    }
    if width == 0 { causes.append(.widthZero) }
    if isSuspended {
      causes.append(.queuePaused)
      // It would not start if the queue were resumed.
      if isFull { causes.append(.queueFull) }
    }
    if membership?.isHeld == true { causes.append(.group) }
    return causes
  }
}
