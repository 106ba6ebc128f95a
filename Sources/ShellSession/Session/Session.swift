import Foundation
import OpshLocking
import OpshNetworking
import Operations
import OpshProcesses
package import ShellLanguage
import ShellOutput
import OpshSupport
import OpshSystemCalls
package import OpshTerminal

/// One run of opsh: creates the four values that commands are given, connects them, is the host of
/// their language, and ends them.
///
/// ``Jobs`` is what runs, ``Outside`` what is outside, ``Screen`` what is shown, and ``Run`` this run.
/// The screen knows the jobs; the run knows the other three; nothing knows the session but the language,
/// as its host.
///
/// It holds no state of the process, so that several can run in one process, each on a thread of its
/// own. Signals and terminals belong to the program, which hands them to the session that may use
/// them.
package final class Session: Sendable {
  package let jobs: Jobs
  package let outside: Outside
  package let screen: Screen
  package let run: Run
  let commands: CommandSet

  /// Creates a session on the calling thread, which becomes the interpreter's.
  ///
  /// - Parameters:
  ///   - configuration: The options of the command line.
  ///   - commands: The commands that it runs.
  ///   - signals: The signals of the process, if this session answers them.
  /// - Throws: An error if the descriptor for wake-ups can't be created.
  package init(
    configuration: SessionConfiguration, commands: CommandSet, signals: SignalReader? = nil
  ) throws {
    self.commands = commands
    let thread = SessionThread()
    let wakeUp = try WakeUp()
    jobs = Jobs(wakeUp: wakeUp)
    outside = Outside(configuration, following: jobs, wakeUp)
    screen = try Screen(
      configuration, showing: jobs, commandWords: commands.words, wakeUp: wakeUp, thread: thread)
    run = Run(
      configuration, commands: commands, signals: signals, wakeUp: wakeUp, thread: thread,
      jobs: jobs, outside: outside, screen: screen)
    connect()
  }

  /// Creates a session that will take the place of another one in the same run, on its thread.
  ///
  /// - Parameters:
  ///   - other: The other session.
  ///   - outside: What is outside of it, if it goes on with that of the other one.
  ///   - earlier: The time on the virtual clock before it, which dates count.
  init(succeeding other: Session, outside: Outside?, earlier: Duration) {
    commands = other.commands
    let (configuration, wakeUp) = (other.run.configuration, other.run.wakeUp)
    jobs = Jobs(
      wakeUp: wakeUp, clock: outside == nil ? PacedClock() : other.jobs.engine.clock,
      offset: earlier)
    let outside = outside ?? Outside(configuration, following: jobs, wakeUp)
    self.outside = outside
    screen = Screen(succeeding: other.screen, configuration, showing: jobs)
    run = Run(
      configuration, commands: commands, signals: other.run.signals, wakeUp: wakeUp,
      thread: screen.thread, jobs: jobs, outside: outside, screen: screen,
      succeeding: (other.run, spentTime: earlier))
    connect()
  }

  private func connect() {
    // Not weak: a weak reference would make each use take the slow path of reference counting.
    screen.feed.drainHandler = { [run] in run.writeRecording(through: $0) }
    outside.network.attemptHandler = { [adapting = jobs.adapting] in adapting.note($0) }
  }

  deinit { close() }

  /// Ends the run: what serves the session, the programs, the network and the stores.
  ///
  /// - Parameter status: The exit status of the run.
  package func end(status: Int32) {
    run.endServing(status: status)
    run.mode.end()
    jobs.operations.recipes.forgetAll()
    close()
  }

  private func close() {
    screen.end()
    jobs.shutDown()
    outside.shutDown()
  }
}

extension Session: CommandHost {
  package func run(_ call: CommandCall, in context: ExecutionContext) throws -> Value {
    guard let command = call.signature.shellCommand else {
      throw call.failure(.unknownCommand, "there is no command '\(call.signature.fullName)'")
    }
    var call = call
    call.inheritedOptions = ContextInfo(of: context).retry.inheritedOptions
    if let refusal = call.refusals(isDefined: context.defines).first { throw refusal }
    let past = CurrentPast.value
    if past != nil, let refusal = call.refusalToLookBack { throw refusal }
    let invocation = Invocation(
      jobs: past ?? jobs, outside: outside, screen: screen, run: run, call: call, context: context)
    if !call.signature.is(.inspects), !call.signature.is(.worksInReplay) {
      try invocation.refuseInReplay()
    }
    try invocation.refuseWrongClock()
    do {
      if command.builds != nil, !run.mode.isRepeatable { try jobs.engineResources.claim() }
      return try runPaged(command, invocation)
    } catch let end as SessionEnd {
      // First, because casting to a protocol that a type does not have searches the whole program.
      throw end
    } catch let error as any CodedError {
      throw call.failure(UnplacedError(error, page: commands.errorPage))
    }
  }

  /// Runs a command, and shows text that is longer than the screen in the pager.
  private func runPaged(_ command: any Command.Type, _ invocation: Invocation) throws -> Value {
    guard let page = PagedText(of: invocation) else { return try command.run(invocation) }
    screen.output.setPage(page)
    defer { screen.output.setPage(nil) }
    do {
      let value = try command.run(invocation)
      try page.finish()
      return value
    } catch {
      // The command's output comes before its error.
      try? page.finish()
      throw error
    }
  }

  package var catalog: CommandCatalog { commands.catalog }

  package func object(named name: String, in context: ExecutionContext) -> Value? {
    guard let past = CurrentPast.value else { return jobs.object(named: name, in: context) }
    return past.object(named: name)
  }

