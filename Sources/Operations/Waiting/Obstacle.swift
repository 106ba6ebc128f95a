extension ObservableOperation {
  /// Why the driver of its queue will never start it, in words; nil if it may.
  ///
  /// A cancelled operation has no obstacle: it ends.
  /// ``waitReasons()`` names it, and ``canFinish`` is false. To be set by the driver. Constant time.
  package final var obstacle: String? {
    get { read { $0.obstacle } }
    set {
      engine.transact { state in
        state.decide(.obstacle(newValue), of: self)
        state.wakeWaiting()
      }
    }
  }
}

extension OperationCore {
  /// What keeps it for ever, unless it was cancelled.
  var obstacle: String? { isCancelled ? nil : extras?.obstacle }
}
