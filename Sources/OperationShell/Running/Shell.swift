import InspectCommands
import CommandParts
import Foundation
import OpshLocking
import OpshNetworking
import Operations
import OpshProcesses
import ShellCommands
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls

/// Runs programs in a session and ends every run in the same way: waits for operations that can
/// run, lists the others, writes the summary, and sets the exit status.
///
/// The session is another one after `reset` and `back`.
final class Shell {
  var session: Session
  var interpreter: Interpreter
  /// Whether a statement of the top level is one that `back` can return to: not in the startup file,
  /// nor in a script that a statement runs.
  var notesInputs = true
  /// Whether the startup file belongs to the session, and so runs again after `reset`.
  var hasRunStartupFile = false
  /// The exit status that the last typed text alone would have.
  var lineStatus: Int32 = 0
  var wasInterrupted: Bool { lineStatus == 128 + SIGINT }
  /// The place after the last statement of the typed text that went back: what is before it is no part
  /// of the session.
  var returnPlace: SourceRange?

  /// Creates a shell for a session, on the session's own thread.
  init(session: Session) {
    self.session = session
    interpreter = Interpreter(
      host: session, arguments: session.run.configuration.arguments,
      environment: session.outside.environment)
  }

  /// Runs a program to its end, and perhaps the prompt after it; returns the exit status.
  func run(_ program: Program, thenPrompt isInteractive: Bool) -> Int32 {
    session.screen.state.withLock { $0.programName = program.name }
    do {
      if let file = session.run.configuration.replayFile {
        let word = WordQuoting(quote: nil, replaced: "").spell(file, isComplete: true)
        try run(Parser.parse(SourceText(name: "--replay", text: "replay \(word)")))
      }
      do {
        switch program {
        // The prompt may read variables that the program only sets, so those cause no warning.
        case .file(let path): try runFile(path, isWhole: !isInteractive)
        case .text(let text):
          try run(try parse(text), isWhole: !isInteractive)
        case .standardInput:
          session.run.state.withLock { $0.readsProgramFromInput = true }
          try runStandardInput()
        case .transcript(let path, let result, let isUpdating):
          try runTranscript(path, result: result, isUpdating: isUpdating)
        case .none: break
        }
      } catch let diagnostic as Diagnostic where isInteractive {
        session.screen.report(diagnostic)
      } catch let end as SessionEnd where isInteractive && end.cause == .refused {
        // The errors have been reported; the prompt follows nevertheless.
      }
      if isInteractive {
        let isOnTerminal = isatty(session.screen.output.streams.input) == 1
        session.screen.state.withLock { $0.typing = .prompt(onTerminal: isOnTerminal) }
        session.screen.output.ending.notePrompt()
        try Prompt(shell: self).run()
      }
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.jobs.failures.note(status: 2)
      return end(.ended(.refused))
    } catch let diagnostic as Diagnostic {
      return end(.failure(diagnostic))
    } catch let end as SessionEnd {
      return self.end(.ended(end.cause))
    } catch is Interruption {
      return end(.ended(.signal(SIGINT)))
    } catch {
      complain(error)
      session.jobs.failures.note(status: 1)
    }
    return end(.whole)
  }

  /// Reports all errors and warnings of programs without running them; returns 2 if there is an
  /// error, else 0.
  func check(_ programs: [Program]) -> Int32 {
    reading(programs) { script in
      let found = session.run.check(
        script, isWhole: true, names: .all, in: interpreter.makeContext(source: script.source))
      found.forEach(session.screen.report)
      // The process ends next: deallocating a long script would take a tenth of the whole time.
      _ = Unmanaged.passRetained(KeptScript(script: script))
      return found.contains { $0.severity == .error } ? 2 : 0
    }
  }

  /// Retains a script until the end of the process.
  private final class KeptScript {
    let script: Script

    init(script: Script) { self.script = script }
  }

  /// Reports an error of the command line itself.
  func refuse(_ diagnostic: Diagnostic) -> Int32 {
    session.screen.report(diagnostic)
    return end(.refused(diagnostic.exitStatus))
  }

  /// Prints programs in their canonical layout without running them; returns 2 if one cannot be
  /// read, else 0.
  func format(_ programs: [Program]) -> Int32 {
    reading(programs) { script in
      guard script.diagnostics.isEmpty else {
        script.diagnostics.forEach(session.screen.report)
        return 2
      }
      session.screen.output.bytes(Array(ScriptFormatter.format(script).utf8))
      try session.run.attendBlocked()
      return 0
    }
  }

