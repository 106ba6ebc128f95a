extension ObservableOperation {
  /// Calls a handler whenever a property changes.
  ///
  /// What can be observed: `isReady`, `isExecuting`, `isFinished`, `isCancelled`, `queuePriority`,
  /// `qualityOfService`, `dependencies`, `name` and `progress`. For another key path the handler
  /// gets the initial call, if asked for, and nothing more.
  ///
  /// ```swift
  /// let token = operation.observe(\.isFinished, options: [.new]) { operation, change in
  ///   print(operation.displayName, change.newValue ?? false)
  /// }
  /// ```
  ///
  /// The handler runs on the thread that makes the change, with no lock held, and hears of the
  /// changes of one operation in the order in which they happened. Setting a property to the value
  /// it has is not a change. The handler may change the operation: the notice of that comes after
  /// the present one. It must not block. If two threads race, a prior call may announce a change
  /// that the other thread then made unnecessary.
  ///
  /// - Parameters:
  ///   - keyPath: The property, written with `ObservableOperation` as its root.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it goes away.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<ObservableOperation, Value>, options: ObservationOptions = [],
    changeHandler: @escaping @Sendable (ObservableOperation, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    guard let key = ObservedKey(operation: keyPath) else {
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
  ///   - name: One of ``ObservableKeyPath/operationNames``.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token, or nil if no observable property has that name.
  public func observe(
    named name: String, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<ObservedValue>) -> Void
  ) -> ObservationToken? {
    guard let key = ObservedKey(rawValue: name), ObservedKey.ofOperations.contains(key) else {
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

  /// The present value of a property, in a transaction.
  func value(of key: ObservedKey) -> PropertyValue {
    switch key {
    case .isReady: .flag(core.isReady)
    case .isExecuting: .flag(core.state == .executing)
    case .isFinished: .flag(core.state == .finished)
    case .isCancelled: .flag(core.isCancelled)
    case .queuePriority: .priority(core.priority)
    case .qualityOfService: .quality(core.quality)
    case .dependencies: .operations(core.upstream.edges.map(\.operation))
    case .name: .name(identityInTransaction.name)
    case .progress: .fraction(core.progress)
    case .operations, .operationCount, .isSuspended, .maxConcurrentOperationCount: .name(nil)
    }
  }

  /// Notes that a flag has just changed, in a transaction.
  func noteFlag(_ key: ObservedKey, _ value: Bool, in domain: inout Domain) {
    core.extras?.observers?.note(key, old: { .flag(!value) }, new: { .flag(value) }, in: &domain)
  }

  /// Calls the prior observers of those keys that have some, outside any transaction.
  func announce(_ keys: [ObservedKey]) {
    let due = log.guarded { () -> [(ObservedKey, PropertyValue)] in
      guard let observers = core.observers else { return [] }
      return keys.filter { observers.hasPrior($0) }.map { ($0, value(of: $0)) }
    }
    guard !due.isEmpty, let observers = read({ $0.observers }) else { return }
    for (key, value) in due { observers.announce(key, old: value) }
  }
}
