extension EventLog.Entry {
  /// A key-value notification of a property that is true or false.
  package struct Notification: Sendable, Equatable {
    /// The property as it is spelled in Swift, such as `isReady`.
    package let key: String
    /// The value before; the same as the new one if the code does not compare them.
    package let old: Bool
    /// The new value.
    package let new: Bool

    init(key: String, old: Bool? = nil, new: Bool) {
      (self.key, self.old, self.new) = (key, old ?? !new, new)
    }
  }

  /// The key-value notifications that belong to the entry, in the order in which they are sent.
  ///
  /// They are those that `Operation` documents for its state. `isReady` turns true once: with the
  /// last dependency, with the end of a delay, or with the cancellation of a pending operation;
  /// an operation without dependencies is ready when it is created, and sends nothing. It
  /// turns false when an operation that is ready is added and has a start delay.
  ///
  /// - Parameter defects: The mistakes of the operation's code.
  /// - Returns: The notifications; none for what is not a change of a property.
  package func notifications(defects: OperationDefects = []) -> [Notification] {
    switch (event, from, to) {
    case (.cancelling, let state, _):
      let cancelled = Notification(key: "isCancelled", new: true)
      return state == .pending ? [cancelled, Notification(key: "isReady", new: true)] : [cancelled]
    case (.transition, _, .pending):
      guard case .addedWithDelay = cause else { return [] }
      return [Notification(key: "isReady", new: false)]
    case (.transition, .pending, .ready):
      switch cause {
      case .noDependencies, .cancelledWhilePending: return []
      default: return [Notification(key: "isReady", new: true)]
      }
    case (.transition, _, .executing):
      var sent: [Notification] = []
      if defects.contains(.unguarded) {
        sent.append(Notification(key: "isFinished", old: false, new: false))
      }
      if defects.contains(.ownReadiness) { sent.append(Notification(key: "isReady", new: false)) }
      if !defects.contains(.silentExecuting) {
        sent.append(Notification(key: "isExecuting", new: true))
      }
      return sent
    case (.transition, let state, .finished):
      let finished = Notification(key: "isFinished", new: true)
      let wasExecuting = state == .executing
      guard wasExecuting || defects.contains(.unguarded), !defects.contains(.silentExecuting) else {
        return [finished]
      }
      return [Notification(key: "isExecuting", old: wasExecuting, new: false), finished]
    default:
      return []
    }
  }
}
