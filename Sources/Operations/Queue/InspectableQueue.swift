public import Foundation

/// A queue of operations that shows what it does and why.
///
/// It decides itself which operation is next: the ready one with the highest priority, and among
/// equals the one that was added first, or whose priority was last changed first. A free slot is
/// given when everything that ends in the same instant has ended: operations that a failure skips,
/// cancelled ones whose turn it is, groups with their last member. It lets as many
/// execute at once as it has slots, and has Foundation's `OperationQueue` run those. What is
/// spelled as in Foundation means the same, but for this:
///
/// - What ends the process there (adding twice, a negative width) is thrown as an error here.
/// - Suspending takes effect at once: after it no operation becomes `executing`.
/// - When an operation is seen as finished, it has left the queue, its slot is free, and what
///   depended on it is ready.
///
/// ```swift
/// let queue = InspectableQueue(name: "network", maxConcurrentOperationCount: 2)
/// try queue.addOperation(DelayOperation(name: "nap", duration: .milliseconds(20)))
/// queue.waitUntilAllOperationsAreFinished()
/// ```
///
/// A queue lives as long as it holds unfinished operations.
public final class InspectableQueue: @unchecked Sendable {
  // @unchecked because `core` is read and written only in transactions of `engine`, and the rest is
  // constant.

  /// Runs work later, on a thread of its choice.
  ///
  /// It is called on any thread and must not block. It must run each work exactly once.
  public typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  /// The width that sets no limit.
  public static let defaultMaxConcurrentOperationCount: Int = -1

  /// Where the transitions of its operations are recorded.
  public let engine: OperationEngine
  /// Its number in its engine: 1, 2, 3.
  public let id: Int
  let core: QueueCore
  /// Runs what holds a slot.
  ///
  /// It is as wide as can be, because the slots are counted here.
  let foundation: FoundationQueue
  /// Decides what starts; nil if the queue does.
  package let driver: (any QueueDriver)?

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - maxConcurrentOperationCount: How many operations execute at once at most: 0 holds all,
  ///     -1 sets no limit.
  ///   - qualityOfService: The class of service for operations that have none of their own.
  ///   - engine: Where the transitions of its operations are recorded.
  ///   - executor: Runs its operations, bodies that block included, such as on a main thread; nil
  ///     for the threads of Foundation and of blocking bodies. Classes of service have no effect on
  ///     it.
  public convenience init(
    name: String, maxConcurrentOperationCount: Int = 2,
    qualityOfService: QualityOfService = .default, engine: OperationEngine = .shared,
    executor: Executor? = nil
  ) {
    self.init(
      name: name, maxConcurrentOperationCount: maxConcurrentOperationCount,
      qualityOfService: qualityOfService, engine: engine, executor: executor, driver: nil)
  }

  /// Creates an empty queue, for which a driver may decide what starts, or which is that of a group.
  package init(
    name: String, maxConcurrentOperationCount: Int, qualityOfService: QualityOfService = .default,
    engine: OperationEngine, executor: Executor? = nil, driver: (any QueueDriver)?,
    isOfGroup: Bool = false
  ) {
    self.engine = engine
    self.driver = driver
    id = engine.nextQueueID()
    foundation = FoundationQueue(name: name, executor: executor)
    core = QueueCore(
      label: QueueLabel(name: name, id: id),
      width: max(maxConcurrentOperationCount, Self.defaultMaxConcurrentOperationCount),
      quality: qualityOfService)
    core.trace.queue = self
    core.isDriven = driver != nil
    engine.transact {
      $0.note(.width(old: nil, new: core.width), of: self)
      // That of a group is called as the group is.
      if !isOfGroup { $0.note(.renamed(old: nil, new: name), of: self) }
      if qualityOfService != .default {
        $0.note(.quality(old: .default, new: qualityOfService), of: self)
      }
    }
  }

  /// Creates a queue of a log that is folded, with the number that it has there; it starts nothing.
  ///
  /// Unless `isRemembered`, finished operations do not know it: a weak reference would make every
  /// use of it slower.
  init(folded id: Int, name: String, width: Int, isRemembered: Bool, engine: OperationEngine) {
    self.engine = engine
    self.id = id
    driver = nil
    foundation = FoundationQueue(name: name, executor: nil)
    core = QueueCore(label: QueueLabel(name: name, id: id), width: width, quality: .default)
    if isRemembered { core.trace.queue = self }
    core.isDriven = true
  }

