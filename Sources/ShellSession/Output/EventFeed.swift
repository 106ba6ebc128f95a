internal import COpshSystem
import OpshLocking
import OpshNetworking
package import Operations
import ShellLanguage
package import ShellOutput
import Synchronization
import OpshTerminal

/// Forwards the event log to the display, the handlers and the failure ledger.
///
/// Only the interpreter's thread drains it, so lines come in the order of the log.
package final class EventFeed: Sendable {
  /// Where transitions are shown (`--events`, `events on|off`).
  package enum Destination: String, Sendable, CaseIterable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    case off
  }

  /// The filter of `events filter`; an empty filter selects everything.
  package struct Filter: Sendable {
    package var states: Set<String> = []
    package var names: [String] = []

    package init(states: Set<String> = [], names: [String] = []) {
      self.states = states
      self.names = names
    }

    var isEmpty: Bool { states.isEmpty && names.isEmpty }

    /// Selects what a command has changed by its name; it is no state.
    func includes(_ effect: SteeringEffect) -> Bool {
      states.isEmpty && (names.isEmpty || names.contains { GlobPattern($0).matches(effect.name) })
    }

    func includes(_ entry: EventLog.Entry) -> Bool {
      (states.isEmpty || states.contains(entry.to.rawValue)
        || entry.outcome.map { states.contains($0.name) } ?? false)
        && (names.isEmpty || names.contains { GlobPattern($0).matches(entry.operation.name) })
    }
  }

  private struct State {
    var cursor = 0
    /// Entries before this one are not shown.
    var shownFrom = 0
    var destination: Destination
    var filter = Filter()
    var folds = false
    /// The id of the operation whose transitions a picture shows.
    var drawnID: Int?
    /// Whether a full screen shows the operations, so that the terminal gets no lines.
    var hidesLines = false
    var text = TransitionText()
    var finishHandler: (@Sendable (ObservableOperation) -> Void)?
    var drainHandler: (@Sendable (Int) -> Void)?
    /// Whether entries are being shown.
    var isDraining = false
    /// The number of dropped records since memory was last returned to the system.
    var droppedCount = 0
  }

  private let engine: OperationEngine
  private let output: Output
  private let operations: OperationRegistry
  private let ledger: FailureLedger
  private let eventHandlers: EventHandlers
  private let held: HeldLines
  private let newsCount: NewsCount
  /// A count of news of which all had been drained.
  private let drainedCount = Atomic(0)
  private let state: Locked<State>

  init(
    engine: OperationEngine, output: Output, operations: OperationRegistry, ledger: FailureLedger,
    eventHandlers: EventHandlers, destination: Destination
  ) {
    self.engine = engine
    self.output = output
    self.operations = operations
    self.ledger = ledger
    self.eventHandlers = eventHandlers
    // Kept here, so that asking after each statement does not count references on the way to them.
    held = output.held
    newsCount = engine.log.newsCount
    state = Locked(State(destination: destination))
  }

  package var destination: Destination {
    get { state.withLock { $0.destination } }
    set { state.withLock { $0.destination = newValue } }
  }

  package var filter: Filter {
    get { state.withLock { $0.filter } }
    set { state.withLock { $0.filter = newValue } }
  }

  /// Whether equal transitions of many operations are one line: at a prompt, unless `events all`
  /// was asked for.
  package var folds: Bool {
    get { state.withLock { $0.folds } }
    set { state.withLock { $0.folds = newValue } }
  }

  /// Sets the operation whose transitions are not shown, because a picture shows them; nil for none.
  package func setDrawn(_ operation: ObservableOperation?) {
    state.withLock { $0.drawnID = operation?.id }
  }

  /// Whether transitions have no lines on the terminal, because a full screen shows the operations;
  /// the log has them.
  package var hidesLines: Bool {
    get { state.withLock { $0.hidesLines } }
    set { state.withLock { $0.hidesLines = newValue } }
  }

  /// Called on the interpreter's thread for each ended operation while its record exists.
  var finishHandler: (@Sendable (ObservableOperation) -> Void)? {
    get { state.withLock { $0.finishHandler } }
    set { state.withLock { $0.finishHandler = newValue } }
  }

  /// Called before entries are shown, while the records of their operations exist, with the sequence
  /// number after them.
  var drainHandler: (@Sendable (Int) -> Void)? {
    get { state.withLock { $0.drainHandler } }
    set { state.withLock { $0.drainHandler = newValue } }
  }

  /// Whether the log contains entries or observed changes that have not been drained, or lines of
  /// bodies wait for them.
  ///
  /// Cheap enough to check before every statement.
  package var hasNews: Bool {
    guard held.isEmpty else { return true }
    let count = newsCount.value
    guard count != drainedCount.load(ordering: .relaxed) else { return false }
    if engine.log.hasNews(after: state.withLock { $0.cursor }) { return true }
    drainedCount.store(count, ordering: .relaxed)
    return false
  }

  /// How many entries are read at a time.
  private static let pageSize = 1024

  /// Shows and dispatches pending entries.
  ///
  /// Entries that arrive meanwhile are left to the next call: operations may be faster than the
  /// terminal.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of entries; nil for all.
  ///   - mustStop: Called now and then; returns whether something is more urgent.
  package func drain(limit: Int? = nil, unless mustStop: () -> Bool = { false }) {
    state.withLock { $0.isDraining = true }
    defer { state.withLock { $0.isDraining = false } }
    var left = min(limit ?? .max, engine.log.count - state.withLock { $0.cursor })
    while left > 0 {
      let cursor = state.withLock { $0.cursor }
      let (entries, next) = engine.log.entries(from: cursor, limit: min(left, Self.pageSize))
      state.withLock { $0.cursor = next }
      // Read after the entries, so that no change that precedes one of them is missing.
      var changes = engine.log.takeChanges(before: next)[...]
      guard !entries.isEmpty else { break }
      // Before the records of what has finished are dropped.
      drainHandler?(next)
      left -= max(1, next - cursor)
      if let first = entries.first, first.sequence > cursor { catchUp() }
      let shown = shown(of: entries)
      for (index, entry) in entries.enumerated() {
        tell(&changes, before: entry.sequence)
        output.writeHeld(before: entry.sequence)
        show(entry, as: shown[index])
        forward(entry)
      }
      tell(&changes, before: next)
      dropExcess()
      if mustStop() { return }
    }
    // Changes without a later entry.
    let cursor = state.withLock { $0.cursor }
    drainHandler?(cursor)
    var changes = engine.log.takeChanges(before: cursor)[...]
    tell(&changes, before: cursor)
    output.writeHeld(before: cursor)
  }

  /// Shows the pending entries before a text of a body, unless it is printed while one is shown.
  func drainBeforeText() {
    if hasNews, !state.withLock({ $0.isDraining }) { drain() }
  }

  /// Whether more than this number of entries are pending.
  func isBehind(by count: Int) -> Bool { engine.log.count - state.withLock { $0.cursor } > count }

  /// Discards the lines of all pending entries; the entries are still dispatched.
  ///
  /// It takes time for each entry only if a filter is set.
  ///
  /// - Returns: The number of discarded lines.
  package func skip() -> Int {
    let end = engine.log.count
    let (cursor, filter, destination) = state.withLock { state in
      defer { state.shownFrom = max(end, state.shownFrom) }
      return (max(state.cursor, state.shownFrom), state.filter, state.destination)
    }
    guard destination != .off, cursor < end else { return 0 }
    guard !filter.isEmpty else { return end - cursor }
    var count = 0
    var place = cursor
    while place < end {
      let (entries, next) = engine.log.entries(from: place, limit: min(end - place, Self.pageSize))
      guard !entries.isEmpty else { break }
      count += entries.count(where: filter.includes)
      place = next
    }
    return count
  }

  /// Neither shows nor dispatches the pending entries.
  func skipAll() {
    let end = engine.log.count
    state.withLock { ($0.cursor, $0.shownFrom) = (end, end) }
  }

  /// The stream of transition lines; nil if they are not shown or are objects.
  var textStream: Output.Stream? {
    switch destination {
    case .off: nil
    case .standardOutput: output.isJSON ? nil : .standardOutput
    case .standardError: .standardError
    }
  }

  /// Calls observers with the changes that precede the entry with that number.
  private func tell(_ changes: inout ArraySlice<LoggedChange>, before sequence: Int) {
    while let change = changes.first, change.position <= sequence {
      changes.removeFirst()
      change.tell()
      if change.leftOut > 0 { reportDroppedChanges(change.leftOut, at: change.time) }
    }
  }

  /// Reports that changes were discarded because there were too many to keep.
  private func reportDroppedChanges(_ count: Int, at time: ContinuousClock.Instant) {
    let text = "… \(GroupedNumber.text(count)) more changes were left out: too many to keep"
    if output.isJSON {
      output.object("message", at: time, ["command": .string("observe"), "text": .string(text)])
    } else {
      output.line(StyledText(text, style: .dim))
    }
  }

  /// Releases finished operations beyond the kept number.
  package func dropExcess() {
    let dropped = operations.dropExcess()
    ledger.noteDropped(dropped)
    let count = state.withLock { state in
      state.droppedCount += dropped.count
      return state.droppedCount
    }
    // Releasing so many operations leaves gaps of free memory that the C library would keep.
    guard count >= Self.trimInterval else { return }
    state.withLock { $0.droppedCount = 0 }
    _ = consume dropped
    Self.returnFreeMemory()
  }

  /// The number of dropped operations after which free memory is returned to the system, which
  /// takes some milliseconds.
  private static let trimInterval = 20_000

  /// Returns free memory to the system, which the C library would keep in gaps; takes some
  /// milliseconds.
  private static func returnFreeMemory() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }

  private func forward(_ entry: EventLog.Entry) {
    let isEnd = entry.event == .transition && entry.to == .finished
    let handlers = eventHandlers.handlers(matching: entry)
    // Its record still exists, because it is dropped after all events of the operation.
    guard isEnd || !handlers.isEmpty,
      let operation = operations.operation(id: entry.operation.id)
    else { return }
    for handler in handlers {
      eventHandlers.fire(handler.number, for: operation, clock: output.clock)
    }
    guard isEnd else { return }
    ledger.noteEnd(of: operation)
    finishHandler?(operation)
    operations.noteFinished(operation.id)
  }

  /// Handles entries that the log discarded before they were read.
  private func catchUp() {
    operations.noteAllFinished().forEach(ledger.noteEnd)
  }

  /// How each of some entries is shown.
  private func shown(of entries: [EventLog.Entry]) -> [EventFolding.Look] {
    let (from, destination, filter, drawn, folds) = state.withLock {
      ($0.shownFrom, $0.destination, $0.filter, $0.drawnID, $0.folds)
    }
    if hidesLines, textStream.map(output.terminals.contains) == true {
      return entries.map { _ in .left }
    }
    let isShown = entries.map { entry in
      destination != .off && entry.sequence >= from && entry.operation.id != drawn
        && filter.includes(entry)
    }
    // A file or a program gets every one.
    guard folds, let stream = textStream, output.terminals.contains(stream), !output.hasTap else {
      return isShown.map { $0 ? .line : .left }
    }
    let folding = EventFolding(zip(entries, isShown).filter(\.1).map(\.0))
    return zip(entries, isShown).map { $1 ? folding.look(of: $0) : .left }
  }

  private func show(_ entry: EventLog.Entry, as look: EventFolding.Look) {
    if case .left = look { return }
    let destination = destination
    guard destination != .off else { return }
    if output.isJSON, destination == .standardOutput {
      output.object("transition", at: entry.time, Self.fields(of: entry))
      return
    }
    let stream: Output.Stream = destination == .standardOutput ? .standardOutput : .standardError
    guard !output.dropsEvent(to: stream) else { return }
    let line = state.withLock { state in
      if case .folded(let folded) = look {
        state.text.line(for: folded, clock: output.clock)
      } else {
        state.text.line(for: entry, clock: output.clock)
      }
    }
    output.line(line, to: stream, isEvent: true)
  }

  /// Shows the effect of a command, unless transitions are not shown, or only others.
  func show(_ effect: SteeringEffect) {
    let (destination, filter, drawn) = state.withLock { ($0.destination, $0.filter, $0.drawnID) }
    guard destination != .off, filter.includes(effect) else { return }
    if case .operation(let operation, _) = effect.subject, operation.id == drawn { return }
    if output.isJSON, destination == .standardOutput {
      return output.object("change", effect.fields)
    }
    let stream: Output.Stream = destination == .standardOutput ? .standardOutput : .standardError
    if hidesLines, output.terminals.contains(stream) { return }
    output.line(state.withLock { $0.text.line(for: effect, clock: output.clock) }, to: stream)
  }

  /// The keys of a `transition` object, after the keys of every object.
  package static func fields(of entry: EventLog.Entry) -> JSONFields {
    [
      "operation": .object([
        .init(name: "id", value: .number(entry.operation.id)),
        .init(name: "name", value: .string(entry.operation.name)),
        .init(name: "kind", value: .string(entry.operation.kind)),
      ]),
      "queue": .optional(entry.queue),
      "from": .string(entry.from.rawValue),
      "to": .string(entry.to.rawValue),
      "cancelled": .boolean(entry.isCancelled),
      "outcome": .optional(entry.outcome?.name),
      "reason": .string(entry.reason),
    ]
  }
}
