import Synchronization

/// One change of an observed property, with its place among the entries of the log.
///
/// An observer added with `logChanges(of:options:handler:)` is not called when the change is made: the
/// change is kept in the log, in the same critical section as the change itself, and the reader of
/// the log notifies the observer when it gets there. So one reader sees entries and changes in the
/// order in which they happened:
///
/// ```swift
/// let (entries, next) = engine.log.entries(from: 0, limit: 100)
/// for entry in entries {
///   for change in engine.log.takeChanges(before: entry.sequence) { change.tell() }
///   print(entry.reason)
/// }
/// for change in engine.log.takeChanges(before: next) { change.tell() }
/// ```
///
/// Of a reader that falls far behind only so many changes are kept. What comes after that is left
/// out until the reader has taken these, and ``leftOut`` of the last one says how many that were.
public struct LoggedChange: Sendable {
  /// When it happened; a prior call is earlier than its change.
  public let time: ContinuousClock.Instant
  /// How many entries the log had then: it comes before the entry with this sequence number.
  public let position: Int
  /// The operation that changed, with its name of that moment; nil for a queue.
  public let operation: OperationIdentity?
  /// How many changes, of all observers, were left out right after this one, because there were too
  /// many that the reader had not taken.
  public internal(set) var leftOut: Int = 0
  let observer: Observer
  let subject: any ObservedSubject
  let change: Change

  /// The values of the change, as the observer receives them.
  ///
  /// Takes time in proportion to the length of a list of operations, as `dependencies` is one.
  public var values: ObservedChange<ObservedValue> {
    ObservedChange(
      isPrior: change.moment == .before, isInitial: change.moment == .initial,
      oldValue: observer.options.contains(.old) ? change.old?.observed : nil,
      newValue: observer.options.contains(.new) ? change.new?.observed : nil)
  }

  /// Calls the handler of the observer on this thread, unless its token was ended meanwhile.
  public func tell() {
    guard observer.status.load(ordering: .acquiring) != .ended else { return }
    observer.tell(self)
  }
}

/// An observer that the reader of the log notifies of changes.
final class LoggedObserver<Subject: ObservedSubject>: Observer, @unchecked Sendable {
  // @unchecked because the superclass is, and this class adds a constant.
  private let handler: @Sendable (Subject, LoggedChange) -> Void

  init(
    _ key: ObservedKey, _ options: ObservationOptions,
    _ handler: @escaping @Sendable (Subject, LoggedChange) -> Void
  ) {
    self.handler = handler
    super.init(key, options, isLogged: true)
  }

  override func tell(_ logged: LoggedChange) {
    handler(unsafeDowncast(logged.subject, to: Subject.self), logged)
  }
}

extension ObservableOperation {
  /// Logs each change of the property of that name; the reader of the log calls the handler.
  ///
  /// - Parameters:
  ///   - name: One of ``ObservableKeyPath/operationNames``.
  ///   - options: When to log, and with which values.
  ///   - handler: What ``LoggedChange/tell()`` calls, on the thread of the reader.
  /// - Returns: A token, or nil if no observable property has that name.
  public func logChanges(
    of name: String, options: ObservationOptions = [],
    handler: @escaping @Sendable (ObservableOperation, LoggedChange) -> Void
  ) -> ObservationToken? {
    logChanges(byName: name, options, handler)
  }
}

extension InspectableQueue {
  /// Logs each change of the property of that name; the reader of the log calls the handler.
  ///
  /// - Parameters:
  ///   - name: One of ``ObservableKeyPath/queueNames``.
  ///   - options: When to log, and with which values.
  ///   - handler: What ``LoggedChange/tell()`` calls, on the thread of the reader.
  /// - Returns: A token, or nil if no observable property has that name.
  public func logChanges(
    of name: String, options: ObservationOptions = [],
    handler: @escaping @Sendable (InspectableQueue, LoggedChange) -> Void
  ) -> ObservationToken? {
    logChanges(byName: name, options, handler)
  }
}
