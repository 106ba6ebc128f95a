public import Foundation

extension ObservableOperation {
  /// Calls a handler whenever a property changes.
  ///
  /// What can be observed: `isReady`, `isExecuting`, `isFinished`, `isCancelled`, `isAsynchronous`,
  /// which never changes, `queuePriority`, `qualityOfService`, `dependencies`, `name` and `progress`,
  /// and by its name `completionBlock`; `isBarrier` and ``isValueDropped``
  /// are announced after the change only. The ``EventLog`` has every change of state.
  ///
  /// There is one such method for each type of these properties, so a key path to a value of another
  /// type, such as `\.state`, does not compile. One to another value of the same type does, as
  /// `\.queueName` or `\.dependencies.isEmpty`: its changes are not announced, and an entry of the
  /// log says that the observation was refused.
  ///
  /// ```swift
  /// let token = operation.observe(\.isFinished, options: [.new]) { operation, change in
  ///   print(operation.displayName, change.newValue ?? false)
  /// }
  /// ```
  ///
  /// The handler runs on the thread that makes the change, with no lock held. If another thread is
  /// notifying observers of this operation at that moment, the handler runs on that thread. Changes
  /// of one operation are notified in the order in which they happened. Setting a property to the
  /// value it has is not a change. The handler may change the operation: that notification comes
  /// after the present one. The handler must not block. If two threads race, a prior call may
  /// announce a change that the other thread then made unnecessary.
  ///
  /// - Parameters:
  ///   - keyPath: The property, written with `ObservableOperation` as its root.
  ///   - options: When to call, and with which values.
  ///   - changeHandler: What to call.
  /// - Returns: A token; the observation ends when it is deallocated.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, Bool>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<Bool>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the priority changes, by the rules of that for `Bool`.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, Operation.QueuePriority>,
    options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<Operation.QueuePriority>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the class of service changes, by the rules of that for `Bool`.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, QualityOfService>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<QualityOfService>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the list of dependencies changes, by the rules of that for `Bool`.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, [Operation]>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<[Operation]>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the name changes, by the rules of that for `Bool`.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, String?>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<String?>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
  }

  /// Calls a handler whenever the progress changes, by the rules of that for `Bool`.
  public func observe(
    _ keyPath: KeyPath<ObservableOperation, Double?>, options: ObservationOptions = [],
    changeHandler:
      @escaping @Sendable (ObservableOperation, ObservedChange<Double?>) -> Void
  ) -> ObservationToken {
    observe(at: keyPath, options, changeHandler)
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
    observe(byName: name, options, changeHandler)
  }

  /// Notes that a flag has just changed, in a transaction.
  func noteFlag(_ key: ObservedKey, _ value: Bool, in state: inout EngineState) {
    guard core.mayBeObserved(key), !isSilent(key) else { return }
    core.observers?.noteFlag(key, value, in: &state)
  }

  /// Notes that a property that is false was set to false, in a transaction.
  func noteRedundantly(_ key: ObservedKey, in state: inout EngineState) {
    guard core.mayBeObserved(key), !isSilent(key) else { return }
    core.observers?.note(key, old: { .flag(false) }, new: { .flag(false) }, in: &state)
  }
}

extension ObservableOperation {
  /// What observers by name see of a completion block.
  fileprivate static let blockText = "a block"

  /// Announces and notes that the completion block is set or removed by `set`.
  func changeCompletionBlock(toNone isNone: Bool, _ set: () -> Void) {
    let isObserved = engine.guarded { core.observers != nil }
    let wasNone = completionBlock == nil
    guard isObserved, wasNone != isNone else { return set() }
    announce([.completionBlock])
    set()
    engine.transact { state in
      core.observers?.note(
        .completionBlock, old: { .name(wasNone ? nil : Self.blockText) },
        new: { .name(isNone ? nil : Self.blockText) }, in: &state)
    }
  }
}

extension ObservableOperation: ObservedSubject {
  static let observedKeys: [ObservedKey] = ObservedKey.ofOperations

  var registry: ObserverRegistry? {
    get { core.observers }
    set { core.observers = newValue }
  }

  func isSilent(_ key: ObservedKey) -> Bool {
    key == .isExecuting && core.extras?.defects.contains(.silentExecuting) == true
  }

  func noteObserver(of key: ObservedKey) { core.noteObserver(of: key) }

  static func key(of keyPath: AnyKeyPath) -> ObservedKey? {
    ObservedKey.byOperationKeyPath[keyPath]
  }

  func noteRefused(_ keyPath: AnyKeyPath) {
    noteRefusal("observation refused: the changes of what the key path names are not announced")
  }

  func value(of key: ObservedKey) -> PropertyValue {
    switch key {
    case .isReady: .flag(core.showsReady)
    case .isExecuting: .flag(core.showsExecuting)
    case .isFinished: .flag(core.showsFinished)
    case .isCancelled: .flag(core.isCancelled)
    case .queuePriority: .priority(core.priority)
    case .qualityOfService: .quality(core.quality)
    case .dependencies: .operations(core.upstream.map(\.operation))
    case .name: .name(identityInTransaction.name)
    case .progress: .fraction(core.progress)
    case .isBarrier: .flag(core.extras?.isBarrier ?? false)
    case .isValueDropped: .flag(core.isValueDropped)
    case .isAsynchronous: .flag(isAsynchronous)
    case .completionBlock: .name(completionBlock == nil ? nil : Self.blockText)
    case .operations, .operationCount, .isSuspended, .maxConcurrentOperationCount: .name(nil)
    }
  }
}
