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
    guard let key = ObservedKey(queue: keyPath) else {
      if options.contains(.initial) {
        let value = options.contains(.new) ? self[keyPath: keyPath] : nil
        changeHandler(
          self,
          ObservedChange(isPrior: false, isInitial: true, oldValue: nil, newValue: value))
      }
      return ObservationToken {}
    }
    return observe(key, options: options, deliver: Observer.typed(changeHandler))
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
    guard let key = ObservedKey(rawValue: name), ObservedKey.ofQueues.contains(key) else {
      return nil
    }
    return observe(key, options: options, deliver: Observer.erased(changeHandler))
  }

  private func observe(
    _ key: ObservedKey, options: ObservationOptions, deliver: @escaping Observer.Delivery
  ) -> ObservationToken {
    let (registry, observer, value) = log.guarded {
      () -> (ObserverRegistry, Observer, PropertyValue) in
      let registry = core.observers ?? ObserverRegistry(log: log, subject: self)
      core.observers = registry
      let observer = registry.add(key, options: options, deliver: deliver)
      return (registry, observer, self.value(of: key))
    }
    registry.begin(observer, initial: value, subject: self)
    return ObservationToken { [weak registry] in
      guard let registry else { return }
      registry.log.guarded { registry.remove(observer) }
    }
  }

  private func value(of key: ObservedKey) -> PropertyValue {
    switch key {
    case .operations: .operations(core.operations)
    case .operationCount: .count(core.roster.count)
    case .isSuspended: .flag(core.isSuspended)
    case .maxConcurrentOperationCount: .count(core.width)
    default: .name(nil)
    }
  }

  /// Announces that an operation is about to come or go, outside any transaction.
  func announceOperations() {
    let due = log.guarded { () -> (ObserverRegistry, [(ObservedKey, PropertyValue)])? in
      guard let observers = core.observers else { return nil }
      let keys = [ObservedKey.operations, .operationCount].filter { observers.hasPrior($0) }
      return (observers, keys.map { ($0, value(of: $0)) })
    }
    guard let (observers, changes) = due else { return }
    for (key, value) in changes { observers.announce(key, old: value) }
  }

  /// Notes that operations came or went, in a transaction.
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
