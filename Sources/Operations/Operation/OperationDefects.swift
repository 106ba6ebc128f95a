/// Mistakes in the code of an operation that the engine imitates, so that a learner sees what follows
/// from them.
package struct OperationDefects: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Sends no notification when `isExecuting` changes.
  package static let silentExecuting = OperationDefects(rawValue: 1)
  /// `isReady` turns false, with a notification, when the operation executes.
  package static let ownReadiness = OperationDefects(rawValue: 2)
  /// Goes on when it is cancelled, and ends only when it is finished.
  package static let ignoresCancel = OperationDefects(rawValue: 4)
  /// `isReady` stays false, whatever becomes of its dependencies, until it is cancelled.
  package static let neverReady = OperationDefects(rawValue: 8)
  /// `isReady` turns true after it was added, without a notification, so that its queue does not know.
  package static let silentReady = OperationDefects(rawValue: 16)
  /// Runs when it is started, although it was cancelled before.
  package static let skipsCancelCheck = OperationDefects(rawValue: 32)
  /// Sends notifications also of properties that it sets to the value that they have.
  package static let unguarded = OperationDefects(rawValue: 64)

  /// Whether no queue learns that it is ready.
  var lacksReadiness: Bool { !isDisjoint(with: [.neverReady, .silentReady]) }
}

extension ObservableOperation {
  /// The mistakes of its code; set before it is added to a queue.
  package final var defects: OperationDefects {
    get { read { $0.extras?.defects ?? [] } }
    set {
      engine.transact { state in
        guard core.state == .created else { return }
        state.decide(.defects(newValue.rawValue), of: self)
        publishFlags()
      }
    }
  }

  /// Has its queue learn that it is ready, although it sent no notification of that.
  package final func noticeReadiness() {
    engine.transact { state in
      let defects = core.extras?.defects ?? []
      guard defects.contains(.silentReady), core.state == .pending else { return }
      state.decide(.defects(defects.subtracting(.silentReady).rawValue), of: self)
      let cause = EventLog.Cause.text("its queue looked at isReady again")
      Scheduler.conditionRemoved(self, cause: cause, in: &state)
    }
  }

  /// Whether it has observers of its properties.
  package final var hasObservers: Bool { read { $0.observers?.isEmpty == false } }
}
