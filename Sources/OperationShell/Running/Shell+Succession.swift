import Foundation
import OpshLocking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import SteerCommands
import OpshSystemCalls
import OpshTerminal

/// How the shell goes on in another session: `reset`, `source --fresh` and `back`.
extension Shell {
  /// Runs statements of a script, each in the session that there is by then.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - statements: The indices of the statements; nil for all.
  ///   - skipped: The indices of statements to leave out.
  ///   - recover: Asked about each error; true goes on with the next statement.
  ///   - notesTyped: Whether each is noted as typed.
  ///   - completed: Called with the index of each statement that ended without an error.
  /// - Throws: The first error that `recover` does not take, and what ends the session.
  func runStatements(
    of script: Script, _ statements: Range<Int>? = nil, skipping skipped: Set<Int> = [],
    recover: ((Diagnostic) -> Bool)? = nil, notesTyped: Bool = true,
    completed: (Int) -> Void = { _ in }
  ) throws {
    var rest = statements ?? script.statements.indices
    var current = rest.lowerBound
    defer { if notesInputs { session.run.didRun() } }
    while true {
      do {
        try interpreter.run(
          script, statements: rest, skipping: skipped, recover: recover,
          began: { index in
            current = index
            if notesInputs { session.run.willRun(script, index) }
            if notesTyped || session.run.inputs.isRetaking {
              session.run.noteTyped(index, of: script)
            }
          }, completed: completed)
        return
      } catch let change as SessionChange {
        do {
          try perform(change)
          if change.isBack { returnPlace = script.statements[current].range }
          completed(current)
        } catch let error as UnplacedError {
          let diagnostic = error.placed(
            at: script.statements[current].range, in: script.source)
          guard let recover, recover(diagnostic) else { throw diagnostic }
        } catch let diagnostic as Diagnostic {
          guard let recover, recover(diagnostic) else { throw diagnostic }
        }
        rest = (current + 1)..<rest.upperBound
      }
    }
  }

  /// Runs a typed text, and records it for `save`; if it goes back, only what follows that.
  ///
  /// - Parameters:
  ///   - script: The text.
  ///   - run: Runs it; returns how much of it ended without an error.
  /// - Throws: What `run` throws.
  func noting(_ script: Script, _ run: () throws -> TypedLine.Completed) throws {
    let (first, text) = (session.run, script.source.text)
    returnPlace = nil
    try first.noting(typed: text, run)
    guard session.run !== first else { return }
    var rest = text[...]
    if let range = returnPlace {
      let end = text.utf8.index(text.utf8.startIndex, offsetBy: range.upper)
      rest = text[end...].drop { $0 == ";" || $0.isWhitespace }
    }
    guard !rest.isEmpty else { return }
    session.run.note(
      TypedLine(
        text: String(rest), completed: String(rest), position: session.jobs.engine.log.count))
  }

  private func perform(_ change: SessionChange) throws {
    switch change {
    case .reset: try reset()
    case .freshRun(let script):
      try reset()
      try run(fresh: script)
    case .back(let stop):
      do {
        try goBack(to: stop)
      } catch {
        session.run.inputs.removeLast()
        throw error
      }
    }
  }

  // MARK: Reset

  private func reset() throws {
    let old = session
    try old.run.endAll(by: "'reset'")
    old.screen.feed.drain()
    reportUnexpectedFailures()
    if let recorder = try old.run.endRecording(status: nil) {
      old.screen.remark("the recording '\(recorder.path)' has ended")
    }
    let new = try Session(afterResetOf: old)
    new.takeOver(from: old, because: "'reset': the session begins anew")
    session = new
    interpreter = interpreter.successor(host: new)
    if hasRunStartupFile { try runStartupFile(notes: false) }
  }

  private func run(fresh: FreshRun) throws {
    let (script, arguments) = (fresh.script, fresh.arguments)
    let context = interpreter.makeContext(source: script.source)
    try session.outside.withScript(in: fresh.folder) { _ in
      guard fresh.steps else {
        try context.run(script, arguments: arguments)
        return
      }
      _ = try SteppedScript(script, arguments: arguments).run(
        in: context, session.run, on: session.screen)
    }
  }

  // MARK: The startup file

