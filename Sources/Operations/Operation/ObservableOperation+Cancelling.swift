extension ObservableOperation {
  /// Asks operations to stop, as `cancel()` does for one.
  ///
  /// Those that share an engine are all marked before the first one stops, so that none of them starts
  /// because another has freed its slot.
  ///
  /// - Parameters:
  ///   - operations: What to cancel, in this order.
  ///   - requester: What cancels them, as text for the log; nil for none.
  public static func cancelAll(_ operations: [ObservableOperation], by requester: String? = nil) {
    var rest = operations[...]
    while let first = rest.first {
      let group = rest.prefix { $0.engine === first.engine }
      rest = rest.dropFirst(group.count)
      var actions = DeferredActions()
      cancelAll(group, of: first.engine, by: requester, followedBy: &actions)
      // Before the next ones are announced, which calls client code.
      actions.perform()
    }
  }

  /// Marks operations of one engine as cancelled, and adds what follows to the list.
  static func cancelAll(
    _ operations: some Sequence<ObservableOperation>, of engine: OperationEngine,
    by requester: String?,
    followedBy actions: inout DeferredActions
  ) {
    let observed = engine.guarded { operations.filter { $0.core.hasPriorObservers } }
    for operation in observed { operation.announceCancelling() }
    let request = requester.map(CancelRequest.init)
    engine.collect(into: &actions) { state in
      for operation in operations { operation.markCancelled(by: request, in: &state) }
    }
  }

  func requestCancel() {
    announceCancelling()
    engine.transact { state in markCancelled(in: &state) }
  }

  func announceCancelling() {
    let keys = engine.guarded { () -> [ObservedKey] in
      guard isCancellable, core.hasPriorObservers,
        core.extras?.isAnnouncingCancel != true
      else { return [] }
      core.withExtras { $0.isAnnouncingCancel = true }
      return core.isReady ? [.isCancelled] : [.isCancelled, .isReady]
    }
    guard !keys.isEmpty else { return }
    announce(keys)
    engine.guarded { core.extras?.isAnnouncingCancel = false }
  }

  /// Marks it as cancelled; `reason` is the entry of the log, nil for the usual one.
  func markCancelled(
    by request: CancelRequest? = nil, reason: String? = nil, in state: inout EngineState
  ) {
    guard isCancellable else { return }
    state.cancel(self, by: request, at: state.time())
    publishFlags()
    state.record(
      self, .cancelling, from: core.state,
      cause: reason.map { .text($0) } ?? .cancelling(by: request))
    noteFlag(.isCancelled, true, in: &state)
    if core.queue != nil { state.noteCancelled() }
    Scheduler.unblock(self, in: &state)
    Scheduler.becomeReady(self, cause: .cancelledWhilePending, in: &state)
    // It may have waited for the pace alone, which does not count for it any more.
    if let queue = core.queue, queue.core.pace > 0 { state.needsScheduling(queue) }
    if core.state == .executing || isInterruptedEarly { state.actions.interrupt(self) }
  }

  /// Once the right to finish it is taken, or its result was decided before it was started,
  /// cancelling comes too late.
  var isCancellable: Bool {
    core.state != .finished && !core.isFinishing && !core.isCancelled && !hasResult
  }
}
