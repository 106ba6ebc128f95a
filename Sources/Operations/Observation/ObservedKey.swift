/// The properties that can be observed, each as it is spelled in Swift.
enum ObservedKey: String, CaseIterable {
  case isReady, isExecuting, isFinished, isCancelled
  /// Properties that a key path can name, but not a name.
  case isBarrier, isValueDropped
  case queuePriority, qualityOfService, dependencies, name, progress
  case operations, operationCount, isSuspended, maxConcurrentOperationCount
  case isAsynchronous, completionBlock

  static let ofOperations: [ObservedKey] = [
    .isReady, .isExecuting, .isFinished, .isCancelled, .isAsynchronous, .queuePriority,
    .qualityOfService, .dependencies, .completionBlock, .name, .progress,
  ]
  static let ofQueues: [ObservedKey] = [
    .operations, .operationCount, .isSuspended, .maxConcurrentOperationCount, .name,
  ]

  /// The bit of a flag among those that have observers; see ``OperationCore/mayBeObserved(_:)``.
  var bit: UInt8 {
    switch self {
    case .isReady: 1
    case .isExecuting: 2
    case .isFinished: 4
    case .isCancelled: 8
    case .isBarrier: 16
    case .isValueDropped: 32
    default: 0
    }
  }

  /// The properties of operations by their key paths.
  // nonisolated(unsafe) because the table never changes, and neither do key paths.
  nonisolated(unsafe) static let byOperationKeyPath: [AnyKeyPath: ObservedKey] = [
    \ObservableOperation.isReady: .isReady,
    \ObservableOperation.isExecuting: .isExecuting,
    \ObservableOperation.isFinished: .isFinished,
    \ObservableOperation.isCancelled: .isCancelled,
    \ObservableOperation.isAsynchronous: .isAsynchronous,
    \ObservableOperation.queuePriority: .queuePriority,
    \ObservableOperation.qualityOfService: .qualityOfService,
    \ObservableOperation.dependencies: .dependencies,
    \ObservableOperation.name: .name,
    \ObservableOperation.progress: .progress,
    \ObservableOperation.isBarrier: .isBarrier,
    \ObservableOperation.isValueDropped: .isValueDropped,
  ]

  /// The properties of queues by their key paths.
  // nonisolated(unsafe) because the table never changes, and neither do key paths.
  nonisolated(unsafe) static let byQueueKeyPath: [AnyKeyPath: ObservedKey] = [
    \InspectableQueue.operations: .operations,
    \InspectableQueue.operationCount: .operationCount,
    \InspectableQueue.isSuspended: .isSuspended,
    \InspectableQueue.maxConcurrentOperationCount: .maxConcurrentOperationCount,
  ]
}
