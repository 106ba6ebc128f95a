/// What becomes of an operation when one that it depends on does not succeed.
public enum FailurePolicy: String, Sendable, CaseIterable {
  /// It runs all the same, as on Foundation's queue.
  case run
  /// It is skipped at once, and so, transitively, is what depends on it with this policy.
  case skip
  /// It fails at once with ``OperationError/dependencyFailed(name:)``.
  case fail
}