  /// Reads programs that are not to run; reports an error if that fails, and goes on with the next.
  private func reading(_ programs: [Program], _ body: (Script) throws -> Int32) -> Int32 {
    var status: Int32 = 0
    for program in programs {
      session.screen.state.withLock { state in
        state.programName = program.name
        state.describesDiagnostics = true
      }
      do {
        status = max(status, try body(try read(program)))
        continue
      } catch let diagnostic as Diagnostic {
        session.screen.report(diagnostic)
      } catch let end as SessionEnd {
        return self.end(.ended(end.cause))
      } catch {
        complain(error)
      }
      status = 2
    }
    return end(.refused(status))
  }

  private func read(_ program: Program) throws -> Script {
    switch program {
    case .file(let path):
      try ScriptFile.read(session.outside.path(path), name: path, session.run.attendBlocked)
    case .text(let text): try parse(text)
    case .standardInput, .transcript, .none:
      try ScriptFile.readStandardInput(
        session.screen.output.streams.input, session.run.attendBlocked)
    }
  }

  /// Parses the text of `-c`; its bytes are those of the argument.
  private func parse(_ text: String) throws -> Script {
    Parser.parse(try SourceText.decoding(bytes: text.systemBytes, name: "-c"))
  }

  private func complain(_ error: any Error) {
    if let unreadable = error as? ScriptFile.Unreadable {
      session.screen.report(unreadable.diagnostic(session.run.configuration))
    } else {
      session.screen.complain(.failed, "\(error)")
    }
  }

  // MARK: Running

