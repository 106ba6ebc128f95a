import Foundation
import Locking
import Networking
import Operations
import ShellLanguage
import Terminal

/// Carries what the event log records to the display, the handlers and the ledger of failures.
///
/// Only the interpreter's thread drains it, so lines come in the order of the log.
final class EventFeed: Sendable {
  /// Where transitions are shown (`--events`, `events on|off`).
  enum Destination: String, Sendable, CaseIterable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    case off
  }

  /// What `events filter` lets through; an empty filter lets all through.
  struct Filter: Sendable {
    var states: Set<String> = []
    var names: [String] = []

    func lets(_ entry: EventLog.Entry) -> Bool {
      (states.isEmpty || states.contains(entry.to.rawValue)
        || entry.outcome.map { states.contains($0.name) } ?? false)
        && (names.isEmpty || names.contains { GlobPattern($0).matches(entry.operation.name) })
    }
  }

  private struct State {
    var cursor = 0
    var destination: Destination
    var filter = Filter()
    var text = TransitionText()
    var finishHandler: (@Sendable (ObservableOperation) -> Void)?
  }

  private let log: EventLog
  private let output: Output
  private let operations: OperationRegistry
  private let ledger: FailureLedger
  private let reactions: Reactions
  private let state: Locked<State>

  init(
    log: EventLog, output: Output, operations: OperationRegistry, ledger: FailureLedger,
    reactions: Reactions, destination: Destination
  ) {
    self.log = log
    self.output = output
    self.operations = operations
    self.ledger = ledger
    self.reactions = reactions
    state = Locked(State(destination: destination))
  }

  var destination: Destination {
    get { state.withLock { $0.destination } }
    set { state.withLock { $0.destination = newValue } }
  }

  var filter: Filter {
    get { state.withLock { $0.filter } }
    set { state.withLock { $0.filter = newValue } }
  }

  /// Is told of each operation that has ended, on the interpreter's thread, while its record is there.
  var finishHandler: (@Sendable (ObservableOperation) -> Void)? {
    get { state.withLock { $0.finishHandler } }
    set { state.withLock { $0.finishHandler = newValue } }
  }

  /// Whether the log holds entries that were not drained yet.
  ///
  /// Cheap enough for every statement.
  var hasNews: Bool { state.withLock { $0.cursor } < log.count }

  /// Shows and hands on what came since the last call.
  func drain() {
    while true {
      let cursor = state.withLock { $0.cursor }
      let (entries, next) = log.entries(from: cursor, limit: 1024)
      guard !entries.isEmpty else { break }
      state.withLock { $0.cursor = next }
      if let first = entries.first, first.sequence > cursor { catchUp() }
      for entry in entries {
        show(entry)
        handOn(entry)
      }
      dropExcess()
    }
  }

  /// Lets go of finished operations beyond the number that is kept.
  func dropExcess() {
    ledger.noteDropped(operations.dropExcess())
  }

  private func handOn(_ entry: EventLog.Entry) {
    let isEnd = entry.event == .transition && entry.to == .finished
    let handlers = reactions.handlers(matching: entry)
    // Its record is still there, for that is dropped after all that can happen to it.
    guard isEnd || !handlers.isEmpty,
      let operation = operations.operation(id: entry.operation.id)
    else { return }
    for handler in handlers {
      reactions.fire(handler, for: operation, at: entry.time, clock: output.clock)
    }
    guard isEnd else { return }
    noteFinished(operation)
    finishHandler?(operation)
    operations.noteFinished(operation.id)
  }

  private func noteFinished(_ operation: ObservableOperation) {
    guard let failure = operation.outcome?.failure else { return }
    ledger.noteFailure(
      of: operation.id, in: operation.enclosingGroups.map(\.id),
      isOfGroup: operation is GroupOperation && failure.code == "group-failed")
  }

  /// Makes up for entries that the log no longer had when it was read.
  private func catchUp() {
    operations.noteAllFinished().forEach(noteFinished)
  }

  private func show(_ entry: EventLog.Entry) {
    let (destination, isShown) = state.withLock { ($0.destination, $0.filter.lets(entry)) }
    guard destination != .off, isShown else { return }
    if output.isJSON, destination == .standardOutput {
      output.object("transition", at: entry.time, Self.fields(of: entry))
    } else {
      let line = state.withLock { $0.text.line(for: entry, clock: output.clock) }
      output.line(
        line, to: destination == .standardOutput ? .standardOutput : .standardError, isEvent: true)
    }
  }

  /// The keys of a `transition` object, after those every object has.
  static func fields(of entry: EventLog.Entry) -> JSONFields {
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
