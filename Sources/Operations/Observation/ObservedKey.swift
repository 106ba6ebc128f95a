import Foundation

/// The properties that can be observed.
enum ObservedKey: String, CaseIterable {
  case isReady, isExecuting, isFinished, isCancelled
  case queuePriority, qualityOfService, dependencies, name, progress
  case operations, operationCount, isSuspended, maxConcurrentOperationCount

  static let ofOperations: [ObservedKey] = [
    .isReady, .isExecuting, .isFinished, .isCancelled, .queuePriority, .qualityOfService,
    .dependencies, .name, .progress,
  ]
  static let ofQueues: [ObservedKey] = [
    .operations, .operationCount, .isSuspended, .maxConcurrentOperationCount,
  ]

  /// Finds the property that a key path on operations names.
  init?(operation keyPath: AnyKeyPath) {
    switch keyPath {
    case \ObservableOperation.isReady: self = .isReady
    case \ObservableOperation.isExecuting: self = .isExecuting
    case \ObservableOperation.isFinished: self = .isFinished
    case \ObservableOperation.isCancelled: self = .isCancelled
    case \ObservableOperation.queuePriority: self = .queuePriority
    case \ObservableOperation.qualityOfService: self = .qualityOfService
    case \ObservableOperation.dependencies: self = .dependencies
    case \ObservableOperation.name: self = .name
    case \ObservableOperation.progress: self = .progress
    default: return nil
    }
  }

  /// Finds the property that a key path on queues names.
  init?(queue keyPath: PartialKeyPath<InspectableQueue>) {
    switch keyPath {
    case \InspectableQueue.operations: self = .operations
    case \InspectableQueue.operationCount: self = .operationCount
    case \InspectableQueue.isSuspended: self = .isSuspended
    case \InspectableQueue.maxConcurrentOperationCount: self = .maxConcurrentOperationCount
    default: return nil
    }
  }
}
