import Dispatch
import OpshLocking
import OpshSupport

/// Calls handlers later, on one thread, however many there are.
///
/// All delays of an engine stand in one heap with one timer of the system, so that a thousand of them
/// cost no threads. The handlers run on a serial queue of their own: what is sent to a global one
/// waits while blocking bodies keep its few threads busy. Should one take long, perhaps because it
/// waits for what another timer brings about, another queue goes on with the rest.
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

  private struct State {
    var timers = EngineTimers()
    var source: (any DispatchSourceTimer)?
    /// When the source fires next.
    var deadline = Int64.max
    /// Where the source fires and the handlers are called.
    var queue = DispatchQueue(label: TimerQueue.label)
    /// How many queues gave up their turn to another one.
    var shift = 0
    /// How many handlers were called, the present one included.
    var callCount = 0
    /// Whether a handler is being called.
    var isCalling = false
    /// How many had been called at the last look, while the watch is set.
    var countAtLook: Int?
    /// Makes the looks.
    var watch: (any DispatchSourceTimer)?
  }

  private let state = Locked(State())
  private static let label = "opsh.operations.timers"
  /// Two looks apart by this time must find the same handler before another queue goes on.
  ///
  /// It is long, because a thread that merely had to wait for a processor must not be overtaken by
  /// the handlers after it: they are to be called in their order on a busy machine too.
  private static let interval = DispatchTimeInterval.milliseconds(100)
  private let longestRest: Duration
  private let virtualClock: VirtualClock?
  /// What the times are of, while the virtual clock is not in use.
  private let clock: PacedClock

  /// Creates a queue without timers.
  ///
  /// - Parameters:
  ///   - virtualClock: What does the work while it is in use.
  ///   - clock: The clock of the engine otherwise.
  ///   - longestRest: After which time the source fires in any case, to look at the engine's clock:
  ///     its own stands still while the machine sleeps.
  init(
    virtualClock: VirtualClock? = nil, clock: PacedClock = PacedClock(),
    longestRest: Duration = .seconds(15)
  ) {
    self.virtualClock = virtualClock
    self.clock = clock
    self.longestRest = longestRest
    clock.onChange { [weak self] in self?.armAgain() }
  }

  deinit {
    state.withLock { state in
      state.source?.cancel()
      state.watch?.cancel()
    }
  }

  /// Calls the handler after the given time; returns what to cancel it with.
  func schedule(after delay: Duration, _ handler: @escaping @Sendable () -> Void) -> Token {
    schedule(at: presentTime.addingClamped(max(0, delay.wholeNanoseconds)), handler)
  }

  /// Calls the handler at the given time of the engine's clock; returns what to cancel it with.
  func schedule(at deadline: Int64, _ handler: @escaping @Sendable () -> Void) -> Token {
    let token = Token(handler)
    if let virtualClock, virtualClock.isInUse {
      virtualClock.insert(token, at: deadline)
      return token
    }
    let isNext = state.withLock { state in
      state.timers.insert(token, at: deadline)
      return deadline < state.deadline
    }
    // A timer may start threads of libdispatch.
    if isNext { ThreadStarter.perform { [self] in armForFirst() } }
    return token
  }

  /// Has the source fire for the first of all entries, if it would fire later.
  private func armForFirst() {
    state.withLock { state in
      guard let deadline = state.timers.nextDeadline, deadline < state.deadline else { return }
      arm(&state, for: deadline)
    }
  }

  /// Has the source fire when the first of all entries is due at the present speed of the clock.
  private func armAgain() {
    ThreadStarter.perform { [self] in
      state.withLock { state in
        if let deadline = state.timers.nextDeadline { arm(&state, for: deadline) }
      }
    }
  }

  private var presentTime: Int64 {
    if let virtualClock, virtualClock.isInUse { return virtualClock.nanoseconds }
    return clock.nanoseconds()
  }

  /// How many wait, those included that were cancelled and not yet dropped.
  var entryCount: Int { state.withLock { $0.timers.count } }

  private func arm(_ state: inout State, for deadline: Int64) {
    state.deadline = deadline
    let source: any DispatchSourceTimer
    if let existing = state.source {
      source = existing
    } else {
      source = DispatchSource.makeTimerSource(flags: .strict, queue: state.queue)
      let shift = state.shift
      source.setEventHandler { [weak self] in self?.fire(in: shift) }
      state.source = source
    }
    let left = clock.systemNanoseconds(at: deadline) - PacedClock.systemNanoseconds()
    let delay = min(.nanoseconds(max(0, left)), longestRest)
    source.schedule(deadline: .now() + delay.dispatchInterval, leeway: .nanoseconds(0))
    source.activate()
  }

  /// Calls the handlers that are due, as long as this is the queue to do so.
  private func fire(in shift: Int) {
    var now = clock.nanoseconds()
    while let token = state.withLock({ takeDue(&$0, shift, &now) }) { token.take()?() }
  }

  private func takeDue(_ state: inout State, _ shift: Int, _ now: inout Int64) -> Token? {
    guard state.shift == shift else { return nil }
    state.isCalling = false
    guard let deadline = state.timers.nextDeadline else {
      state.deadline = .max
      return nil
    }
    if deadline > now { now = clock.nanoseconds() }
    guard deadline <= now, let token = state.timers.popFirst() else {
      arm(&state, for: deadline)
      return nil
    }
    state.isCalling = true
    state.callCount += 1
    if state.countAtLook == nil {
      state.countAtLook = state.callCount - 1
      setWatch(&state)
    }
    return token
  }

  private func setWatch(_ state: inout State) {
    let watch: any DispatchSourceTimer
    if let existing = state.watch {
      watch = existing
    } else {
      watch = DispatchSource.makeTimerSource(queue: DispatchQueue(label: Self.label + ".watch"))
      watch.setEventHandler { [weak self] in self?.look() }
      state.watch = watch
    }
    watch.schedule(deadline: .now() + Self.interval)
    watch.activate()
  }

  /// Has another queue go on if the same handler is being called as at the last look.
  private func look() {
    state.withLock { state in
      guard state.isCalling else { return state.countAtLook = nil }
      guard state.countAtLook == state.callCount else {
        state.countAtLook = state.callCount
        return setWatch(&state)
      }
      state.countAtLook = nil
      state.isCalling = false
      state.shift += 1
      state.source?.cancel()
      state.source = nil
      state.queue = DispatchQueue(label: Self.label)
      if let deadline = state.timers.nextDeadline {
        arm(&state, for: deadline)
      } else {
        state.deadline = .max
      }
    }
  }
}