  package func collection(named name: String) -> [Value]? {
    (CurrentPast.value ?? jobs).collection(named: name)
  }

  package func keptNumber(of clause: CountClause) throws -> Int? {
    try LiveCounts.current.value?.number(of: clause)
  }

  package func willCount() { jobs.noteConditionCheck() }

  package func operations(in selection: OperationSelection) throws -> [Value] {
    let jobs = CurrentPast.value ?? jobs
    if case .collection(_, let words) = selection {
      for word in words.compactMap(SelectionWord.init) {
        guard let operation = jobs.operation(hiding: word) else { continue }
        screen.remark(SelectionWord.warning(of: word, naming: operation))
      }
    }
    return try jobs.operations(in: selection)
  }

  package func explanation(forMissing name: String) -> UnplacedError? {
    name == "last" ? jobs.droppedRecordOfLast : jobs.droppedRecord(named: name)
  }

  package func suggestions(forObject name: String) -> [String] {
    Spelling.suggestions(for: name, among: jobs.operations.names + jobs.queues.names)
  }

  package func betweenStatements() throws {
    // A definition that 'at' runs works with the jobs of a moment, which no handler may.
    guard CurrentPast.value == nil else { return }
    run.mode.followStatement()
    guard run.isOnInterpreterThread else { return }
    if screen.feed.hasNews { run.drainFeed() }
    if jobs.eventHandlers.hasNotesInTurn {
      try run.performNotes()
      run.drainFeed()
      if jobs.eventHandlers.takeInterruption() { throw Interruption() }
    }
    if screen.output.writeError != 0 {
      throw SessionEnd(cause: .outputLost(screen.output.writeError))
    }
  }

  /// Called before every statement and every iteration of a loop, so it must cost next to nothing.
  package func checkInterrupt(in context: ExecutionContext) throws {
    run.inputs.noteMove()
    if run.interrupt.isRaised {
      try run.throwRequestedEnd()
      if run.interrupt.endsBodies, context.isBody { throw BodyEnded() }
      if run.isOnInterpreterThread, run.takesInterruption() { throw Interruption() }
    }
    guard run.interrupt.isLookDue() else { return }
    // On the virtual clock, output and handlers must not depend on the speed of the machine.
    guard run.isOnInterpreterThread, !run.mode.isRepeatable else {
      try screen.sink.value?.attend()
      if run.mode.isRepeatable, run.isOnInterpreterThread, try run.answerSignals() {
        throw Interruption()
      }
      return
    }
    if try run.pump(runsHandlers: jobs.eventHandlers.hasNotesInTurn) { throw Interruption() }
  }

  package func isControlTransfer(_ error: any Error) -> Bool { run.isControlTransfer(error) }

  package func willLeave(_ statement: Statement, in context: ExecutionContext) {
    guard !context.isBody else { return }
    screen.state.withLock { state in
      if state.endedAt == nil { state.endedAt = (context.source, statement.range) }
    }
  }

  package func willRun(_ statement: Statement, in context: ExecutionContext) {
    if context.isBody { run.pauseAfterStatement() }
    if screen.transcript != nil { run.record(statement, in: context) }
    if context.isBody, let operation = run.ownOperation(of: context) {
      jobs.bodies.setPlace(
        BodyPlace(source: context.source, range: statement.range), of: operation.id)
    }
    guard screen.isTracing else { return }
    let place = context.source.place(of: statement.range.lower)
    let text = context.source.text(in: statement.range).prefix { !$0.isNewline }
    screen.output.line(
      StyledText(
        VisibleText.escape(
          screen.secrets.mask("+ \(context.source.name):\(place.line):\(place.column): \(text)")),
        style: .dim),
      to: .standardError)
  }

  package func willBind(_ name: String, to value: Value) {
    switch value {
    case .string(let text): screen.secrets.remember(text, of: name)
    case .list(let values): for value in values { willBind(name, to: value) }
    default: break
    }
  }

  package func show(_ value: Value) throws {
    if screen.output.isJSON, screen.sink.value == nil {
      screen.output.object("message", ["command": .string("(…)"), "text": .string(value.text)])
      return
    }
    screen.printText(value.text)
  }

  package func withRedirectedOutput(
    _ redirection: Redirection, _ body: () throws -> Value
  ) throws -> Value {
    let sink = try placed(redirection) {
      try OutputRedirection.open(redirection, of: run)
    }
    let endedAt = screen.state.withLock { $0.endedAt }
    var value = Value.null
    do {
      value = try screen.sink.with(sink, body)
    } catch {
      if keepsText(redirection, at: error) {
        do {
          try placed(redirection) { try sink.close() }
        } catch let lost as Diagnostic {
          screen.report(lost)
        }
        throw error
      }
      // The user needs to see the command's own error.
      guard (error as? UnreadText)?.sink === sink else { throw sink.abandon(after: error) }
      // The command counts as having run to its end.
      screen.state.withLock { $0.endedAt = endedAt }
    }
    try placed(redirection) { try sink.close() }
    return value
  }

  /// Whether the text of a command that has not ended goes to its file or program.
  ///
  /// It does at an `exit` that is no failure; at `quit --now` nothing waits for a program.
  private func keepsText(_ redirection: Redirection, at error: any Error) -> Bool {
    guard case .quit(let status, let now)? = (error as? SessionEnd)?.cause else { return false }
    return status ?? 0 == 0 && (!now || redirection.programs.isEmpty)
  }

  /// Adds the place of a redirection to its error.
  private func placed<Result>(
    _ redirection: Redirection, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as any CodedError {
      throw UnplacedError(error, page: commands.errorPage).placed(
        at: redirection.range, in: redirection.source)
    }
  }
}
