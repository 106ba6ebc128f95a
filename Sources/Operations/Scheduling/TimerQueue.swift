import Dispatch
import Locking

/// Calls handlers later, on one thread, however many there are.
///
/// All delays of a log stand in one heap with one timer of the system, so that a thousand of them
/// cost no threads. The handlers run on a serial queue of their own: what is sent to a global one
/// waits while blocking bodies keep its few threads busy.
final class TimerQueue: Sendable {
  /// One thing to be done later.
  final class Token: Sendable {
    private let handler: Locked<(@Sendable () -> Void)?>

    init(_ handler: @escaping @Sendable () -> Void) {
      self.handler = Locked(handler)
    }

    /// Sees to it that the handler is not called any more, and lets it go.
    func cancel() {
      withExtendedLifetime(take()) {}
    }

    /// Whether the handler was called or will never be.
    var isCancelled: Bool { handler.withLock { $0 == nil } }

    /// Takes the handler out, to call it.
    func take() -> (@Sendable () -> Void)? {
      handler.withLock { handler in
        defer { handler = nil }
        return handler
      }
    }
  }

  private struct Entry: Comparable {
    let deadline: Int64
    let number: Int
    let token: Token

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline, left.number) < (right.deadline, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private struct State {
    var entries = Heap<Entry>()
    var lastNumber = 0
    var source: (any DispatchSourceTimer)?
    /// When the source fires next.
    var deadline = Int64.max
    /// When the heap is this large, those that were cancelled are dropped from it.
    var pruneAt = 64
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "opsh.operations.timers")
  private let virtualClock: VirtualClock?

  /// Creates a queue without timers.
  ///
  /// - Parameter virtualClock: What does the work while it is in use.
  init(virtualClock: VirtualClock? = nil) {
    self.virtualClock = virtualClock
  }

  deinit {
    state.withLock { $0.source?.cancel() }
  }

  /// Calls the handler after the given time.
  ///
  /// - Returns: What to cancel it with.
  func schedule(after delay: Duration, _ handler: @escaping @Sendable () -> Void) -> Token {
    let now = presentTime
    return schedule(at: now.addingClamped(max(0, delay.wholeNanoseconds)), now: now, handler)
  }

  /// Calls the handler at the given time of the engine's clock.
  ///
  /// - Returns: What to cancel it with.
  func schedule(
    at deadline: Int64, now: Int64? = nil, _ handler: @escaping @Sendable () -> Void
  ) -> Token {
    let token = Token(handler)
    if let virtualClock, virtualClock.isInUse {
      virtualClock.insert(token, at: deadline)
      return token
    }
    let now = now ?? EngineClock.nanoseconds()
    state.withLock { state in
      state.lastNumber += 1
      if state.entries.count >= state.pruneAt {
        state.entries.removeAll { $0.token.isCancelled }
        state.pruneAt = max(64, 2 * state.entries.count)
      }
      state.entries.insert(Entry(deadline: deadline, number: state.lastNumber, token: token))
      if deadline < state.deadline { arm(&state, for: deadline, now: now) }
    }
    return token
  }

  private var presentTime: Int64 {
    if let virtualClock, virtualClock.isInUse { return virtualClock.nanoseconds }
    return EngineClock.nanoseconds()
  }

  /// How many wait, those included that were cancelled and not yet dropped.
  var entryCount: Int { state.withLock { $0.entries.count } }

  private func arm(_ state: inout State, for deadline: Int64, now: Int64) {
    state.deadline = deadline
    let source: any DispatchSourceTimer
    if let existing = state.source {
      source = existing
    } else {
      source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
      source.setEventHandler { [weak self] in self?.fire() }
      state.source = source
    }
    let delay = Duration.nanoseconds(max(0, deadline - now))
    source.schedule(deadline: .now() + delay.dispatchInterval, leeway: .nanoseconds(0))
    source.activate()
  }

  private func fire() {
    while true {
      let due = state.withLock { state -> [Token] in
        let now = EngineClock.nanoseconds()
        var due: [Token] = []
        while let first = state.entries.first, first.deadline <= now, due.count < 64 {
          _ = state.entries.popFirst()
          due.append(first.token)
        }
        if due.isEmpty {
          state.deadline = .max
          if let next = state.entries.first { arm(&state, for: next.deadline, now: now) }
        }
        return due
      }
      if due.isEmpty { return }
      for token in due { token.take()?() }
    }
  }
}
