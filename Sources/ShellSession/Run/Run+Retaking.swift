import OpshLocking
import Operations
package import ShellLanguage
import ShellOutput

/// The inputs of the session, which `back` has another one take again.
extension Run {
  /// What there is now.
  package var mark: InputLog.Mark {
    InputLog.Mark(
      typedCount: state.withLock { $0.typed.count }, fileUses: outside.files.count,
      position: inputs.position)
  }

  /// Notes that the startup file is about to run.
  package func willRunStartupFile() { inputs.add(.startup, at: mark) }

  /// Notes that a statement of a program or a typed line is about to run.
  package func willRun(_ script: Script, _ index: Int) {
    inputs.setRunning((script, index))
    inputs.add(.statement(script, index), at: mark)
  }

  /// Notes that a command is about to run that a page or `watch` asks for.
  package func willTake(command text: String, from source: String) {
    inputs.add(.command(text, source: source), at: mark)
  }

  /// Notes that the statement has ended that ``willRun(_:_:)`` was called for.
  package func didRun() { inputs.setRunning(nil) }

  /// Runs an input that came while a statement ran, if it is due when inputs are taken again.
  ///
  /// - Throws: What ends the session.
  func takeDueInputs() throws {
    guard inputs.isDue else { return }
    while case .command(let text, let source)? = inputs.takeDue({
      if case .command = $0 { true } else { false }
    }) {
      guard let host = retakingHost.withLock({ $0 }) else { return }
      _ = try runSteering(text, from: source, host: host)
    }
  }

  /// Takes the first steps of a `next` again.
  package func retake(steps: Int, of script: Script, _ index: Int) throws {
    inputs.setRunning((script, index))
    defer { inputs.setRunning(nil) }
    inputs.add(.steps(steps, of: script, index), at: mark)
    if try step(steps, areStops: true).end == .interrupted { throw Interruption() }
  }

  /// Whether Ctrl-C comes here when inputs are taken again.
  func takesInterruption() -> Bool {
    guard inputs.isDue else { return false }
    guard
      inputs.takeDue({ if case .interruption = $0 { true } else { false } }) != nil
    else { return false }
    inputs.add(.interruption, at: mark)
    return true
  }
}

extension Run {
  /// Goes on in the place of another run: with its history, its recording, and what serves it.
  ///
  /// - Parameters:
  ///   - other: The run of the session that ends.
  ///   - reason: What has happened, in words, for those that follow the session.
  ///   - host: What gives the language its commands.
  func takeOver(from other: Run, because reason: String, host: any CommandHost) {
    let old = other.state.withLock { state in
      defer { (state.history, state.editor) = (nil, nil) }
      return state
    }
    state.withLock { state in
      state.history = old.history
      state.editor = old.editor
      state.forgottenSecrets = old.forgottenSecrets
      state.readsProgramFromInput = old.readsProgramFromInput
      state.typed = old.typed
    }
    takeRecording(from: other, because: reason)
    let served = other.serving.withLock { $0.take() }
    serving.withLock { $0 = served }
    served?.goOn(in: self, jobs, because: reason, host: host)
  }

  /// Goes on with a recording, unless this session has not come to where it began.
  private func takeRecording(from other: Run, because reason: String) {
    // The one that this session has begun again has written to a copy.
    let hasBegun = recording.withLock { $0.take() } != nil
    guard let recorder = other.recording.withLock({ $0.take() }) else { return }
    do {
      if hasBegun {
        try recorder.goOn(with: self, because: reason)
        recording.withLock { $0 = recorder }
      } else {
        try recorder.end(status: nil, of: other.jobs.engine.log)
      }
    } catch {
      screen.complain(error.page, "the recording has ended: \(error.message)", help: error.help)
    }
    fitLogCapacity()
  }

  /// Has inputs go on after those of a run that was reset.
  func continueInputs(of other: Run) { inputs.goOn(after: other.inputs) }

  /// Has typed the first lines of another run, before an input is taken again.
  package func haveTyped(_ count: Int, of other: Run) {
    let known = state.withLock { min($0.typed.count, count) }
    let lines = other.state.withLock { $0.typed.prefix(count).dropFirst(known) }
    state.withLock { state in
      state.typed.removeSubrange(known...)
      state.typed += lines
    }
  }

  /// Keeps the first typed lines, and the part of the next one that was taken again.
  ///
  /// - Parameters:
  ///   - count: How many lines.
  ///   - part: The part; nil for none.
  package func keepTyped(_ count: Int, part: String?) {
    state.withLock { state in
      state.typed.removeSubrange(min(count, state.typed.count)...)
      if let part { state.typed.append(TypedLine(text: part, completed: part)) }
    }
  }
}
