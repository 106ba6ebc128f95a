/// The properties that can be observed.
enum ObservedKey: UInt8, CaseIterable {
  case isReady, isExecuting, isFinished, isCancelled
  case queuePriority, qualityOfService, dependencies, name, progress
  case operations, operationCount, isSuspended, maxConcurrentOperationCount
  /// Properties that a key path can name, but not a name.
  case isBarrier, isValueDropped

  static let ofOperations: [ObservedKey] = [
    .isReady, .isExecuting, .isFinished, .isCancelled, .queuePriority, .qualityOfService,
    .dependencies, .name, .progress,
  ]
  static let ofQueues: [ObservedKey] = [
    .operations, .operationCount, .isSuspended, .maxConcurrentOperationCount,
  ]

  /// The property as it is spelled in Swift.
  var text: String {
    switch self {
    case .isReady: "isReady"
    case .isExecuting: "isExecuting"
    case .isFinished: "isFinished"
    case .isCancelled: "isCancelled"
    case .queuePriority: "queuePriority"
    case .qualityOfService: "qualityOfService"
    case .dependencies: "dependencies"
    case .name: "name"
    case .progress: "progress"
    case .operations: "operations"
    case .operationCount: "operationCount"
    case .isSuspended: "isSuspended"
    case .maxConcurrentOperationCount: "maxConcurrentOperationCount"
    case .isBarrier: "isBarrier"
    case .isValueDropped: "isValueDropped"
    }
  }

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
    case \ObservableOperation.isBarrier: self = .isBarrier
    case \ObservableOperation.isValueDropped: self = .isValueDropped
    default: return nil
    }
  }

  /// Finds the property that a key path on queues names.
  init?(queue keyPath: AnyKeyPath) {
    switch keyPath {
    case \InspectableQueue.operations: self = .operations
    case \InspectableQueue.operationCount: self = .operationCount
    case \InspectableQueue.isSuspended: self = .isSuspended
    case \InspectableQueue.maxConcurrentOperationCount: self = .maxConcurrentOperationCount
    default: return nil
    }
  }
}

/// Some of the properties that can be observed.
struct ObservedKeys {
  private var bits: UInt16 = 0

  var isEmpty: Bool { bits == 0 }

  func contains(_ key: ObservedKey) -> Bool {
    bits & (1 << UInt16(key.rawValue)) != 0
  }

  mutating func insert(_ key: ObservedKey) {
    bits |= 1 << UInt16(key.rawValue)
  }
}
