extension ObservableOperation {
  /// Asks operations to stop, as `cancel()` does for one.
  ///
  /// Those that share a log are all marked before the first one stops, so that none of them starts
  /// because another has freed its slot.
  ///
  /// - Parameters:
  ///   - operations: What to cancel, in this order.
  ///   - requester: Who cancels them, in words for the log; nil if nothing is to be said.
  public static func cancelAll(_ operations: [ObservableOperation], by requester: String? = nil) {
    var rest = operations[...]
    while let first = rest.first {
      let group = rest.prefix { $0.log === first.log }
      rest = rest.dropFirst(group.count)
      var effects = Effects()
      cancelAll(group, of: first.log, by: requester, followedBy: &effects)
      // Before the next ones are announced, which calls client code.
      effects.perform()
    }
  }

  /// Marks operations of one log as cancelled, and adds what follows to the list.
  static func cancelAll(
    _ operations: some Sequence<ObservableOperation>, of log: EventLog, by requester: String?,
    followedBy effects: inout Effects
  ) {
    let observed = log.guarded { operations.filter { $0.core.hasPriorObservers } }
    for operation in observed { operation.announceCancelling() }
    log.collect(into: &effects) { domain in
      for operation in operations {
        let reason = requester.map { "\(operation.cancellingReason), by \($0)" }
        operation.markCancelled(reason: reason, in: &domain)
      }
    }
  }

  func requestCancel() {
    announceCancelling()
    log.transact { domain in markCancelled(in: &domain) }
  }

  func announceCancelling() {
    let keys = log.guarded { () -> [ObservedKey] in
      guard isCancellable, core.hasPriorObservers,
        core.extras?.isAnnouncingCancel != true
      else { return [] }
      core.withExtras { $0.isAnnouncingCancel = true }
      return core.isReady ? [.isCancelled] : [.isCancelled, .isReady]
    }
    guard !keys.isEmpty else { return }
    announce(keys)
    log.guarded { core.extras?.isAnnouncingCancel = false }
  }

  /// Marks it; `reason` says why if it was not somebody who asked.
  func markCancelled(reason: String? = nil, in domain: inout Domain) {
    guard isCancellable else { return }
    core.isCancelled = true
    core.times.cancelled = domain.time()
    publishFlags()
    domain.record(self, .cancelling, from: core.state, cause: .text(reason ?? cancellingReason))
    noteFlag(.isCancelled, true, in: &domain)
    Scheduler.unpark(self, in: &domain)
    Scheduler.becomeReady(self, cause: .cancelledWhilePending, in: &domain)
    // It may have waited for the pace alone, which does not count for it any more.
    if let queue = core.queue, queue.core.pace > 0 { domain.needsScheduling(queue) }
    if core.state == .executing || isInterruptedEarly { domain.effects.append(.interrupt(self)) }
  }

  /// Once somebody has won the right to finish it, or decided its result before it was started,
  /// cancelling comes too late.
  private var isCancellable: Bool {
    core.state != .finished && !core.isFinishing && !core.isCancelled && !hasResult
  }

  fileprivate var cancellingReason: String {
    switch core.state {
    case .executing: "cancelled while executing"
    case .created: "cancelled, on no queue"
    case .pending, .ready, .finished: "cancelled, finishes when the queue starts it"
    }
  }
}
