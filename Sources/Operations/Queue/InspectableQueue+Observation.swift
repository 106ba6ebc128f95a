extension InspectableQueue {
  /// Calls a handler whenever a property changes.
  ///
  /// What can be observed: `operations`, `operationCount`, `isSuspended` and
  /// `maxConcurrentOperationCount`. For another key path the handler gets the initial call, if
  /// asked for, and nothing more. The rules are those of
  /// ``ObservableOperation/observe(_:options:changeHandler:)``.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it goes away.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<InspectableQueue, Value>, options: ObservationOptions = [],
    changeHandler: @escaping @Sendable (InspectableQueue, ObservedChange<Value>) -> Void
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
  /// What was there before is needed only if somebody wants it.
  func noteOperations(
    old: [ObservableOperation]?, oldCount: Int, in domain: inout Domain
  ) {
    guard let observers = core.observers else { return }
    observers.note(
      .operations, old: { .operations(old ?? []) }, new: { .operations(core.operations) },
      in: &domain)
    observers.note(
      .operationCount, old: { .count(oldCount) }, new: { .count(core.roster.count) },
      in: &domain)
  }
}

extension InspectableQueue: ObservedSubject {
  static let observedKeys: [ObservedKey] = ObservedKey.ofQueues

  var registry: ObserverRegistry? {
    get { core.observers }
    set { core.observers = newValue }
  }

  func noteObserver(of key: ObservedKey, options: ObservationOptions) {}

  static func key(comparing keyPath: AnyKeyPath) -> ObservedKey? {
    ObservedKey(queue: keyPath)
  }

  func value(of key: ObservedKey) -> PropertyValue {
    switch key {
    case .operations: .operations(core.operations)
    case .operationCount: .count(core.roster.count)
    case .isSuspended: .flag(core.isSuspended)
    case .maxConcurrentOperationCount: .count(core.width)
    default: .name(nil)
    }
  }
}
