/// How an operation ended.
public enum OperationOutcome: Sendable, Equatable {
  /// It did what it was for.
  case succeeded
  /// It ran and failed, or a dependency's failure was passed on to it.
  case failed(OperationFailure)
  /// It was cancelled before it had a result.
  case cancelled
  /// It never ran, because a dependency did not succeed.
  case skipped

  /// The outcome in one word: `succeeded`, `failed`, `cancelled` or `skipped`.
  public var name: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }

  /// The failure, if it failed.
  public var failure: OperationFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

/// What becomes of an operation when one that it depends on does not succeed.
public enum FailurePolicy: String, Sendable, CaseIterable {
  /// It runs all the same, as on Foundation's queue.
  case run
  /// It is skipped at once, and so, transitively, is what depends on it with this policy.
  case skip
  /// It fails at once with ``OperationError/dependencyFailed(name:)``.
  case fail
}

/// One thing an operation waits for, and what happens should that not succeed.
public struct DependencyEdge: Sendable {
  /// The operation that must finish first.
  public let operation: ObservableOperation
  /// What happens if it does not succeed.
  public let policy: FailurePolicy
}
