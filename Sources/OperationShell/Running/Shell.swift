import Foundation
import Locking
import Networking
import Operations
import ShellLanguage
import Terminal

/// Runs programs in a session, and brings every run to the same end: what can run is waited for,
/// what remains is named, the summary is written, and the exit status is honest.
final class Shell {
  let session: Session
  let interpreter: Interpreter

  /// Creates a shell for a session, on the session's own thread.
  ///
  /// - Parameters:
  ///   - session: Keeps everything that statements change.
  ///   - stackBudget: How many bytes of the thread's stack statements may use.
  init(session: Session, stackBudget: Int = 256 << 10) {
    self.session = session
    interpreter = Interpreter(
      host: session, arguments: session.configuration.arguments,
      environment: session.configuration.environment, stackBudget: stackBudget)
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: What to run.
  ///   - isInteractive: Whether the prompt follows.
  /// - Returns: The exit status.
  func run(_ program: Program, thenPrompt isInteractive: Bool) -> Int32 {
    session.state.withLock { $0.programName = program.name }
    do {
      do {
        switch program {
        // The prompt may read what the program only sets, so that is nothing to be warned of.
        case .file(let path): try runFile(path, isWhole: !isInteractive)
        case .text(let text):
          try run(Parser.parse(SourceText(name: "-c", text: text)), isWhole: !isInteractive)
        case .standardInput:
          session.state.withLock { $0.readsProgramFromInput = true }
          try runStandardInput()
        case .transcript(let path, let result, let isUpdating):
          try runTranscript(path, result: result, isUpdating: isUpdating)
        case .none: break
        }
      } catch let diagnostic as Diagnostic where isInteractive {
        session.report(diagnostic)
      } catch let end as SessionEnd where isInteractive && end.cause == .refused {
        // What was wrong has been said; the prompt follows all the same.
      }
      if isInteractive {
        session.state.withLock { $0.isInteractive = true }
        try Prompt(shell: self).run()
      }
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.failures.note(status: 2)
      return end(.ended(.refused))
    } catch let diagnostic as Diagnostic {
      return end(.failure(diagnostic))
    } catch let end as SessionEnd {
      return self.end(.ended(end.cause))
    } catch is Interruption {
      return end(.ended(.signal(SIGINT)))
    } catch {
      complain(error)
      session.failures.note(status: 1)
    }
    return end(.whole)
  }

  /// Reports everything that is wrong with a program without running it.
  ///
  /// - Parameter program: A file or a text; standard input is read to its end.
  /// - Returns: 2 if there is an error, else 0.
  func check(_ program: Program) -> Int32 {
    guard let script = read(program) else { return end(.refused(2)) }
    let found = session.check(
      script, isWhole: true, names: .all, in: interpreter.makeContext(source: script.source))
    found.forEach(session.report)
    // The process ends next: to let go of a long script piece by piece would take a tenth of the
    // whole time, for nothing.
    _ = Unmanaged.passRetained(KeptScript(script: script))
    return end(.refused(found.contains { $0.severity == .error } ? 2 : 0))
  }

  /// Keeps a script to the end of the process.
  private final class KeptScript {
    let script: Script

    init(script: Script) { self.script = script }
  }

  /// Reports what is wrong with the command line itself.
  ///
  /// - Parameter diagnostic: What it is.
  /// - Returns: The exit status.
  func refuse(_ diagnostic: Diagnostic) -> Int32 {
    session.report(diagnostic)
    return end(.refused(diagnostic.exitStatus))
  }

  /// Prints a program in its canonical layout without running it.
  ///
  /// - Parameter program: A file or a text; standard input is read to its end.
  /// - Returns: 2, with its errors reported, if it cannot be read, else 0.
  func format(_ program: Program) -> Int32 {
    guard let script = read(program) else { return end(.refused(2)) }
    guard script.diagnostics.isEmpty else {
      script.diagnostics.forEach(session.report)
      return end(.refused(2))
    }
    let error = Output.writeFully(ScriptFormatter.format(script), to: STDOUT_FILENO)
    guard error != 0 else { return 0 }
    if error == EPIPE { return end(.refused(128 + SIGPIPE)) }
    session.complain(
      "file(\(error))", "standard output: \(String(cString: strerror(error)))")
    return end(.refused(1))
  }

  /// Reads a program that is not to run; says why where that cannot be.
  private func read(_ program: Program) -> Script? {
    session.state.withLock { state in
      state.programName = program.name
      state.describesDiagnostics = true
    }
    do {
      switch program {
      case .file(let path): return try ScriptFile.read(path, name: path)
      case .text(let text): return Parser.parse(SourceText(name: "-c", text: text))
      case .standardInput, .transcript, .none:
        return try ScriptFile.readStandardInput()
      }
    } catch let diagnostic as Diagnostic {
      session.report(diagnostic)
    } catch {
      complain(error)
    }
    return nil
  }

  private func complain(_ error: any Error) {
    if let unreadable = error as? ScriptFile.Unreadable {
      session.report(unreadable.diagnostic(arguments: Array(CommandLine.arguments.dropFirst())))
    } else {
      session.complain("failed", "\(error)")
    }
  }

  // MARK: Running

  private func runFile(_ path: String, isWhole: Bool) throws {
    let script: Script
    do {
      script = try ScriptFile.read(path, name: path)
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    session.state.withLock { $0.sourceDirectories.append(directory) }
    defer { session.state.withLock { _ = $0.sourceDirectories.popLast() } }
    try run(script, isWhole: isWhole)
  }

  private func runStandardInput() throws {
    do {
      try StandardInput(shell: self).run()
    } catch let error as ScriptFile.Unreadable {
      complain(error)
      session.failures.note(status: 2)
      throw SessionEnd(cause: .refused)
    }
  }

  /// Checks a script whole, then runs it.
  ///
  /// With an error that checking finds nothing runs, unless `--keep-going` leaves out just the
  /// faulty statements.
  func run(_ script: Script, isWhole: Bool = true) throws {
    // What is asked of nothing, and may be meant so, running says itself.
    let found = session.check(
      script, isWhole: isWhole, names: isWhole ? .mistakes : .none,
      in: interpreter.makeContext(source: script.source))
    let isFaulty = found.contains { $0.severity == .error }
    // Of standard input, what came before has run.
    if isFaulty, !isWhole { session.recordRefused(script) }
    found.forEach(session.report)
    session.recorder?.watch(script)
    if isFaulty { session.failures.note(status: 2) }
    guard !isFaulty || session.configuration.keepsGoing else {
      throw SessionEnd(cause: .refused)
    }
    try interpreter.run(
      script, skipping: script.faultyStatements(found), recover: recovery)
  }

  /// With `--keep-going`: reports the error and goes on.
  var recovery: ((Diagnostic) -> Bool)? {
    guard session.configuration.keepsGoing else { return nil }
    let session = session
    return { diagnostic in
      session.report(diagnostic)
      session.failures.note(status: diagnostic.exitStatus)
      return true
    }
  }

  // MARK: Ending

  private enum End {
    /// The program ran to its end.
    case whole
    /// An error stopped it.
    case failure(Diagnostic)
    case ended(SessionEnd.Cause)
    /// Nothing was to run.
    case refused(Int32)
  }

  private func end(_ end: End) -> Int32 {
    var status: Int32
    switch end {
    case .whole:
      status = endWhole(asking: nil)
    case .failure(let diagnostic):
      session.report(diagnostic)
      session.recorder?.stop()
      session.failures.note(status: diagnostic.exitStatus)
      cancelEverything(by: "an error that ended the run")
      status = session.failures.status
    case .ended(let cause):
      status = self.end(because: cause)
    case .refused(let refusal):
      status = refusal
    }
    session.feed.drain()
    session.output.endPacing()
    session.reactions.removeAll()
    let lost = reportLostOutput()
    status = max(status, lost, finishRecording())
    writeSummary(status: status)
    // The summary may be all that there was to be lost.
    if lost == 0 { status = max(status, reportLostOutput()) }
    session.endVirtualClock()
    session.processes.shutDown()
    session.world.shutDown()
    session.closeStore()
    return status
  }

  /// Has happen what happens when a session is left, and comes back when all of it was told.
  func leave(because end: SessionEnd) {
    _ = self.end(because: end.cause)
    session.feed.drain()
  }

  private func end(because cause: SessionEnd.Cause) -> Int32 {
    if case .quit = cause {} else { session.recorder?.stop() }
    switch cause {
    case .quit(let status, now: true):
      cancelEverything(by: "'quit'")
      return status ?? (session.isInteractive ? 0 : session.failures.status)
    case .quit(let status, now: false):
      return endWhole(asking: status)
    case .signal(let number):
      // Who ends a run wants to see its end, not what it still had to tell.
      if !session.isInteractive { session.beginPacing() }
      cancelEverything(by: number == SIGINT ? "Ctrl-C" : "signal \(number)")
      return 128 + number
    case .timeout:
      let limit = session.configuration.timeout.map { Value.duration($0).text } ?? ""
      // Only a test has a limit of real time alone.
      let option = session.configuration.limitsOnlyRealTime ? "--test-timeout" : "--timeout"
      var message = "the run took longer than \(option) \(limit)"
      var help: String?
      if session.isVirtual, let deadline = session.runDeadline, session.clock.now < deadline {
        message += " of real time, while none passed on the virtual clock"
        help =
          "it stands still while a script only computes; 'sleep', 'wait' and the like let it go on"
      }
      if session.state.withLock({ $0.endedAt }) == nil,
        let waiting = session.operations.unfinished.first
      {
        // At the end of the script no statement runs, but one has built what is waited for.
        reportAtOrigin(
          session.operations.origin(of: waiting), code: "timed-out", message, help: help)
      } else {
        session.complain("timed-out", message, help: help)
      }
      session.failures.note(status: SessionEnd.timeoutStatus)
      cancelEverything(by: "\(option) of the run")
      return session.failures.status
    case .refused, .outputLost:
      cancelEverything(by: "the end of the run")
      return session.failures.status
    }
  }

  /// The end of a program that ran through: waits until nothing can run any more, and names what
  /// remains.
  ///
  /// Errors of handlers and signals can still come in the middle of it.
  private func endWhole(asking status: Int32?) -> Int32 {
    do {
      let remaining = try session.settle()
      session.feed.drain()
      // Where the statements are typed, what follows is no error.
      if !session.isInteractive { session.recorder?.stop() }
      for operation in remaining {
        reportAtOrigin(
          session.operations.origin(of: operation), code: "never-ran",
          "'\(operation.displayName)' can't run any more: "
            + session.waitReasonsText([operation]).dropFirst(operation.displayName.count + 4))
      }
      if !remaining.isEmpty { session.failures.note(status: 1) }
      let held = session.operations.unfinished.filter { $0.state == .created }
      if !held.isEmpty {
        session.remark("held and never started: \(OperationTable.names(held))")
      }
      reportUnexpectedFailures()
    } catch let diagnostic as Diagnostic {
      session.report(diagnostic)
      session.failures.note(status: diagnostic.exitStatus)
      cancelEverything(by: "an error that ended the run")
    } catch let end as SessionEnd {
      if case .quit = end.cause {
        cancelEverything(by: "'quit'")
      } else {
        return self.end(because: end.cause)
      }
    } catch let interruption as Interruption {
      session.remark(interruption.message)
      return self.end(because: .signal(SIGINT))
    } catch let failure as any CodedFailure {
      let first = session.operations.unfinished.first
      reportAtOrigin(
        first.flatMap { session.operations.origin(of: $0) }, code: failure.code, failure.message,
        help: failure.help)
      session.failures.note(status: 1)
      cancelEverything(by: "an error that ended the run")
    } catch {
      cancelEverything(by: "an error that ended the run")
    }
    return status ?? (session.isInteractive ? 0 : session.failures.status)
  }

  /// At the prompt the user has seen each failure; they decide no status there.
  private func reportUnexpectedFailures() {
    guard !session.isInteractive else { return }
    var untold = 0
    for id in session.failures.unexpected {
      if let operation = session.operations.operation(id: id) {
        guard let failure = operation.outcome?.failure else { continue }
        report(
          failure, of: operation.displayName, session.operations.origin(of: operation),
          calls: session.callsInBody(of: id))
      } else if let dropped = session.failures.droppedFailure(of: id) {
        report(dropped.failure, of: dropped.name, dropped.origin)
      } else {
        untold += 1
      }
    }
    if untold > 0 {
      session.complain(
        "operations-failed",
        "\(untold) more operations failed, and their records were dropped ('set keep'); "
          + "if that is intended: wait --any-outcome")
    }
  }

  private func report(
    _ failure: OperationFailure, of name: String, _ origin: OperationRegistry.Origin?,
    calls: CallTrail? = nil
  ) {
    reportAtOrigin(
      origin, code: failure.code,
      "'\(name)' failed (\(failure.told)); if that is intended: wait --any-outcome", calls: calls)
  }

  /// An error about an operation stands at the statement that built it.
  private func reportAtOrigin(
    _ origin: OperationRegistry.Origin?, code: String, _ message: String, help: String? = nil,
    calls: CallTrail? = nil
  ) {
    guard let origin, !session.isInteractive else {
      session.complain(code, message, help: help)
      return
    }
    var diagnostic = Diagnostic(
      code: code, message: message, source: origin.source, range: origin.range, help: help,
      phase: .running)
    if let calls { diagnostic.noteCalls(calls) }
    session.report(diagnostic)
  }

  /// Cancels what is unfinished, ends bodies at their next statement, and gives both a moment, so
  /// that the last transitions are seen.
  ///
  /// - Parameter requester: What cancels them, for the log.
  private func cancelEverything(by requester: String) {
    let patience = ContinuousClock.now + .seconds(2)
    session.reactions.removeAll()
    ObservableOperation.cancelAll(session.operations.unfinished, by: requester)
    session.endBodies()
    _ = try? session.settleQuietly(until: patience)
  }

  /// - Returns: The status that a lost standard output means: as a shell shows a program that a
  ///   broken pipe ended, or 1 with the reason.
  private func reportLostOutput() -> Int32 {
    let error = session.output.writeError
    if error == 0 { return 0 }
    if error == EPIPE { return 128 + SIGPIPE }
    session.complain(
      "file(\(error))", "standard output: \(String(cString: strerror(error)))")
    return 1
  }

  /// - Returns: 1 with the reason where the transcript can't be written.
  private func finishRecording() -> Int32 {
    guard let recorder = session.recorder else { return 0 }
    session.output.setTap(isSilent: false, nil)
    do {
      try recorder.finish()
      return 0
    } catch let error as RedirectionError {
      session.complain(error.code, error.message)
    } catch {
      session.complain("file", "\(error)")
    }
    return 1
  }

  private func writeSummary(status: Int32) {
    let statistics = QueueStatistics(session).total
    let count = statistics.outcomes.values.reduce(statistics.unfinished, +)
    func number(_ name: String) -> Int {
      name == "unfinished" ? statistics.unfinished : statistics.outcomes[name] ?? 0
    }
    let names = ["succeeded", "failed", "cancelled", "skipped", "unfinished"]
    if session.output.isJSON {
      var fields: JSONFields = ["operations": .number(count)]
      for name in names { fields.append(name, .number(number(name))) }
      fields.append("status", .number(Int(status)))
      session.output.object("summary", fields)
    } else if status != 0, count > 0 {
      let parts = names.filter { number($0) > 0 }.map { "\(number($0)) \($0)" }
      let noun = count == 1 ? "operation" : "operations"
      session.remark("\(count) \(noun): \(parts.joined(separator: ", "))")
    }
  }
}
