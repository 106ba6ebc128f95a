/// One thing an operation waits for, and what happens should that not succeed.
public struct DependencyEdge: Sendable {
  /// The operation that must finish first.
  public let operation: ObservableOperation
  /// What happens if it does not succeed.
  public let policy: FailurePolicy
}
