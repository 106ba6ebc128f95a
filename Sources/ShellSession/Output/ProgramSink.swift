import Foundation
import OpshProcesses
import ShellLanguage
import ShellOutput

/// Ends a command whose output is not read any more; `try` in a script does not catch it.
struct UnreadText: Error {
  let sink: ProgramSink
}

/// `| program …`: the programs run concurrently with the command, and receive its text as it comes.
///
/// The output of the last program is forwarded whenever the command's thread waits, checks for
/// signals, or is blocked by a slow program. So memory holds no more than the pipes do, and no
/// other thread prints.
///
/// At the prompt the last program prints on the terminal itself, and reads its keys: `help | less`.
/// The programs start with the first text, so that an error of the command comes before them, and
/// opsh writes nothing until they have ended. Ctrl-C goes to all; if a program handles it, opsh
/// continues to wait.
///
/// On the virtual clock they start when the text is complete or exceeds a limit: what a program
/// does, and when it is shown, must not depend on the speed of the machine.
final class ProgramSink: RedirectionTarget, @unchecked Sendable {
  // @unchecked because only the thread that runs the redirected command uses it.

  private let programs: [[String]]
  private let file: FileSink?
  private let run: Run
  private let screen: Screen
  /// The redirection of the enclosing command, if any.
  private let outer: (any TextSink)?
  /// Nil until they have started.
  private var pipe: ProgramPipe?
  private var printed: ProgramOutput
  /// Text that no program has taken yet.
  private var unsent: [UInt8] = []
  private var isSending = false
  private var isReading = false
  /// The number of unread bytes; nil while the first program reads.
  private var unread: Int?
  /// The error that ends the command.
  private var stopped: (any Error)?
  private let place: ProgramPlace
  /// Whether the programs use the terminal.
  private let takesTerminal: Bool
  /// The terminal's saved mode, while the programs use it.
  private var lent: ForegroundTerminal?

  /// The number of unread bytes after which a command is ended: the capacity of a pipe.
  ///
  /// A command that prints less is never ended early, however soon `head` or `grep -q` stops
  /// reading, so that its other effects are the same in every run.
  static let unreadLimit = 65_536

  /// The number of unread lines after which a command is ended, however short.
  static let unreadLines = 1024

  /// The limit of buffered text on the virtual clock.
  static let heldLimit = 1 << 18

  init(
    programs: [[String]], file: FileSink?, of run: Run, place: ProgramPlace? = nil
  ) throws(UnplacedError) {
    self.programs = programs
    self.run = run
    screen = run.screen
    self.place = place ?? run.outside.programPlace
    takesTerminal =
      file == nil && !screen.output.isJSON && ForegroundTerminal.isAvailable(on: screen)
    self.file = file
    outer = screen.sink.value
    printed = ProgramOutput(
      output: screen.output, sink: file?.descriptorForProgram == nil ? file ?? outer : outer,
      isLineByLine: !run.isOnInterpreterThread)
    guard !run.mode.isRepeatable, !takesTerminal else { return }
    do throws(UnplacedError) {
      try start()
    } catch {
      file?.abandon()
      throw error
    }
  }

  private func start() throws(UnplacedError) {
    guard pipe == nil else { return }
    for words in programs { screen.noteCredentials(in: WordQuoting.spelled(words)) }
    let terminal = takesTerminal ? ForegroundTerminal(screen.output.streams) : nil
    let target = takesTerminal ? screen.output.streams.output : file?.descriptorForProgram
    do throws(UnplacedError) {
      pipe = try ProgramPipe(
        programs, in: place, to: target.map(ProgramPipe.Destination.descriptor) ?? .pipe)
    } catch {
      terminal?.takeBack()
      throw error
    }
    guard let terminal else { return }
    lent = terminal
    screen.output.beginEditing()
  }

  // MARK: The terminal

  /// Restores the terminal after the programs have ended, possibly before the command, as after
  /// leaving a pager.
  private func takeTerminalBack() {
    guard let terminal = lent, pipe?.noteEnded() ?? true else { return }
    lent = nil
    terminal.takeBack()
    screen.output.beginRow()
    screen.output.endEditing()
  }

  /// Whether a program with the terminal handles Ctrl-C, or has handled it and ended before opsh saw
  /// the signal.
  private var leavesInterrupt: Bool {
    guard lent != nil, let pipe else { return false }
    return pipe.catchesInterrupt || hasEndedOtherwise
  }

  /// Whether all programs have ended, none of them by Ctrl-C.
  private var hasEndedOtherwise: Bool {
    pipe?.noteEnded() == true && pipe?.wasInterrupted == false
  }

  // MARK: The command's text