  /// Its name.
  public var name: String {
    get { read { $0.name } }
    set {
      if name != newValue { announce([.name]) }
      engine.transact { rename(newValue, in: &$0) }
    }
  }

  /// Whether requests of its operations, and of those in its groups, join an equal request in flight
  /// instead of being sent.
  ///
  /// The queue only remembers it; the library of requests does it, with a `RequestCoalescer`.
  public var coalescesRequests: Bool {
    get { read { $0.coalescesRequests } }
    set { engine.guarded { core.coalescesRequests = newValue } }
  }

  /// Whether it starts nothing for now; what executes goes on.
  public var isSuspended: Bool {
    get { read { $0.isSuspended } }
    set {
      change(.isSuspended, to: newValue, at: \.isSuspended, as: { .flag($0) }) {
        .suspended($1)
      }
    }
  }

  /// How many operations execute at once at most: 0 holds all, -1 sets no limit.
  ///
  /// When it is lowered, what executes goes on. A value below -1 is ignored; ``setWidth(_:)``
  /// reports it.
  public var maxConcurrentOperationCount: Int {
    get { read { $0.width } }
    set { try? setWidth(newValue) }
  }

  /// Sets how many operations execute at once at most.
  ///
  /// - Parameter width: The number; 0 holds all, -1 sets no limit.
  /// - Throws: ``QueueError/invalidWidth(_:)`` below -1.
  public func setWidth(_ width: Int) throws(QueueError) {
    guard width >= Self.defaultMaxConcurrentOperationCount else { throw .invalidWidth(width) }
    setWidth(width) { true }
  }

  /// Sets the width if a condition holds at that moment.
  ///
  /// - Parameters:
  ///   - width: The width, from -1.
  ///   - isPresent: The condition; called with the engine's lock.
  package func setWidth(_ width: Int, if isPresent: () -> Bool) {
    change(
      .maxConcurrentOperationCount, to: width, at: \.width, as: { .count($0) }, if: isPresent
    ) {
      .width(old: $0, new: $1)
    }
  }

  /// Whether it takes no more operations, because it is a group's, and the group has finished or is
  /// gone.
  public var isClosed: Bool { read { $0.membership?.isClosed == true } }

  /// The unfinished operations in the order in which they were added.
  public var operations: [ObservableOperation] { read { $0.operations } }

  /// How many operations have not finished.
  public var operationCount: Int { read { $0.unfinished.count } }

  /// How many operations are `executing`; ``snapshot`` tells which as well.
  package var executingOperationCount: Int { read { $0.executing } }

  /// Which part of all that were ever added has finished, from 0 to 1.
  public var progress: Double {
    read { core in
      let all = core.finished + core.unfinished.count
      return all == 0 ? 1 : Double(core.finished) / Double(all)
    }
  }

  func read<Value>(_ body: (QueueCore) -> Value) -> Value {
    engine.guarded { body(core) }
  }

  /// Sets its name, in a transaction.
  func rename(_ name: String, in state: inout EngineState) {
    let old = core.name
    guard old != name else { return }
    state.decide(.renamed(old: old, new: name), of: self)
    core.observers?.note(.name, old: { .name(old) }, new: { .name(name) }, in: &state)
  }

  private func change<Value: Equatable>(
    _ key: ObservedKey, to value: Value, at property: ReferenceWritableKeyPath<QueueCore, Value>,
    as wrap: (Value) -> PropertyValue, if isPresent: () -> Bool = { true },
    event: (Value, Value) -> EventLog.Change.Event
  ) {
    engine.virtualClock.endHold()
    if read({ $0[keyPath: property] != value }) { announce([key]) }
    engine.transact { state in
      let old = core[keyPath: property]
      guard old != value, isPresent() else { return }
      state.decide(event(old, value), of: self)
      core.observers?.note(key, old: { wrap(old) }, new: { wrap(value) }, in: &state)
      // What reserved names on it may not do so any more.
      state.exclusives.lookAgain()
      state.needsScheduling(self)
    }
  }
}
