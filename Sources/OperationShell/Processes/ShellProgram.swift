import CSystem
import Foundation
import Locking
import Terminal

/// A program that a statement runs to its end, while the session is looked after.
struct ShellProgram {
  /// How it ended.
  enum Status {
    case exited(Int32)
    case signalled(Int32)

    init(_ status: Int32) {
      let signal = opsh_exit_signal(status)
      self = signal == 0 ? .exited(opsh_exit_status(status)) : .signalled(signal)
    }
  }

  let words: [String]
  let environment: [String: String]
  let session: Session
  /// Where the text of the statement goes, if not to standard output.
  let sink: (any TextSink)?

  /// What it prints to where objects alone belong goes to standard error.
  private var output: Int32 { session.output.isJSON ? STDERR_FILENO : STDOUT_FILENO }

  // MARK: With the terminal

  /// Runs it as the terminal's foreground program; lines of our own wait for its end.
  func runInForeground() throws -> Status {
    let terminal = ForegroundTerminal()
    session.output.beginEditing()
    defer { session.output.endEditing() }
    let child = try ChildStart.start(
      words, environment: environment,
      .init(input: STDIN_FILENO, output: output, takesTerminal: true), inOwnGroup: true)
    terminal.lend(to: child)
    defer {
      terminal.takeBack()
      ForegroundTerminal.beginRow(columns: session.output.width() ?? 80)
    }
    return try wait(for: child) { terminal.stop(with: child) }
  }

  // MARK: Beside the script

  /// Runs it with the script's own input and output.
  ///
  /// It stays in opsh's process group: the terminal treats both alike, and what else is in the same
  /// pipe keeps the terminal.
  func runBeside() throws -> Status {
    let isInputTaken = session.state.withLock { $0.readsProgramFromInput }
    // A program that draws on the terminal must not be written over.
    let holdsBack = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    if holdsBack { session.output.beginEditing() }
    defer { if holdsBack { session.output.endEditing() } }
    let child = try ChildStart.start(
      words, environment: environment,
      .init(input: isInputTaken ? nil : STDIN_FILENO, output: output), inOwnGroup: false)
    return try wait(for: child)
  }

  private func wait(for child: pid_t, stopped: (() -> Void)? = nil) throws -> Status {
    let descriptor = opsh_pidfd(child)
    defer { if descriptor >= 0 { close(descriptor) } }
    // Only the end of a child can be waited for with a descriptor, not that it was stopped.
    let patience: Duration = descriptor < 0 || stopped != nil ? .milliseconds(20) : .seconds(1)
    do {
      while true {
        var status: Int32 = 0
        let found = waitpid(child, &status, WNOHANG | (stopped == nil ? 0 : WUNTRACED))
        if found == child {
          guard opsh_is_stopped(status) != 0 else { return Status(status) }
          stopped?()
        }
        if try session.pump(runsHandlers: false) { throw Interruption() }
        session.rest(onReading: [descriptor], atMost: patience)
      }
    } catch {
      ChildProgram.end([child])
      throw error
    }
  }

  // MARK: Collected

  /// Runs it with what it prints taken line by line, and nothing to read.
  ///
  /// - Parameter isAway: Whether the terminal is somebody else's meanwhile: for a body, or a handler
  ///   at the prompt. Then what it says of errors is taken too, and Ctrl-C is not meant for it.
  /// - Returns: How it ended.
  /// - Throws: That it can't be started, and what ends the session or the statement.
  func runCollected(isAway: Bool) throws -> Status {
    let takesErrors = sink == nil && (session.output.hasTap || isAway && session.isInteractive)
    var printed = ProgramOutput(output: session.output, sink: sink, isLineByLine: true)
    let status = try collect(isAway: isAway, takesErrors: takesErrors) { printed.read(from: $0) }
    printed.finish()
    return status
  }

  /// Runs it and keeps what it prints; it reads what a program in a script reads.
  ///
  /// - Parameter isAway: Whether the terminal is not its own meanwhile.
  /// - Returns: How it ended, and its output.
  /// - Throws: That it can't be started or prints too much, and what ends the session or the
  ///   statement.
  func runCaptured(isAway: Bool) throws -> (status: Status, output: [UInt8]) {
    let isInputTaken = session.state.withLock { $0.readsProgramFromInput }
    let hasInput = !isAway && !isInputTaken && !session.isInteractive
    var captured = CapturedOutput()
    let status = try collect(
      isAway: isAway, takesErrors: false, input: hasInput ? STDIN_FILENO : nil
    ) {
      try captured.read(from: $0)
    }
    return (status, captured.bytes)
  }

  /// Runs it while the session is looked after, and hands what it prints to a reader.
  private func collect(
    isAway: Bool, takesErrors: Bool, input: Int32? = nil, _ read: (Int32) throws -> Bool
  ) throws -> Status {
    let pipe = try ChildStart.openPipe(for: words)
    defer { close(pipe.reader) }
    let child: pid_t
    do {
      defer { close(pipe.writer) }
      child = try ChildStart.start(
        words, environment: environment,
        .init(input: input, output: pipe.writer, errors: takesErrors ? pipe.writer : nil),
        inOwnGroup: isAway)
    }
    _ = fcntl(pipe.reader, F_SETFL, O_NONBLOCK)
    let descriptor = opsh_pidfd(child)
    defer { if descriptor >= 0 { close(descriptor) } }
    do {
      while true {
        var status: Int32 = 0
        // Looked at before the last reading: what it has printed is there when it has ended. What it
        // leaves running in the background may keep the pipe open for long.
        let hasEnded = waitpid(child, &status, WNOHANG) == child
        let isOpen = try read(pipe.reader)
        if hasEnded { return Status(status) }
        if try session.pump(runsHandlers: false) { throw Interruption() }
        session.rest(
          onReading: isOpen ? [pipe.reader, descriptor] : [descriptor],
          atMost: .milliseconds(descriptor < 0 ? 20 : 1000))
      }
    } catch {
      ChildProgram.end([child])
      throw error
    }
  }
}
