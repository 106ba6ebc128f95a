extension InspectableQueue {
  /// Calls a handler whenever a property changes.
  ///
  /// What can be observed: `isSuspended`, `operations`, `operationCount`,
  /// `maxConcurrentOperationCount`, and by its name `name`. A key path to a value of another type does not compile; one to
  /// another value of the same type, such as `\.operations.count`, does, and its changes are not
  /// announced. The rules are those of the methods of ``ObservableOperation`` with this name.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it is deallocated.
  public func observe(
    _ keyPath: KeyPath<InspectableQueue, Bool>, options: ObservationOptions = [],
    changeHandler: @escaping @Sendable (InspectableQueue, ObservedChange<Bool>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the number of operations or the width changes.
  ///
  /// - Parameters:
  ///   - keyPath: `\.operationCount` or `\.maxConcurrentOperationCount`.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it is deallocated.
  public func observe(
    _ keyPath: KeyPath<InspectableQueue, Int>, options: ObservationOptions = [],
    changeHandler: @escaping @Sendable (InspectableQueue, ObservedChange<Int>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the list of unfinished operations changes.
  ///
  /// - Parameters:
  ///   - keyPath: `\.operations`.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it is deallocated.
  public func observe(
    _ keyPath: KeyPath<InspectableQueue, [ObservableOperation]>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (InspectableQueue, ObservedChange<[ObservableOperation]>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the property of that name changes.
  ///
  /// - Parameters:
  ///   - name: One of ``ObservableKeyPath/queueNames``.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token, or nil if no observable property has that name.
  public func observe(
    named name: String, options: ObservationOptions = [],
    changeHandler: @escaping @Sendable (InspectableQueue, ObservedChange<ObservedValue>) -> Void
  ) -> ObservationToken? {
    observe(byName: name, options, changeHandler)
  }

  /// Announces that an operation is about to come or go, outside any transaction.
  func announceOperations() {
    announce([.operations, .operationCount])
  }

  /// Notes that operations came or went, in a transaction.
  ///
  /// The old list is needed only if an observer asked for it.
  func noteOperations(
    old: [ObservableOperation]?, oldCount: Int, in state: inout EngineState
  ) {
    guard let observers = core.observers else { return }
    observers.note(
      .operations, old: { .operations(old ?? []) }, new: { .operations(core.operations) },
      in: &state)
    observers.note(
      .operationCount, old: { .count(oldCount) }, new: { .count(core.unfinished.count) },
      in: &state)
  }
}

extension InspectableQueue: ObservedSubject {
  static let observedKeys: [ObservedKey] = ObservedKey.ofQueues

  var registry: ObserverRegistry? {
    get { core.observers }
    set { core.observers = newValue }
  }

  func noteObserver(of key: ObservedKey) {}

  static func key(of keyPath: AnyKeyPath) -> ObservedKey? {
    ObservedKey.byQueueKeyPath[keyPath]
  }

  /// The log has entries of operations only.
  func noteRefused(_ keyPath: AnyKeyPath) {}

  func value(of key: ObservedKey) -> PropertyValue {
    switch key {
    case .operations: .operations(core.operations)
    case .operationCount: .count(core.unfinished.count)
    case .isSuspended: .flag(core.isSuspended)
    case .maxConcurrentOperationCount: .count(core.width)
    case .name: .name(core.name)
    default: .name(nil)
    }
  }
}
