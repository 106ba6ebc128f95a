import Synchronization

/// One observer, without the types of the one observed and of the values.
///
/// Its token removes it from the registry. It keeps the registry alive: the operation or queue may
/// be gone before the token.
class Observer: @unchecked Sendable {
  // @unchecked because `heldChanges` is read and written only in transactions of the registry's log,
  // `registry` is written once before another thread knows the observer, and the rest is constant or
  // atomic.

  /// Whether it is called.
  enum Status: UInt8, AtomicRepresentable {
    /// Its calls are held back until it has had the initial one.
    case held
    case active
    /// Its token ended it.
    case ended
  }

  final let key: ObservedKey
  final let options: ObservationOptions
  /// Whether changes are logged for it, and the reader of the log notifies it.
  final let isLogged: Bool
  final let status: Atomic<Status>
  @exclusivity(unchecked) final var registry: ObserverRegistry?
  /// The changes that are held back until it has had the initial call.
  @exclusivity(unchecked) final var heldChanges: [Change] = []

  init(_ key: ObservedKey, _ options: ObservationOptions, isLogged: Bool = false) {
    self.key = key
    self.options = options
    self.isLogged = isLogged
    status = Atomic(options.contains(.initial) && !isLogged ? .held : .active)
  }

  /// Calls the handler with those of the values that this observer asked for.
  func deliver(_ change: Change, about subject: AnyObject) {}

  /// Calls the handler with a change that was logged for this observer.
  func tell(_ logged: LoggedChange) {}

  /// Sees to it that no further call begins.
  final func end() {
    status.store(.ended, ordering: .releasing)
    if let registry { registry.engine.guarded { registry.remove(self) } }
  }
}

/// An observer that wants values of the type that the property has, or an ``ObservedValue``.
final class TypedObserver<Subject: ObservedSubject, Value: Sendable>: Observer,
  @unchecked Sendable
{
  // @unchecked because the superclass is, and this class adds a constant.
  private let handler: @Sendable (Subject, ObservedChange<Value>) -> Void

  init(
    _ key: ObservedKey, _ options: ObservationOptions,
    _ handler: @escaping @Sendable (Subject, ObservedChange<Value>) -> Void
  ) {
    self.handler = handler
    super.init(key, options)
  }

  @specialized(where Subject == ObservableOperation, Value == Bool)
  override func deliver(_ change: Change, about subject: AnyObject) {
    callHandler(change, about: subject)
  }

  // Apart, because a function that is not specialized begins with looking its types up, also if it
  // then goes over to one that is.
  @inline(never) private func callHandler(_ change: Change, about subject: AnyObject) {
    handler(
      unsafeDowncast(subject, to: Subject.self),
      ObservedChange(
        isPrior: change.moment == .before, isInitial: change.moment == .initial,
        oldValue: options.contains(.old) ? change.old?.cast(to: Value.self) : nil,
        newValue: options.contains(.new) ? change.new?.cast(to: Value.self) : nil))
  }
}
