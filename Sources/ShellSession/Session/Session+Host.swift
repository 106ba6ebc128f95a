import Foundation
import Locking
import Networking
import Operations
package import ShellLanguage
import ShellOutput
import Terminal

extension Session: CommandHost {
  package func run(_ call: CommandCall, in context: ExecutionContext) throws -> Value {
    guard let command = call.signature.shellCommand else {
      throw call.failure(.unknownCommand, "there is no command '\(call.signature.fullName)'")
    }
    let invocation = Invocation(session: self, call: call, context: context)
    if !call.signature.is(.inspects), !call.signature.is(.worksInReplay) {
      try invocation.refuseInReplay()
    }
    do {
      if command.builds != nil, !isVirtual { try engineResources.claim() }
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
    output.setPage(page)
    defer { output.setPage(nil) }
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

  package func object(named name: String, in context: ExecutionContext) -> Value? {
    guard let bindings = ContextInfo(of: context).bindings else { return object(named: name) }
    return bindings.object(named: name) { object(named: name) }
  }

  private func object(named name: String) -> Value? {
    // No name begins with a digit.
    if let operation = operations.operation(named: name)
      ?? Int(name).flatMap({ operations.operation(id: $0) })
    {
      return .object(OperationObject(operation, clock: clock))
    }
    if name == "last", let operation = operations.last {
      return .object(OperationObject(operation, clock: clock))
    }
    return queues.queue(meant: name).map { .object(QueueObject($0)) }
  }

  package func collection(named name: String) -> [Value]? {
    switch name {
    case "ops": return objects(operations.all)
    case "queues": return allQueues.map { .object(QueueObject($0)) }
    default:
      guard GlobPattern.isPattern(name) else { return nil }
      let pattern = GlobPattern(name)
      return objects(operations.all.filter { pattern.matches($0.displayName) })
    }
  }

  /// Returns the operations that had been built at the moment that expressions refer to.
  private func objects(_ operations: [ObservableOperation]) -> [Value] {
    let moment = CurrentMoment.value
    return operations.filter { moment?.has($0) ?? true }
      .map { .object(OperationObject($0, clock: clock)) }
  }

  package func keptNumber(of clause: CountClause) throws -> Int? {
    try LiveCounts.current.value?.number(of: clause)
  }

  package func willCount() { noteConditionCheck() }

  package func operations(in selection: OperationSelection) throws -> [Value] {
    let selected: [ObservableOperation]
    switch selection {
    case .all: selected = operations.unfinished
    case .matching(let pattern, let written):
      selected = operations.all.filter { pattern.matches($0.displayName) }
      if selected.isEmpty {
        if let dropped = droppedRecord(matching: written) { throw dropped }
        throw UnplacedError(
          .unknownOperation, "no operation's name matches '\(written)'",
          help: "'ops' lists the operations; where the star is text, quote the word")
      }
    }
    return selected.map { .object(OperationObject($0, clock: clock)) }
  }

  package func explanation(forMissing name: String) -> UnplacedError? {
    name == "last" ? droppedRecordOfLast : droppedRecord(named: name)
  }

  package func suggestions(forObject name: String) -> [String] {
    Spelling.suggestions(for: name, among: operations.names + queues.names)
  }

  /// Runs handlers and observers that are due; their text goes where that of the session goes, not
  /// to the file or program of the statement that waits.
  package func performNotes() throws { try sink.with(nil, eventHandlers.performNotes) }

  package func betweenStatements() throws {
    if isVirtual {
      // A resting body may have waited for the effect of this statement. A body shows the events
      // that it caused, because no other thread runs meanwhile.
      engine.virtualClock.noteMove()
      if !isOnInterpreterThread { feed.drain() }
    }
    guard isOnInterpreterThread else { return }
    if feed.hasNews { drainFeed() }
    if eventHandlers.hasNotesInTurn {
      try performNotes()
      drainFeed()
      if eventHandlers.takeInterruption() { throw Interruption() }
    }
    if output.writeError != 0 { throw SessionEnd(cause: .outputLost(output.writeError)) }
  }

  /// Called before every statement and every iteration of a loop, so it must cost next to nothing.
  package func checkInterrupt(in context: ExecutionContext) throws {
    if interrupt.isRaised {
      try throwRequestedEnd()
      if interrupt.endsBodies, context.isBody { throw BodyEnded() }
    }
    guard interrupt.isLookDue() else { return }
    // On the virtual clock, output and handlers must not depend on the speed of the machine.
    guard isOnInterpreterThread, !isVirtual else {
      try sink.value?.attend()
      if isVirtual, isOnInterpreterThread, try answerSignals() { throw Interruption() }
      return
    }
    if try pump(runsHandlers: eventHandlers.hasNotesInTurn) { throw Interruption() }
  }

  /// Called while one command creates very many objects: answers signals, but shows nothing and
  /// runs no handlers.
  package func checkSignals() throws {
    try throwRequestedEnd()
    guard interrupt.isLookDue(), isOnInterpreterThread else { return }
    // One command may cause more than should wait until its end.
    writeRecording(through: 0)
    if try answerSignals() { throw Interruption() }
  }

  package func isControlTransfer(_ error: any Error) -> Bool {
    error is SessionEnd || error is Interruption || error is BodyEnded || error is UnreadText
  }

  package func willLeave(_ statement: Statement, in context: ExecutionContext) {
    guard !context.isBody else { return }
    state.withLock { state in
      if state.endedAt == nil { state.endedAt = (context.source, statement.range) }
    }
  }

  package func willRun(_ statement: Statement, in context: ExecutionContext) {
    if recorder != nil { record(statement, in: context) }
    if context.isBody, let operation = ownOperation(of: context) {
      let place = BodyPlace(source: context.source, range: statement.range)
      state.withLock { $0.bodyPlaces[operation.id] = place }
    }
    guard isTracing else { return }
    let place = context.source.place(of: statement.range.lower)
    let text = context.source.text(in: statement.range).prefix { !$0.isNewline }
    output.line(
      StyledText(
        VisibleText.escape(
          secrets.mask("+ \(context.source.name):\(place.line):\(place.column): \(text)")),
        style: .dim),
      to: .standardError)
  }

  package func willBind(_ name: String, to value: Value) {
    switch value {
    case .string(let text): secrets.remember(text, of: name)
    case .list(let values): for value in values { willBind(name, to: value) }
    default: break
    }
  }

  package func show(_ value: Value) throws {
    if output.isJSON, sink.value == nil {
      output.object("message", ["command": .string("(…)"), "text": .string(value.text)])
      return
    }
    printText(value.text)
  }

  package func withRedirectedOutput(
    _ redirection: Redirection, _ body: () throws -> Value
  ) throws -> Value {
    let sink = try placed(redirection) {
      try OutputRedirection.open(redirection, session: self)
    }
    let endedAt = state.withLock { $0.endedAt }
    var value = Value.null
    do {
      value = try self.sink.with(sink, body)
    } catch {
      if keepsText(redirection, at: error) {
        do {
          try placed(redirection) { try sink.close() }
        } catch let lost as Diagnostic {
          report(lost)
        }
        throw error
      }
      // The user needs to see the command's own error.
      guard (error as? UnreadText)?.sink === sink else { throw sink.abandon(after: error) }
      // The command counts as having run to its end.
      state.withLock { $0.endedAt = endedAt }
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

extension Session {
  /// Returns all problems that static checks find in a script, in the order of the text.
  ///
  /// The secrets that are written out in it are known from then on, so that nothing that it does shows
  /// one.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - isWhole: Whether it is a whole program. A line of a session may create a variable that
  ///     only a later line reads.
  ///   - names: How far the operations and queues that it names must exist already or be created by
  ///     the script.
  ///   - isForLater: Whether it is to run in a session of its own, in which nothing exists yet.
  ///   - context: The place where it is to run, with its variables and definitions.
  ///   - noteText: Called with the texts of variables and parameters that are written out.
  /// - Returns: Errors and warnings.
  package func check(
    _ script: Script, isWhole: Bool, names: Checker.NameCheck = .none, isForLater: Bool = false,
    in context: ExecutionContext,
    noteText: @escaping (_ name: String, _ text: String) -> Void = { _, _ in }
  ) -> [Diagnostic] {
    secrets.rememberKeys(in: script.source.text)
    let found = Checker.check(
      script, catalog: catalog, knownVariables: Set(context.variables.keys),
      definitions: context.definitions, aliases: context.aliases, warnsUnused: isWhole,
      facts: isForLater ? factsOfNewSession : facts, names: names,
      keepsGoing: configuration.keepsGoing && !isForLater,
      inheritsOptions: ContextInfo(of: context).retry.count != nil,
      include: { [self] path, source in
        let url = resolve(path: path, from: source.name)
        // What the check reads from a pipe would be missing when it runs.
        if ScriptFile.canBeReadOnce(url.path) { return nil }
        do {
          return try ScriptFile.read(url.path, name: shownPath(url)) {}
        } catch let error as ScriptFile.Unreadable {
          var missing = UnplacedError.file(path, error.code)
          missing.help = placesNote(ofScript: path, from: source.name)
          throw missing
        }
      },
      noteText: { [secrets] name, text in
        secrets.remember(text, of: name)
        noteText(name, text)
      })
    let replaced = Set(context.definitions.map(\.name)).union(context.aliases.keys)
    return found
      + VirtualClockCheck.problems(
        in: script, catalog, isVirtual: isVirtual && !isReplay, replaced: replaced)
  }

  /// Returns an error of a statement that ran, with the line that was meant if that is found.
  ///
  /// The search takes long, so that it is only for an error that is shown, and only for the first
  /// ones of a script that goes on after errors.
  package func corrected(_ diagnostic: Diagnostic, in context: ExecutionContext) -> Diagnostic {
    if configuration.keepsGoing || !isInteractive, !renderer.correctsNext() { return diagnostic }
    let corrector = LineCorrector(
      catalog: catalog, variables: Set(context.variables.keys), definitions: context.definitions,
      aliases: context.aliases, facts: facts)
    return corrector.correcting([diagnostic])[0]
  }

  /// Shows pending events on the interpreter's thread; does nothing on a body's thread.
  package func drainIfInterpreter() {
    if isOnInterpreterThread { feed.drain() }
  }
}
