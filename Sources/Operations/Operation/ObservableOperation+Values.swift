extension ObservableOperation {
  /// Makes it wait until another operation has finished, and hands it that one's value.
  ///
  /// ```swift
  /// let page = DownloadOperation()
  /// let parse = ParseOperation()
  /// try parse.depend(on: page) { [unowned parse] data in parse.input = data }
  /// ```
  ///
  /// - Parameters:
  ///   - operation: What must finish first.
  ///   - policy: What happens if that does not succeed. With ``FailurePolicy/run`` this operation
  ///     runs without having been given a value.
  ///   - take: Takes the value; called just before this operation begins, on the thread on which it
  ///     will run, in the order in which the dependencies were added, and not at all if the other
  ///     one did not succeed.
  /// - Throws: ``DependencyError`` as ``depend(on:policy:)-(ObservableOperation,_)`` does; nothing has changed then.
  public func depend<Value: Sendable>(
    on operation: ConcurrentOperation<Value>, policy: FailurePolicy = .skip,
    taking take: @escaping @Sendable (Value) -> Void
  ) throws(DependencyError) {
    try depend(on: operation, policy: policy) { [weak operation] in
      // One that was cancelled before it ran may have a result, but did not succeed.
      guard let operation, operation.outcome == .succeeded else { return }
      if case .success(let value) = operation.result { take(value) }
    }
  }

  /// Hands over what it was to be given, in the order of adding.
  func takeInputs() {
    guard awaitsInputs else { return }
    let inputs = engine.guarded {
      core.withExtras { $0.inputs.takeAll() }
    }
    for input in inputs.sorted(by: { $0.place < $1.place }) { input.take() }
  }
}