  private func runFile(_ path: String, isWhole: Bool) throws {
    let script: Script
    let place = session.outside.path(path)
    do {
      script = try ScriptFile.read(place, name: path, session.run.attendBlocked)
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.jobs.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
    let folder = Outside.url(ofFile: place).deletingLastPathComponent().path
    try session.outside.withScript(in: folder) { _ in try run(script, isWhole: isWhole) }
  }

  private func runStandardInput() throws {
    do {
      try StandardInput(shell: self).run()
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.jobs.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
  }

  /// Checks a complete script, then runs it.
  ///
  /// If the check finds an error nothing runs, unless `--keep-going` skips only the faulty
  /// statements.
  func run(_ script: Script, isWhole: Bool = true) throws {
    // Queries that may intentionally find nothing are reported when they run.
    let found = session.run.check(
      script, isWhole: isWhole, names: isWhole ? .mistakes : .none,
      in: interpreter.makeContext(source: script.source))
    let isFaulty = found.contains { $0.severity == .error }
    // With standard input, earlier statements have already run.
    if isFaulty, !isWhole { session.run.recordRefused(script) }
    found.forEach(session.screen.report)
    session.screen.transcript?.watch(script)
    if isFaulty { session.jobs.failures.note(status: 2) }
    guard !isFaulty || session.run.configuration.keepsGoing else {
      throw SessionEnd(cause: .refused)
    }
    let faulty = script.faultyStatements(found)
    if script.statements.isEmpty { session.run.noteTyped(script.source.text) }
    guard let recovery else { return try runStatements(of: script, skipping: faulty) }
    session.run.state.withLock { $0.completedStatements = (script.source, []) }
    try runStatements(of: script, skipping: faulty, recover: recovery) { [self] index in
      session.run.state.withLock { _ = $0.completedStatements?.indices.insert(index) }
    }
  }

  /// With `--keep-going`: reports the error and continues.
  var recovery: ((Diagnostic) -> Bool)? {
    guard session.run.configuration.keepsGoing else { return nil }
    return { [self] diagnostic in
      report(diagnostic)
      session.jobs.failures.note(status: diagnostic.exitStatus)
      return true
    }
  }

  /// Shows an error of a statement that ran, with the line that was meant where it is found.
  func report(_ diagnostic: Diagnostic) {
    session.screen.report(
      session.run.corrected(diagnostic, in: interpreter.makeContext(source: diagnostic.source)))
  }

  // MARK: Ending

  private enum End {
    /// The program ran to its end.
    case whole
    /// An error stopped it.
    case failure(Diagnostic)
    case ended(SessionEnd.Cause)
    /// No program ran; the value is the exit status.
    case refused(Int32)
  }

  private func end(_ end: End) -> Int32 {
    var status: Int32
    switch end {
    case .whole:
      status = endWhole(asking: nil)
    case .failure(let diagnostic):
      report(diagnostic)
      session.screen.transcript?.stop()
      session.jobs.failures.note(status: diagnostic.exitStatus)
      cancelEverything(by: "an error that ended the run")
      status = session.jobs.failures.status
    case .ended(let cause):
      status = self.end(because: cause)
    case .refused(let refusal):
      status = refusal
    }
    session.screen.feed.drain()
    session.screen.reportRepeatedErrors()
    session.screen.output.endHolding()
    session.screen.output.endPacing()
    session.jobs.eventHandlers.removeAll()
    session.jobs.failures.releaseConditions()
    let lost = reportLostOutput()
    status = max(status, lost, finishTranscript())
    status = max(status, finishRecording(status: status))
    writeSummary(status: status)
    // The summary may be the only lost output.
    if lost == 0 { status = max(status, reportLostOutput()) }
    status = max(status, statusOfDiscarded())
    session.end(status: status)
    return status
  }

  /// Runs the handlers of the end of a session, and returns after all events have been handled.
  func leave(because end: SessionEnd) {
    _ = self.end(because: end.cause)
    session.screen.feed.drain()
  }

  private func end(because cause: SessionEnd.Cause) -> Int32 {
    if case .quit = cause {} else { session.screen.transcript?.stop() }
    switch cause {
    case .quit(let status, now: true):
      cancelEverything(by: "'quit'")
      return status ?? (session.screen.isInteractive ? 0 : session.jobs.failures.status)
    case .quit(let status, now: false):
      return endWhole(asking: status)
    case .signal(let number):
      // An interrupted run should end soon, without all pending events.
      if !session.screen.isInteractive { session.screen.beginPacing() }
      cancelEverything(by: number == SIGINT ? "Ctrl-C" : "signal \(number)")
      return 128 + number
    case .timeout:
      let limit = session.run.configuration.timeout.map { Value.duration($0).text } ?? ""
      // Only a test has a limit of real time alone.
      let isTest = session.run.configuration.limitsOnlyRealTime
      let option = isTest ? "--test-timeout" : "--timeout"
      var message = "the run took longer than \(option) \(limit)"
      var help =
        "'opsh \(option) DURATION' sets the limit; without it "
        + (isTest ? "it is 60 s" : "there is none")
      if session.run.mode.isRepeatable, let deadline = session.run.runDeadline,
        session.run.clock.now < deadline
      {
        message += " of real time, while none passed on the virtual clock"
        help =
          "it stands still while a script only computes; 'sleep', 'wait' and the like let it go on"
      }
      if session.screen.state.withLock({ $0.endedAt }) == nil,
        let waiting = session.jobs.operations.unfinished.first
      {
        // At the end of the script no statement runs, but one has built the awaited operation.
        reportAtOrigin(
          session.jobs.operations.origin(of: waiting), .timedOut, message, help: help)
      } else {
        session.screen.complain(.timedOut, message, help: help)
      }
      session.jobs.failures.note(status: SessionEnd.timeoutStatus)
      cancelEverything(by: "\(option) of the run")
      return session.jobs.failures.status
    case .refused, .outputLost:
      cancelEverything(by: "the end of the run")
      return session.jobs.failures.status
    }
  }

  /// Ends a completed program: waits until nothing can run any more, and lists what remains.
  ///
  /// Errors of handlers and signals can still occur meanwhile.
  private func endWhole(asking asked: Int32?) -> Int32 {
    // What a recording shows as unfinished neither runs nor remains.
    if session.run.mode.isRecorded { return asked ?? session.jobs.failures.status }
    // The first status that was asked for counts.
    var status = asked
    if session.screen.isInteractive { tellOfWait() }
    do {
      let remaining = try session.run.settle { status = status ?? $0 }
      session.screen.feed.drain()
      // If statements are typed, later ones are not an error.
      if !session.screen.isInteractive { session.screen.transcript?.stop() }
      let leftOver = remaining + session.jobs.operations.unfinished.filter { $0.state == .created }
      for operation in leftOver {
        let what = operation.state == .created ? "was held and never started" : "can't run any more"
        reportAtOrigin(
          session.jobs.operations.origin(of: operation), .neverRan,
          "'\(operation.displayName)' \(what): "
            + session.run.waitReasonsText([operation]).dropFirst(operation.displayName.count + 4))
      }
      if !leftOver.isEmpty { session.jobs.failures.note(status: 1) }
      reportUnexpectedFailures()
    } catch let diagnostic as Diagnostic {
      session.screen.report(diagnostic)
      session.jobs.failures.note(status: diagnostic.exitStatus)
      cancelEverything(by: "an error that ended the run")
    } catch let end as SessionEnd {
      guard case .quit(let later, let now) = end.cause else {
        return self.end(because: end.cause)
      }
      return self.end(because: .quit(status: status ?? later, now: now))
    } catch let interruption as Interruption {
      session.screen.remark(interruption.message)
      return self.end(because: .signal(SIGINT))
    } catch let failure as UnplacedError {
      let first = session.jobs.operations.unfinished.first
      reportAtOrigin(
        first.flatMap { session.jobs.operations.origin(of: $0) }, failure.page, failure.message,
        help: failure.help)
      session.jobs.failures.note(status: 1)
      cancelEverything(by: "an error that ended the run")
    } catch {
      cancelEverything(by: "an error that ended the run")
    }
    return status ?? (session.screen.isInteractive ? 0 : session.jobs.failures.status)
  }

  /// At the prompt the user has seen each failure, so failures do not set the status.
  func reportUnexpectedFailures() {
    guard !session.screen.isInteractive else { return }
    var untold = 0
    for id in session.jobs.failures.unexpected {
      if let operation = session.jobs.operations.operation(id: id) {
        guard let failure = operation.outcome?.failure else { continue }
        report(
          failure, of: operation.displayName, session.jobs.operations.origin(of: operation),
          help: CodedPages.help(for: failure, of: operation),
          calls: session.jobs.bodies.calls(of: id))
      } else if let dropped = session.jobs.failures.droppedFailure(of: id) {
        report(dropped.failure, of: dropped.name, dropped.origin)
      } else {
        untold += 1
      }
    }
    if untold > 0 {
      session.screen.complain(
        .operationsFailed,
        "\(untold) more operations failed, and their records were dropped ('set keep'); "
          + "if that is intended: wait --any-outcome")
    }
  }

  private func report(
    _ failure: OperationFailure, of name: String, _ origin: OperationRegistry.Origin?,
    help: String? = nil, calls: Backtrace? = nil
  ) {
    reportAtOrigin(
      origin, ErrorCatalog.page(for: failure),
      "'\(name)' failed (\(failure.told)); if that is intended: wait --any-outcome", help: help,
      calls: calls)
  }

  /// Errors about an operation are shown at the statement that built it.
  private func reportAtOrigin(
    _ origin: OperationRegistry.Origin?, _ page: ErrorPage, _ message: String, help: String? = nil,
    calls: Backtrace? = nil
  ) {
    guard let origin, !session.screen.isInteractive else {
      session.screen.complain(page, message, help: help)
      return
    }
    var diagnostic = Diagnostic(
      page, message, source: origin.source, range: origin.range, help: help, phase: .running)
    if let calls { diagnostic.noteCalls(calls) }
    session.screen.report(diagnostic)
  }

  /// Cancels unfinished operations, ends bodies at their next statement, and waits a moment for
  /// both, so that the last transitions are shown.
  ///
  /// - Parameter requester: What cancels them, for the log.
  private func cancelEverything(by requester: String) {
    guard !session.run.mode.isRecorded else { return }
    let patience = ContinuousClock.now + .seconds(2)
    _ = try? session.run.settleQuietly(cancelledBy: requester, until: patience)
  }

  /// - Returns: The status of a lost standard output: that of a program that a broken pipe ended,
  ///   or 1 with the reason.
  private func reportLostOutput() -> Int32 {
    let error = session.screen.output.writeError
    if error == 0 { return 0 }
    if error == EPIPE { return 128 + SIGPIPE }
    session.screen.complain(.file(error), "standard output: \(String(cString: strerror(error)))")
    return 1
  }

  /// - Returns: 1 with the reason if the last lines of the recording can't be written; the status of a
  ///   signal that came meanwhile.
  private func finishRecording(status: Int32) -> Int32 {
    do {
      try session.run.endRecording(status: status)
      return 0
    } catch let error as UnplacedError {
      session.screen.complain(error.page, error.message)
      return 1
    } catch {
      guard case .signal(let number)? = (error as? SessionEnd)?.cause else { return 0 }
      return 128 + number
    }
  }

  private func writeSummary(status: Int32) {
    // Counting takes time for each operation.
    guard session.screen.output.isJSON || status != 0 else { return }
    let statistics = SessionStatistics(session.jobs).total
    let count = statistics.outcomes.values.reduce(statistics.unfinished, +)
    func number(_ name: String) -> Int {
      name == "unfinished" ? statistics.unfinished : statistics.outcomes[name] ?? 0
    }
    let names = ["succeeded", "failed", "cancelled", "skipped", "unfinished"]
    if session.screen.output.isJSON {
      var fields: JSONFields = ["operations": .number(count)]
      for name in names { fields.append(name, .number(number(name))) }
      fields.append("status", .number(Int(status)))
      session.screen.output.object("summary", fields)
    } else if count > 0 {
      let parts = names.filter { number($0) > 0 }.map { "\(number($0)) \($0)" }
      let noun = count == 1 ? "operation" : "operations"
      session.screen.remark("\(count) \(noun): \(parts.joined(separator: ", "))")
    }
  }
}
