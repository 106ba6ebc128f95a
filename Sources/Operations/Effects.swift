/// What a transaction decided, to be carried out after the lock is released.
///
/// Observers, handlers, bodies and Foundation are called only from here.
struct Effects {
  /// One thing to do.
  enum Effect {
    /// Call the observers that have notices waiting.
    case deliver(ObserverRegistry)
    /// Announce with `.prior` that the operation is about to become ready, then make it so.
    case announceReady(ObservableOperation, EventLog.Cause)
    /// Announce with `.prior` that the operation is about to execute, then make it so.
    case announceStart(ObservableOperation)
    /// Give the operation, which holds a slot, to Foundation's queue to run.
    case handOver(ObservableOperation, InspectableQueue)
    /// Interrupt the work of an operation that was cancelled while executing.
    case interrupt(ObservableOperation)
    /// End an operation that a dependency's failure stopped.
    case conclude(ObservableOperation, OperationError)
    /// Tell Foundation that the operation has finished.
    case tellFoundation(ObservableOperation)
    /// Resume whoever waits.
    case resume([Waiter])
  }

  var list: [Effect] = []
  var wakeUp: (@Sendable () -> Void)?
  /// References whose last release must not happen under the lock, because a `deinit` may be
  /// anybody's code and may take it.
  var released: [AnyObject] = []

  mutating func append(_ effect: Effect) {
    list.append(effect)
  }

  /// Takes over what a transaction has gathered.
  mutating func take(_ other: inout Effects) {
    if list.isEmpty, released.isEmpty, wakeUp == nil {
      swap(&self, &other)
      return
    }
    list += other.list
    released += other.released
    wakeUp = other.wakeUp ?? wakeUp
    other = Effects()
  }

  /// Carries everything out, and what follows from it, without recursion: a chain of a hundred
  /// thousand skipped operations is one loop here.
  consuming func perform() {
    var todo = list
    wakeUp?()
    var next = 0
    while next < todo.count {
      let effect = todo[next]
      next += 1
      var more = Effects()
      Self.perform(effect, followedBy: &more)
      more.wakeUp?()
      if next == todo.count {
        todo.removeAll(keepingCapacity: true)
        next = 0
      }
      todo += more.list
    }
  }

  private static func perform(_ effect: Effect, followedBy more: inout Effects) {
    switch effect {
    case .deliver(let registry):
      registry.drain()
    case .announceReady(let operation, let cause):
      operation.announceReady(cause, followedBy: &more)
    case .announceStart(let operation):
      operation.announceStart(followedBy: &more)
    case .handOver(let operation, let queue):
      queue.run(operation)
    case .interrupt(let operation):
      operation.interrupt()
    case .conclude(let operation, let error):
      operation.concludeWithoutRunning(error, followedBy: &more)
    case .tellFoundation(let operation):
      operation.tellFoundationFinished()
    case .resume(let waiters):
      for waiter in waiters { waiter.resume() }
    }
  }
}
