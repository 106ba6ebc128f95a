import OpshLocking
package import Operations
package import ShellLanguage
package import ShellOutput
import OpshSupport
import Synchronization
import OpshSystemCalls

/// The user's event handlers: those of `on` and `observe`.
///
/// Events come from any thread and only post a note here. The interpreter's thread takes the notes
/// and runs the handlers one after the other, in the order in which the events happened.
package final class EventHandlers: Sendable {
  /// The events that `on` supports.
  package enum Event: String, Sendable, CaseIterable {
    case ready, executing, finished, cancelled, failed
    case headers, body, decoding, saving
    case empty, paused, resumed
    case background, foreground, terminate

    package static let ofOperations: [Event] = [
      .ready, .executing, .finished, .cancelled, .failed, .headers, .body, .decoding, .saving,
    ]
    package static let ofQueues: [Event] = [.empty, .paused, .resumed]
    package static let ofApp: [Event] = [.background, .foreground, .terminate]

    /// The phase that it is the beginning of; nil for others.
    package var phase: OperationPhase? { OperationPhase(rawValue: rawValue) }
  }

  package struct Handler: Sendable {
    package let number: Int
    package let event: Event
    /// The ids of the operations; empty for a handler of a queue or of the app, and for operations
    /// that may still be built.
    package let operations: Set<Int>
    /// The queue that it is a handler of; nil for others.
    let queue: InspectableQueue?
    package let subject: String
    package let body: Block
    package let context: ExecutionContext
    package let observation: Observation
    /// The ids of the operations that it has not run for.
    ///
    /// It runs once for an operation, although it may receive the event both when it is created and
    /// from the log.
    fileprivate(set) var awaited: Set<Int>
    /// The same of operations that were built after it; their end takes them out.
    fileprivate(set) var arrived: Set<Int> = []

    package init(
      number: Int, event: Event, operations: Set<Int> = [], mayCome: Bool = false,
      of queue: InspectableQueue? = nil, subject: String, body: Block, context: ExecutionContext,
      observation: Observation = Observation()
    ) {
      self.number = number
      self.event = event
      self.operations = mayCome ? [] : operations
      awaited = operations
      self.queue = queue
      self.subject = subject
      self.body = body
      self.context = context
      self.observation = observation
    }
  }

  package struct Observer: Sendable {
    package let number: Int
    /// The ids of the operations; empty for a queue, and for operations that may still be built.
    package let operations: Set<Int>
    package let subject: String
    package let keyPaths: [String]
    package let options: String
    /// The queue that it observes; nil for one of operations.
    let queue: InspectableQueue?
    /// Whether it runs statements; otherwise it prints changes.
    let hasBody: Bool
    package let observation: Observation

    package init(
      number: Int, operations: Set<Int>, of queue: InspectableQueue? = nil, subject: String,
      keyPaths: [String], options: String, hasBody: Bool, observation: Observation
    ) {
      self.operations = operations
      self.queue = queue
      self.hasBody = hasBody
      self.number = number
      self.subject = subject
      self.keyPaths = keyPaths
      self.options = options
      self.observation = observation
    }
  }

  /// One thing to run on the interpreter's thread: a handler, or an operation of the queue `main`.
  package struct Note: Sendable {
    let isOperation: Bool
    /// What the event happened to that a handler runs for; nil for other work.
    let subject: String?
    /// Keeps the operation at its phase until the handler has run.
    let hold: PhaseHold?
    let perform: @Sendable () throws -> Void

    package init(
      isOperation: Bool = false, for subject: String? = nil, holding hold: PhaseHold? = nil,
      perform: @escaping @Sendable () throws -> Void
    ) {
      self.isOperation = isOperation
      self.subject = subject
      self.hold = hold
      self.perform = perform
    }
  }

  private struct State {
    var handlers: [Handler] = []
    var observers: [Observer] = []
    /// Pending notes, in the order of the events.
    var notes = FIFO<Note>()
    var nextNumber = 1
    var depth = 0
    /// When handlers last were run to the end.
    var lastTurn = ContinuousClock.now
    /// Whether Ctrl-C ended an operation of the queue `main`.
    var isInterrupted = false
  }

  /// A handler may wait, and other handlers run while it waits.
  ///
  /// Beyond this depth notes queue up instead; otherwise a handler that triggers itself would
  /// overflow the stack.
  private static let greatestDepth = 16
  /// How long a handler may take, without letting others run, until it says whom it has held up.
  private static let patience = Duration.milliseconds(250)

  private let state = Locked(State())
  /// Whether a note may wait: what is asked after each statement takes no lock.
  private let mayHaveNotes = Atomic(false)
  private let wakeUp: WakeUp?

  init(wakeUp: WakeUp?) {
    self.wakeUp = wakeUp
  }

  package var handlers: [Handler] { state.withLock { $0.handlers } }

  package var observers: [Observer] { state.withLock { $0.observers } }

  /// Whether statements may run at an event: there are handlers, observers with a body, or notes.
  package var hasHandlers: Bool {
    state.withLock { state in
      !state.handlers.isEmpty || !state.notes.isEmpty || state.observers.contains(where: \.hasBody)
    }
  }

  package var hasNotes: Bool { state.withLock { !$0.notes.isEmpty } }

  /// Whether the interpreter's thread runs a handler, an observer or an operation of the queue `main`.
  var isRunning: Bool { state.withLock { $0.depth > 0 } }

  /// Whether there are notes that the next call of ``performNotes()`` runs.
  var hasRunnableNotes: Bool {
    state.withLock { !$0.notes.isEmpty && $0.depth < Self.greatestDepth }
  }

  /// Whether there are notes that may run now.
  ///
  /// Notes run in the order in which the events happened, so none may run while a handler or
  /// observer is running.
  var hasNotesInTurn: Bool {
    guard mayHaveNotes.load(ordering: .acquiring) else { return false }
    return state.withLock { state in
      if state.notes.isEmpty { mayHaveNotes.store(false, ordering: .relaxed) }
      return !state.notes.isEmpty && state.depth == 0
    }
  }

  /// Returns the next number, by which `unobserve` names a handler or observer.
  package func nextNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  package func add(_ handler: Handler) { state.withLock { $0.handlers.append(handler) } }

  package func add(_ observer: Observer) { state.withLock { $0.observers.append(observer) } }

  /// Removes the handler or observer with that number; returns whether it existed.
  package func remove(number: Int) -> Bool {
    // Tokens are dropped after the lock: dropping one takes the operation's own lock.
    let (handler, observer) = state.withLock { state -> (Handler?, Observer?) in
      if let index = state.handlers.firstIndex(where: { $0.number == number }) {
        return (state.handlers.remove(at: index), nil)
      }
      if let index = state.observers.firstIndex(where: { $0.number == number }) {
        return (nil, state.observers.remove(at: index))
      }
      return (nil, nil)
    }
    handler?.observation.invalidate()
    observer?.observation.invalidate()
    return handler != nil || observer != nil
  }

  /// Removes the handlers and observers of a queue that is removed; their pending notes stay.
  func remove(of queue: InspectableQueue) {
    let numbers = state.withLock { state in
      state.handlers.filter { $0.queue === queue }.map(\.number)
        + state.observers.filter { $0.queue === queue }.map(\.number)
    }
    for number in numbers { _ = remove(number: number) }
  }

  /// Removes all handlers and observers and discards their pending notes; operations stay.
  package func removeAll() {
    // A note of a phase has the work of the phase go on when it is released.
    var discarded: [Note] = []
    let (handlers, observers) = state.withLock { state in
      defer {
        state.handlers = []
        state.observers = []
        var kept = FIFO<Note>()
        while let note = state.notes.popFirst() {
          if note.isOperation { kept.append(note) } else { discarded.append(note) }
        }
        state.notes = kept
      }
      return (state.handlers, state.observers)
    }
    handlers.forEach { $0.observation.invalidate() }
    observers.forEach { $0.observation.invalidate() }
    withExtendedLifetime(discarded) {}
  }

  /// Notes that Ctrl-C has ended an operation of the queue `main`, and so ends the statement during
  /// which it ran.
  package func noteInterruption() { state.withLock { $0.isInterrupted = true } }

  /// Returns whether that was noted, and forgets it.
  package func takeInterruption() -> Bool {
    state.withLock { state in
      defer { state.isInterrupted = false }
      return state.isInterrupted
    }
  }

  /// Posts a note for the interpreter's thread and wakes it.
  package func post(_ note: Note) {
    let isFirst = state.withLock { state in
      state.notes.append(note)
      mayHaveNotes.store(true, ordering: .releasing)
      return state.notes.count == 1
    }
    if isFirst { wakeUp?.signal() }
  }

  /// Runs work of the queue `main` on the interpreter's thread, in turn with the handlers.
  var runMain: InspectableQueue.Executor {
    { [self] work in post(Note(isOperation: true, perform: work)) }
  }

  /// Runs a handler's body for an operation, unless it already ran for it or was removed.
  ///
  /// - Parameters:
  ///   - number: The number of the handler.
  ///   - operation: The operation.
  ///   - clock: The clock of the session.
  ///   - hold: Keeps the operation at its phase until the body has run.
  package func fire(
    _ number: Int, for operation: ObservableOperation, clock: SessionClock,
    holding hold: PhaseHold? = nil
  ) {
    let awaiting = state.withLock { state -> (context: ExecutionContext, body: Block)? in
      guard let place = state.handlers.firstIndex(where: { $0.number == number }),
        state.handlers[place].stopAwaiting(operation.id)
      else { return nil }
      return (state.handlers[place].context, state.handlers[place].body)
    }
    guard let awaiting else { return }
    post(
      Note(for: operation.displayName, holding: hold) {
        let subject = Value.object(OperationObject(operation, clock: clock))
        _ = try awaiting.context.run(awaiting.body, bindings: ["self": subject])
      })
  }

  /// The handlers that an entry of the log triggers.
  func handlers(matching entry: EventLog.Entry) -> [Handler] {
    state.withLock { state in
      let id = entry.operation.id
      let isEnd = entry.event == .transition && entry.to == .finished
      var matching: [Handler] = []
      for place in state.handlers.indices where state.handlers[place].awaits(id) {
        if state.handlers[place].event.matches(entry) {
          matching.append(state.handlers[place])
        } else if isEnd {
          state.handlers[place].arrived.remove(id)
        }
      }
      return matching
    }
  }

  /// Has a handler wait for one more operation, which was just built.
  package func include(_ operation: ObservableOperation, inHandler number: Int) {
    state.withLock { state in
      guard let place = state.handlers.firstIndex(where: { $0.number == number }) else { return }
      state.handlers[place].arrived.insert(operation.id)
    }
  }

  /// Runs the handlers of an event of the app.
  package func fire(_ event: Event) {
    for handler in handlers where handler.event == event {
      post(Note { _ = try handler.context.run(handler.body) })
    }
  }

  /// Does something during which no handler runs between two statements.
  ///
  /// - Parameter body: What to do, on the interpreter's thread.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.depth += 1 }
    defer { state.withLock { $0.depth -= 1 } }
    return try body()
  }

  /// Runs the pending notes.
  ///
  /// Only the interpreter's thread calls this.
  ///
  /// - Parameter didTakeLong: Called after a handler that let no other run for long, with whose it is
  ///   and how long that was.
  /// - Throws: The first error of a body; later notes stay for the next call.
  package func performNotes(
    _ didTakeLong: (_ subject: String, _ time: Duration) -> Void = { _, _ in }
  ) throws {
    let mayRun = state.withLock { state in
      guard state.depth < Self.greatestDepth else { return false }
      state.depth += 1
      return true
    }
    guard mayRun else { return }
    defer { state.withLock { $0.depth -= 1 } }
    // A body may cause further notes. Those are left for the next call; otherwise a handler that
    // triggers itself would never return.
    for _ in 0..<state.withLock({ $0.notes.count }) {
      guard let note = state.withLock({ $0.notes.popFirst() }) else { return }
      let start = ContinuousClock.now
      defer { state.withLock { $0.lastTurn = .now } }
      do {
        if let hold = note.hold {
          try hold.handling(note.perform)
        } else {
          try note.perform()
        }
      } catch {
        // Its work is not to begin before the error has ended the run, if it does that.
        if let hold = note.hold { post(Note { withExtendedLifetime(hold) {} }) }
        throw error
      }
      // While it waited, others may have run.
      let time = max(start, state.withLock(\.lastTurn)).duration(to: .now)
      if let subject = note.subject, time >= Self.patience { didTakeLong(subject, time) }
    }
  }

  /// Whose handlers are to run next, each once.
  package var waitingSubjects: [String] {
    state.withLock { state in
      var subjects: [String] = []
      var rest = state.notes
      while let note = rest.popFirst() {
        if let subject = note.subject, !subjects.contains(subject) { subjects.append(subject) }
      }
      return subjects
    }
  }
}

extension EventHandlers.Event {
  /// Whether the entry reports this event.
  func matches(_ entry: EventLog.Entry) -> Bool {
    switch self {
    case .ready: entry.event == .transition && entry.to == .ready
    case .executing: entry.event == .transition && entry.to == .executing
    case .finished: entry.event == .transition && entry.to == .finished
    case .cancelled: entry.event == .cancelling
    case .failed:
      if entry.event == .transition, case .failed? = entry.outcome { true } else { false }
    // The engine calls those of phases.
    case .headers, .body, .decoding, .saving: false
    case .empty, .paused, .resumed, .background, .foreground, .terminate: false
    }
  }
}

extension EventHandlers.Handler {
  /// Whether it has still to run for an operation.
  fileprivate func awaits(_ id: Int) -> Bool { awaited.contains(id) || arrived.contains(id) }

  /// Has it not run for an operation any more; returns whether it would have.
  fileprivate mutating func stopAwaiting(_ id: Int) -> Bool {
    let wasArrived = arrived.remove(id) != nil
    return awaited.remove(id) != nil || wasArrived
  }
}
