/// What can be observed: operations and queues.
protocol ObservedSubject: AnyObject, Sendable {
  /// The engine whose lock guards the observers.
  var engine: OperationEngine { get }
  /// Its observers, once it had some; in a transaction.
  var registry: ObserverRegistry? { get set }
  /// Remembers that there is an observer of a property, in a transaction.
  func noteObserver(of key: ObservedKey)
  /// The properties that can be observed.
  static var observedKeys: [ObservedKey] { get }

  /// Finds the property that a key path names.
  static func key(of keyPath: AnyKeyPath) -> ObservedKey?

  /// Whether the changes of a property are not announced, as a mistake of the subject's code.
  func isSilent(_ key: ObservedKey) -> Bool

  /// The present value of a property, in a transaction.
  func value(of key: ObservedKey) -> PropertyValue

  /// Notes that a key path names something else than a property that can be observed.
  func noteRefused(_ keyPath: AnyKeyPath)
}

extension ObservedSubject {
  func isSilent(_ key: ObservedKey) -> Bool { false }

  /// Adds an observer of the property that a key path names.
  @inline(never) func observe<Value: Sendable>(
    at keyPath: KeyPath<Self, Value>, _ options: ObservationOptions,
    _ handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    if let key = Self.key(of: keyPath) {
      return observe(with: TypedObserver(key, options, handler))
    }
    noteRefused(keyPath)
    if options.contains(.initial) {
      let value = options.contains(.new) ? self[keyPath: keyPath] : nil
      handler(
        self, ObservedChange(isPrior: false, isInitial: true, oldValue: nil, newValue: value))
    }
    return ObservationToken(nil)
  }

  /// Adds an observer of the property of that name, if there is one.
  func observe(
    byName name: String, _ options: ObservationOptions,
    _ handler: @escaping @Sendable (Self, ObservedChange<ObservedValue>) -> Void
  ) -> ObservationToken? {
    guard let key = Self.observedKeys.first(where: { $0.rawValue == name }) else { return nil }
    return observe(with: TypedObserver(key, options, handler))
  }

  /// Adds an observer that the reader of the log notifies, if a property has that name.
  func logChanges(
    byName name: String, _ options: ObservationOptions,
    _ handler: @escaping @Sendable (Self, LoggedChange) -> Void
  ) -> ObservationToken? {
    guard let key = Self.observedKeys.first(where: { $0.rawValue == name }) else { return nil }
    return observe(with: LoggedObserver(key, options, handler))
  }

  private func observe(with observer: Observer) -> ObservationToken {
    let isValueWanted = observer.options.isSuperset(of: [.initial, .new])
    let value = engine.transact { state -> PropertyValue? in
      if let registry {
        registry.add(observer)
      } else {
        let registry = ObserverRegistry(engine: engine, subject: self)
        registry.add(observer)
        self.registry = registry
      }
      noteObserver(of: observer.key)
      let value = isValueWanted ? self.value(of: observer.key) : nil
      if observer.isLogged, observer.options.contains(.initial) {
        let values = Change.Values.pair(Change.Pair(old: nil, new: value))
        state.log(Change(moment: .initial, values: values), of: self, for: observer)
      }
      return value
    }
    if observer.options.contains(.initial), !observer.isLogged {
      observer.registry?.begin(observer, initial: value, subject: self)
    }
    return ObservationToken(observer)
  }

  /// Tells observers with the option `prior` of changes before they happen, outside any transaction.
  func announce(_ keys: [ObservedKey]) {
    let (registry, keys) = engine.guarded { () -> (ObserverRegistry?, [ObservedKey]) in
      guard let registry = self.registry, registry.hasPrior else { return (nil, []) }
      return (registry, keys.filter { !isSilent($0) })
    }
    registry?.announce(keys) { value(of: $0) }
  }
}
