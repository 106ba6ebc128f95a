/// How an operation ended.
public enum OperationOutcome: Sendable, Equatable {
  /// It did what it was for.
  case succeeded
  /// It ran and failed, or a dependency's failure was passed on to it.
  case failed(OperationFailure)
  /// It was cancelled before it had a result, or is a group with cancelled members;
  /// ``ObservableOperation/error`` says who cancelled.
  case cancelled
  /// It never ran, because a dependency did not succeed, or is a group with such members.
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