  func write(bytes: [UInt8]) {
    guard stopped == nil else { return }
    if let count = unread {
      unread = count + max(bytes.count, Self.unreadLimit / Self.unreadLines)
      return
    }
    unsent += bytes
    // Output during a blocked write waits until it is done.
    guard !isSending,
      pipe != nil || takesTerminal && !run.mode.isRepeatable || unsent.count > Self.heldLimit
    else { return }
    do throws(UnplacedError) {
      try start()
    } catch {
      stop(error)
    }
    send()
  }

  /// Writes the pending text at the speed of the first program.
  private func send() {
    isSending = true
    defer { isSending = false }
    var offset = 0
    while let input = pipe?.input, input >= 0, offset < unsent.count, unread == nil {
      let count = unsent.withUnsafeBytes { bytes in
        Glibc.write(input, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
      }
      if count > 0 {
        offset += count
      } else if errno == EAGAIN {
        do {
          try waitForReader(input)
        } catch {
          stop(error)
        }
      } else if errno != EINTR {
        // The program has stopped reading, as `head` does; that is not an error.
        unread = unsent.count - offset
      }
    }
    unsent.removeAll(keepingCapacity: true)
  }

  private func waitForReader(_ input: Int32) throws {
    run.rest(
      onReading: [pipe?.output ?? -1], writing: input, atMost: .seconds(1))
    readOutput()
    if try run.pump(runsHandlers: false), !leavesInterrupt { throw Interruption() }
    takeTerminalBack()
  }

  /// Ends the programs; later text of the command is lost, and the command gets the error at its
  /// next check.
  private func stop(_ error: any Error) {
    stopped = error
    unsent = []
    pipe?.end()
  }

  // MARK: What the last program prints

  func attend() throws {
    if let stopped { throw stopped }
    // Ctrl-C until here was for the programs; later it is for the command.
    if lent != nil, hasEndedOtherwise { _ = try run.answerSignals() }
    takeTerminalBack()
    if !run.mode.isRepeatable { readOutput() }
    try outer?.attend()
    if let unread, unread > Self.unreadLimit { throw UnreadText(sink: self) }
  }

  var descriptors: [Int32] {
    let own = isReading || run.mode.isRepeatable ? -1 : pipe?.output ?? -1
    return [own] + (outer?.descriptors ?? [])
  }

  private func readOutput() {
    // A write to another program may be blocked, and processing meanwhile may return to this place.
    guard !isReading, let output = pipe?.output, output >= 0 else { return }
    isReading = true
    defer { isReading = false }
    if !printed.read(from: output) { pipe?.closeOutput() }
  }

  // MARK: The end

  func close() throws {
    do {
      try finish()
    } catch {
      abandonAll()
      throw error
    }
    if takesTerminal, pipe?.wasInterrupted == true { throw Interruption() }
    if let failure = pipe?.failure {
      file?.abandon()
      throw failure
    }
    try file?.close()
  }

  func abandon(after error: any Error) -> any Error {
    var result = stopped ?? error
    let isUnused = takesTerminal && pipe == nil && unsent.isEmpty
    if !shouldStopWaiting(result), !isUnused {
      do {
        // The output before its failure is handled as without a pipe.
        try finish()
      } catch  where run.isControlTransfer(error) {
        result = error
      } catch {
        // The command's own error came first.
      }
    }
    abandonAll()
    return result
  }

  /// Whether to stop waiting for the programs.
  private func shouldStopWaiting(_ error: any Error) -> Bool {
    switch error {
    case let end as SessionEnd:
      if case .quit(_, now: false) = end.cause { return false }
      return true
    case is Interruption: return !leavesInterrupt
    case is BodyEnded, is UnreadText: return true
    default: return false
    }
  }

  private func abandonAll() {
    pipe?.end()
    takeTerminalBack()
    file?.abandon()
  }

  /// Writes the rest to the programs, and forwards their output until they have ended.
  private func finish() throws {
    try start()
    send()
    if let stopped { throw stopped }
    pipe?.closeInput()
    while true {
      // Checked before the last read: all output is available at the end. A process left in the
      // background may keep the pipe open for long.
      let haveEnded = pipe?.noteEnded() ?? true
      readOutput()
      // Ctrl-C goes to all, and may have ended the programs first.
      if try run.pump(runsHandlers: false), !leavesInterrupt { throw Interruption() }
      if haveEnded {
        printed.finish()
        pipe?.closeOutput()
        takeTerminalBack()
        return
      }
      let ends = pipe?.ends ?? []
      run.rest(
        onReading: ends + [pipe?.output ?? -1],
        atMost: ends.contains { $0 < 0 } ? .milliseconds(20) : .seconds(1))
    }
  }
}
