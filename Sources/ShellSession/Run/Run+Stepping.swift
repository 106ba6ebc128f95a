import OpshLocking
package import Operations
import ShellLanguage
import Synchronization

/// The progress of one step.
struct StepProgress {
  /// The first entry of the log that has not been looked at.
  private var cursor: Int
  private var hasChanged = false

  init(of log: EventLog) { cursor = log.count }

  /// Looks at the new entries, and returns whether an operation has changed its state since the beginning.
  mutating func hasChanged(_ log: EventLog) -> Bool {
    while !hasChanged, cursor < log.count {
      let (entries, next) = log.entries(from: cursor, limit: 64)
      // What is not kept any more may have been a transition.
      hasChanged = entries.count < next - cursor || entries.contains { $0.event == .transition }
      cursor = next
    }
    return hasChanged
  }
}

extension Run {
  /// The end of several steps.
  package enum StepsEnd: Sendable {
    /// The last one was taken, or its condition is met.
    case taken
    /// Nothing can happen any more by itself.
    case nothingLeft
    /// By Ctrl-C at the prompt.
    case interrupted
  }

  /// Takes steps on the virtual clock, on the interpreter's thread.
  ///
  /// A step is one event with all that is settled by it: a timer, or what one statement of a body does
  /// at once; then calls and handlers, and the starts of what is given a slot. Where nothing is due,
  /// the time passes to the next event. What changes no state is no step of its own. The
  /// command, `watch` and the page take steps here.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - areStops: Whether `back` can return to the end of each: if they are those of a `next` at the
  ///     top level.
  ///   - isOver: Returns whether to take no further one; asked before each.
  /// - Returns: How many were taken, and how they ended.
  /// - Throws: What ends the session, and what a handler throws.
  package func step(
    _ count: Int, areStops: Bool = false, until isOver: () -> Bool = { false }
  ) throws -> (taken: Int, end: StepsEnd) {
    var taken = 0
    // What the statement before has caused, such as the beginning of a group, is no step.
    if try settle() { return (taken, .interrupted) }
    while taken < count, !isOver() {
      if let end = try performStep() { return (taken, end) }
      taken += 1
      if areStops { inputs.noteStep(mark) }
    }
    return (taken, .taken)
  }

  /// Takes one step; returns why it was none.
  private func performStep() throws -> StepsEnd? {
    let time = VirtualTime(run: self)
    // A handler may take steps in a step.
    var outer: StepProgress? = StepProgress(of: jobs.engine.log)
    presentStep.withLock { swap(&$0, &outer) }
    isStepping.store(true, ordering: .relaxed)
    defer {
      presentStep.withLock { $0 = outer }
      isStepping.store(outer != nil, ordering: .relaxed)
    }
    repeat {
      do {
        guard try time.advance() else { return .nothingLeft }
      } catch is Interruption {
        return .interrupted
      }
      if try pump() { return .interrupted }
    } while !stepHasChanged()
    return try settle() ? .interrupted : nil
  }

  /// Runs what follows from what has happened, with its handlers.
  ///
  /// - Returns: Whether the user pressed Ctrl-C.
  private func settle() throws -> Bool {
    repeat {
      if try pump() { return true }
    } while jobs.engine.virtualClock.settleNext()
    return false
  }

  /// Returns whether an operation has changed its state in the step that is being taken.
  private func stepHasChanged() -> Bool {
    presentStep.withLock { $0?.hasChanged(jobs.engine.log) } ?? false
  }

  /// Interrupts a body on the virtual clock after a statement that ends a step, or that handlers may
  /// follow.
  ///
  /// Called on the body's thread, between its statements and after the last one.
  func pauseAfterStatement() {
    guard jobs.engine.virtualClock.isInUse, !isOnInterpreterThread else { return }
    let mayBeHandled = jobs.eventHandlers.hasHandlers && screen.feed.hasNews
    guard mayBeHandled || isStepping.load(ordering: .relaxed) && stepHasChanged() else { return }
    jobs.engine.virtualClock.pauseBody()
  }

  /// Returns whether nothing can change the state of an operation, or its flag, by itself any more.
  package func neverChanges(_ operation: ObservableOperation) -> Bool {
    operation.state == .finished
      || neverEnds(waitForAnyOf: [operation], by: nil) && !operation.canChange
  }
}