  /// Runs the startup file, if there is one: every error is shown, and skips only its own statement.
  ///
  /// - Parameter notes: Whether it is an input, which `back` takes again.
  /// - Throws: What ends the session.
  func runStartupFile(notes: Bool = true) throws {
    hasRunStartupFile = true
    guard !session.run.configuration.skipsStartupFile,
      let path = session.run.configuration.startupFile
    else { return }
    if notes { session.run.willRunStartupFile() }
    let place = session.outside.place(ofScript: path)
    guard access(place.forSystem, F_OK) == 0 else { return }
    let before = notesInputs
    notesInputs = false
    defer { notesInputs = before }
    do {
      try run(startup: try ScriptFile.read(place, name: path, session.run.attendBlocked))
    } catch let error as ScriptFile.Unreadable {
      session.screen.remark(error.message)
    } catch let interruption as Interruption {
      session.screen.remark(interruption.message)
    } catch let diagnostic as Diagnostic {
      session.screen.report(diagnostic)
    }
  }

  private func run(startup script: Script) throws {
    let found = check(typed: script)
    found.forEach(session.screen.report)
    defer { session.run.drainFeed() }
    do {
      try interpreter.run(script, skipping: script.faultyStatements(found)) {
        [screen = session.screen] in
        screen.report($0)
        return true
      }
      try session.run.pump()
    } catch let interruption as Interruption {
      session.screen.remark(interruption.message)
    }
  }

  // MARK: Back

  private func goBack(to stop: InputLog.Stop) throws {
    let old = session
    let entries = old.run.inputs.entries
    let shell = Shell(session: Session(retaking: old, upTo: stop))
    try shell.retake(entries, upTo: stop, of: old.run)
    let left = try shell.session.endRetaking(old, upTo: stop)
    let place = InputLog.text(of: stop, in: entries)
    (session, interpreter) = (shell.session, shell.interpreter)
    session.takeOver(from: old, because: "'back': the session has gone back")
    // What was wrong in a script that goes on after errors stays wrong.
    if !session.screen.isInteractive {
      session.jobs.failures.note(status: old.jobs.failures.notedStatus)
    }
    let isTyped =
      session.screen.isInteractive || session.run.state.withLock { $0.readsProgramFromInput }
    session.run.keepTyped(
      stop.mark.typedCount, part: isTyped ? InputLog.part(of: stop, in: entries) : nil)
    session.screen.showReturn(to: place, at: session.run.clock.now, files: left)
  }

  /// Takes inputs again; nothing of it is shown.
  ///
  /// - Parameters:
  ///   - entries: The inputs.
  ///   - stop: Up to where.
  ///   - run: The run that they came into.
  /// - Throws: What ends the session, and `Interruption` if Ctrl-C was pressed meanwhile.
  private func retake(
    _ entries: [InputLog.Entry], upTo stop: InputLog.Stop, of run: Run
  ) throws {
    let count = stop.entryCount + (stop.stepCount > 0 ? 1 : 0)
    for (index, entry) in entries.prefix(count).enumerated() {
      let limit = index == stop.entryCount ? stop.stepCount : nil
      session.run.haveTyped(entry.before.typedCount, of: run)
      session.run.inputs.setComingStatementCount(entry.statementCount)
      do {
        try retake(entry, steps: limit)
        try session.run.pump()
      } catch is Diagnostic {
        // It was one then, too.
      } catch is Interruption {
        // So was a statement then, or Ctrl-C ends all of it.
      }
      session.run.drainFeed()
      if session.run.inputs.wasBroken {
        throw Interruption("'back' was interrupted: the session is as it was")
      }
    }
  }

  private func retake(_ entry: InputLog.Entry, steps: Int?) throws {
    switch entry.input {
    case .startup: try runStartupFile()
    case .statement(let script, let index):
      if let steps { return try session.run.retake(steps: steps, of: script, index) }
      try runStatements(of: script, index..<index + 1)
    case .steps(let count, of: let script, let index):
      try session.run.retake(steps: steps ?? count, of: script, index)
    case .command(let text, let source):
      if !entry.isInside { _ = try session.run.runSteering(text, from: source, host: session) }
    case .interruption: break
    }
  }
}

extension SessionChange {
  fileprivate var isBack: Bool { if case .back = self { true } else { false } }
}
