/// The properties that can be observed, by name.
public struct ObservableKeyPath: Sendable {
  /// The names of what can be observed on an operation.
  public static let operationNames: [String] = ObservedKey.ofOperations.map(\.rawValue)
  /// The names of what can be observed on a queue.
  public static let queueNames: [String] = ObservedKey.ofQueues.map(\.rawValue)
}
