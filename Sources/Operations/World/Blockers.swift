/// The first blocker of an operation, as the spans of its life tell it.
extension ObservableOperation {
  /// What keeps it from starting or ending, apart from what its queue keeps all its ready operations
  /// by; nil if that alone does, or nothing. In a transaction.
  func ownBlocker(in state: EngineState) -> (cause: Cause, culprit: Int?)? {
    guard core.state != .finished else { return nil }
    if isKeptByDependencies, core.unmetDependencies > 0 { return (.dependency, nil) }
    for finding in otherFindings(in: state) {
      switch finding {
      case .notOnQueue: return (.notOnQueue, nil)
      case .obstacle: return (.foundation, nil)
      case .delay: return (.delay, nil)
      case .behindBarrier(let barrier): return (.barrier, barrier.id)
      case .barrierWaits: return (.barrier, nil)
      case .betweenAttempts: return (.backoff, nil)
      case .awaitsFinish: return (.awaitsFinish, nil)
      case .bodyWaits(let body): return (.bodyWaits, body.awaitedByBody.first?.id)
      case .inside: return (.members, nil)
      // These are of the queue, or of names that pass from one operation to the next.
      case .paused, .widthZero, .full, .pace, .group, .behind, .exclusive, .reserved: continue
      // These are not among an operation's own.
      case .dependency, .cycle: continue
      }
    }
    guard core.state == .executing else { return nil }
    if core.extras?.pauses.last?.end == 0 { return (.backoff, nil) }
    return (self is GroupOperation ? .members : .work, nil)
  }
}

extension OperationCore {
  /// How many dependencies have not finished.
  var unmetDependencies: Int { Int(unmet) - (extras?.delayEnds ?? 0 > 0 ? 1 : 0) }
}

extension QueueCore {
  /// What keeps a ready operation whose turn has come from starting, the nearest first.
  ///
  /// - Parameter time: The present time, for the pace.
  func blockers(at time: Int64) -> [Cause] {
    var causes: [Cause] = []
    let isFull = width != 0 && !hasRoom
    if !isSuspended {
      if isFull { causes.append(.queueFull) }
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
