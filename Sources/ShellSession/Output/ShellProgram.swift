import COpshSystem
import Foundation
import OpshLocking
package import OpshProcesses
package import ShellOutput

/// A program that a statement runs to its end, while the session continues.
package struct ShellProgram {
  /// The result of the program.
  package enum Status {
    case exited(Int32)
    case signalled(Int32)

    init(_ status: Int32) {
      let signal = opsh_exit_signal(status)
      self = signal == 0 ? .exited(opsh_exit_status(status)) : .signalled(signal)
    }
  }

  package let words: [String]
  package let place: ProgramPlace
  package let run: Run
  /// The redirection of the statement's text, if any.
  package let sink: (any TextSink)?

  package init(words: [String], place: ProgramPlace, of run: Run, sink: (any TextSink)?) {
    self.words = words
    self.place = place
    self.run = run
    self.sink = sink
  }

  /// With `--json`, its output goes to standard error.
  private var output: Int32 { screen.output.isJSON ? streams.errors : streams.output }

  private var screen: Screen { run.screen }

  private var streams: StandardStreams { screen.output.streams }

  // MARK: With the terminal

  /// Runs it as the terminal's foreground program; lines of opsh wait for its end.
  package func runInForeground() throws -> Status {
    let terminal = ForegroundTerminal(streams)
    screen.output.beginEditing()
    defer { screen.output.endEditing() }
    defer {
      terminal.takeBack()
      screen.output.beginRow()
    }
    let child = try ChildStart.start(
      words, in: place,
      .init(input: streams.input, output: output, takesTerminal: true), inOwnGroup: true)
    terminal.lend(to: child)
    return try wait(for: child) { terminal.stop(with: child) }
  }

  // MARK: Beside the script

  /// Runs it with the script's own input and output.
  ///
  /// It stays in opsh's process group: the terminal treats both alike, and other programs in the
  /// same pipe keep the terminal.
  package func runWithInheritedStreams() throws -> Status {
    let isInputTaken = run.state.withLock { $0.readsProgramFromInput }
    // A program that draws on the terminal must not be overwritten.
    let holdsBack =
      screen.output.terminals.contains(.standardOutput)
      && screen.output.terminals.contains(.standardError)
    if holdsBack { screen.output.beginEditing() }
    defer {
      screen.output.noteProgramText()
      if holdsBack { screen.output.endEditing() }
    }
    let child = try ChildStart.start(
      words, in: place,
      .init(input: isInputTaken ? nil : streams.input, output: output), inOwnGroup: false)
    return try wait(for: child)
  }

  private func wait(for child: pid_t, stopped: (() -> Void)? = nil) throws -> Status {
    let descriptor = opsh_pidfd(child)
    defer { if descriptor >= 0 { close(descriptor) } }
    // A descriptor only reports the end of a child, not that it was stopped.
    let patience: Duration = descriptor < 0 || stopped != nil ? .milliseconds(20) : .seconds(1)
    do {
      while true {
        var status: Int32 = 0
        let found = waitpid(child, &status, WNOHANG | (stopped == nil ? 0 : WUNTRACED))
        if found == child {
          guard opsh_is_stopped(status) != 0 else { return Status(status) }
          stopped?()
        }
        if try run.pump(runsHandlers: false) { throw Interruption() }
        run.rest(onReading: [descriptor], atMost: patience)
      }
    } catch {
      ChildProgram.end([child])
      throw error
    }
  }

  // MARK: Collected

  /// Runs it with empty input and processes its output line by line.
  ///
  /// - Parameter isAway: Whether it may not use the terminal: in a body, or in a handler at the
  ///   prompt. Then its standard error is captured too, and Ctrl-C is not meant for it.
  /// - Returns: How it ended.
  /// - Throws: An error if it can't be started, and what ends the session or the statement.
  package func runCollected(isAway: Bool) throws -> Status {
    let takesErrors = sink == nil && (screen.output.hasTap || isAway && screen.isInteractive)
    var printed = ProgramOutput(output: screen.output, sink: sink, isLineByLine: true)
    let status = try collect(isAway: isAway, takesErrors: takesErrors) { printed.read(from: $0) }
    printed.finish()
    return status
  }

  /// Runs it and captures its output; its input is that of a program in a script.
  ///
  /// - Parameter isAway: Whether it may not use the terminal.
  /// - Returns: How it ended, and its output.
  /// - Throws: An error if it can't be started or prints too much, and what ends the session or the
  ///   statement.
  package func runCaptured(isAway: Bool) throws -> (status: Status, output: [UInt8]) {
    let isInputTaken = run.state.withLock { $0.readsProgramFromInput }
    let hasInput = !isAway && !isInputTaken && !screen.isInteractive
    var captured = CapturedOutput()
    let status = try collect(
      isAway: isAway, takesErrors: false, input: hasInput ? streams.input : nil
    ) {
      try captured.read(from: $0)
    }
    return (status, captured.bytes)
  }

  /// Runs it while the session continues, and passes its output to a reader.
  private func collect(
    isAway: Bool, takesErrors: Bool, input: Int32? = nil, _ read: (Int32) throws -> Bool
  ) throws -> Status {
    let pipe = try ChildStart.openPipe(for: words)
    defer { close(pipe.reader) }
    let child: pid_t
    do {
      defer { close(pipe.writer) }
      child = try ChildStart.start(
        words, in: place,
        .init(input: input, output: pipe.writer, errors: takesErrors ? pipe.writer : nil),
        inOwnGroup: isAway)
    }
    _ = fcntl(pipe.reader, F_SETFL, O_NONBLOCK)
    let descriptor = opsh_pidfd(child)
    defer { if descriptor >= 0 { close(descriptor) } }
    do {
      while true {
        var status: Int32 = 0
        // Checked before the last read: all output is available at the end. A process left in the
        // background may keep the pipe open for long.
        let hasEnded = waitpid(child, &status, WNOHANG) == child
        let isOpen = try read(pipe.reader)
        if hasEnded { return Status(status) }
        if try run.pump(runsHandlers: false) { throw Interruption() }
        run.rest(
          onReading: isOpen ? [pipe.reader, descriptor] : [descriptor],
          atMost: .milliseconds(descriptor < 0 ? 20 : 1000))
      }
    } catch {
      ChildProgram.end([child])
      throw error
    }
  }
}
