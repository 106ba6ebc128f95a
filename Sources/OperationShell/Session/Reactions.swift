import Locking
import Operations
import ShellLanguage
import Terminal

/// What the user asked to be done when something happens: `on` handlers and `observe` observers.
///
/// Events come from any thread and only leave a note here; the notes are taken and acted on by
/// the interpreter's thread, one after the other, in the order in which the events happened.
final class Reactions: Sendable {
  /// The events that `on` knows.
  enum Event: String, Sendable, CaseIterable {
    case ready, executing, finished, cancelled, failed
    case empty, paused, resumed

    static let ofOperations: [Event] = [.ready, .executing, .finished, .cancelled, .failed]
    static let ofQueues: [Event] = [.empty, .paused, .resumed]
  }

  struct Handler: Sendable {
    let number: Int
    let event: Event
    /// The ids of the operations; a handler of a queue has none, its token tells it.
    let operations: Set<Int>
    let subject: String
    let body: Block
    let context: ExecutionContext
    let tokens: [ObservationToken]
  }

  struct Observer: Sendable {
    let number: Int
    let subject: String
    let keyPaths: [String]
    let options: String
    let tokens: [ObservationToken]
  }

  /// One thing to be done on the interpreter's thread.
  struct Note: Sendable {
    let time: ContinuousClock.Instant
    let perform: @Sendable () throws -> Void
  }

  private struct State {
    var handlers: [Handler] = []
    var observers: [Observer] = []
    /// What is still to be done begins at `nextNote`: taking the first of an array away would move
    /// all others, once for each.
    var notes: [Note] = []
    var nextNote = 0
    var nextNumber = 1
    /// What has been handed to a handler: nothing happens to an operation twice, though a handler
    /// may learn of it both when it is made and from the log.
    var fired: Set<Firing> = []
    var depth = 0

    var hasNotes: Bool { nextNote < notes.count }

    mutating func takeNote() -> Note? {
      guard hasNotes else { return nil }
      defer {
        nextNote += 1
        if nextNote == notes.count {
          notes = []
          nextNote = 0
        } else if nextNote > 1024, nextNote > notes.count / 2 {
          notes.removeFirst(nextNote)
          nextNote = 0
        }
      }
      return notes[nextNote]
    }
  }

  private struct Firing: Hashable {
    let handler: Int
    let operation: Int
  }

  /// A handler may wait, and while it waits others run.
  ///
  /// Beyond this they queue up instead, or a handler that starts itself would overflow the stack.
  private static let greatestDepth = 16

  private let state = Locked(State())
  private let wakeUp: WakeUp?

  init(wakeUp: WakeUp?) {
    self.wakeUp = wakeUp
  }

  var handlers: [Handler] { state.withLock { $0.handlers } }

  var observers: [Observer] { state.withLock { $0.observers } }

  var hasHandlers: Bool { state.withLock { !$0.handlers.isEmpty || $0.hasNotes } }

  var hasNotes: Bool { state.withLock { $0.hasNotes } }

  /// Whether there are notes, and no handler or observer is running that would have to be done with
  /// its own first: they run in the order in which things happened.
  var hasNotesInTurn: Bool { state.withLock { $0.hasNotes && $0.depth == 0 } }

  /// Draws the number by which `unobserve` names a handler or observer.
  func nextNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  func add(_ handler: Handler) { state.withLock { $0.handlers.append(handler) } }

  func add(_ observer: Observer) { state.withLock { $0.observers.append(observer) } }

  /// Ends the handler or observer of that number.
  ///
  /// - Returns: Whether there was one.
  func remove(number: Int) -> Bool {
    // Tokens are dropped after the lock: dropping one takes the operation's own lock.
    let tokens: [ObservationToken]? = state.withLock { state in
      if let index = state.handlers.firstIndex(where: { $0.number == number }) {
        return state.handlers.remove(at: index).tokens
      }
      if let index = state.observers.firstIndex(where: { $0.number == number }) {
        return state.observers.remove(at: index).tokens
      }
      return nil
    }
    tokens?.forEach { $0.invalidate() }
    return tokens != nil
  }

  /// Ends all of them and forgets what is still to be done.
  func removeAll() {
    let tokens = state.withLock { state in
      defer {
        state.handlers = []
        state.observers = []
        state.notes = []
        state.nextNote = 0
      }
      return state.handlers.flatMap(\.tokens) + state.observers.flatMap(\.tokens)
    }
    tokens.forEach { $0.invalidate() }
  }

  /// Leaves a note for the interpreter's thread and wakes it.
  func post(_ note: Note) {
    let isFirst = state.withLock { state in
      state.notes.append(note)
      return state.notes.count == state.nextNote + 1
    }
    if isFirst { wakeUp?.signal() }
  }

  /// Runs a handler's body for an operation, unless that was done already.
  func fire(
    _ handler: Handler, for operation: ObservableOperation, at time: ContinuousClock.Instant,
    clock: SessionClock
  ) {
    let firing = Firing(handler: handler.number, operation: operation.id)
    guard state.withLock({ $0.fired.insert(firing).inserted }) else { return }
    post(
      Note(time: time) { [context = handler.context, body = handler.body] in
        let subject = Value.object(OperationObject(operation, clock: clock))
        _ = try context.run(body, bindings: ["self": subject])
      })
  }

  /// The handlers that an entry of the log sets off.
  func handlers(matching entry: EventLog.Entry) -> [Handler] {
    state.withLock { state in
      guard !state.handlers.isEmpty else { return [] }
      return state.handlers.filter {
        $0.operations.contains(entry.operation.id) && $0.event.matches(entry)
      }
    }
  }

  /// Acts on the notes that wait.
  ///
  /// Only the interpreter's thread calls this.
  ///
  /// - Throws: The first error of a body; later notes stay for the next call.
  func performNotes() throws {
    let mayRun = state.withLock { state in
      guard state.depth < Self.greatestDepth else { return false }
      state.depth += 1
      return true
    }
    guard mayRun else { return }
    defer { state.withLock { $0.depth -= 1 } }
    // A body may set off further ones; what comes meanwhile is for the next call, or a handler
    // that causes itself would never let go.
    for _ in 0..<state.withLock({ $0.notes.count - $0.nextNote }) {
      guard let note = state.withLock({ $0.takeNote() }) else { return }
      try note.perform()
    }
  }
}

extension Reactions.Event {
  /// Whether the entry tells of this event.
  func matches(_ entry: EventLog.Entry) -> Bool {
    switch self {
    case .ready: entry.event == .transition && entry.to == .ready
    case .executing: entry.event == .transition && entry.to == .executing
    case .finished: entry.event == .transition && entry.to == .finished
    case .cancelled: entry.event == .cancelling
    case .failed:
      if entry.event == .transition, case .failed? = entry.outcome { true } else { false }
    case .empty, .paused, .resumed: false
    }
  }
}
