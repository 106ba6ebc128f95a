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
}

extension ObservableOperation {
  /// The mistakes of its code; set before it is added to a queue.
  package final var defects: OperationDefects {
    get { read { $0.extras?.defects ?? [] } }
    set {
      engine.transact { state in
        if core.state == .created { state.decide(.defects(newValue.rawValue), of: self) }
      }
    }
  }

  /// Whether it has observers of its properties.
  package final var hasObservers: Bool { read { $0.observers?.isEmpty == false } }
}
