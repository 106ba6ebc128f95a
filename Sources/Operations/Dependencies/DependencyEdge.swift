/// One thing an operation waits for, and what happens should that not succeed.
public struct DependencyEdge: Sendable {
  /// The operation that must finish first.
  public let operation: ObservableOperation
  /// What happens if it does not succeed.
  public let policy: FailurePolicy
  /// By what the operation finds its dependent in its ``DownstreamList``.
  ///
  /// It has 30 bits.
  var serial: UInt32 = 0

  /// The highest serial; the edges after it have the same.
  static let lastSerial: UInt32 = 1 << 30 - 1
}
