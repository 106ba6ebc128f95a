extension ObservableOperation {
  /// The names that it must have for itself while it executes, sorted.
  ///
  /// Of all operations of one engine that need the same name, on whichever queues, one executes at a
  /// time. Those that wait for a name hold no slot, and others pass them; but the first by priority and
  /// order of adding reserves all of its names, so that one that needs several is not starved. What
  /// is on a suspended queue reserves none, and neither does what waits for an operation that waits
  /// itself. Setting it after the start does nothing. A group and what is in it cannot need the same name, for the group has it
  /// until all in it has finished: adding such an operation throws
  /// ``QueueError/exclusiveConflict(exclusiveName:member:group:)``, and setting such names
  /// changes nothing but an entry of the log, with the event ``EventLog/Entry/Event/refusal``.
  public var exclusiveNames: [String] {
    get { read { $0.extras?.exclusiveNames ?? [] } }
    set {
      let names = Set(newValue).sorted()
      engine.transact { state in
        guard core.takesDependencies else { return }
        let conflict = ExclusiveConflict(
          naming: self, names, released: &state.actions.released)
        if let conflict {
          let reason = "exclusive names refused: \(conflict.error.message)"
          return state.record(self, .refusal, from: core.state, cause: .text(reason))
        }
        // The operations that wait for a name that this one releases try again.
        Scheduler.unblock(self, in: &state)
        let old = core.extras?.exclusiveNames ?? []
        if names != old { state.decide(.exclusiveNames(old: old, new: names), of: self) }
      }
    }
  }

  /// Whether it is a barrier of its queue: all that was added before finishes first, and what was
  /// added after waits for it.
  public var isBarrier: Bool { read { $0.extras?.isBarrier ?? false } }
}
