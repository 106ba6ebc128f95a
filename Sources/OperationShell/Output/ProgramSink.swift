import Foundation
import Terminal

/// Ends a command whose text nobody reads any more; no `try` of the language catches it.
struct UnreadText: Error {
  let sink: ProgramSink
}

/// `| program …`: the programs run while the command does, and get its text as it comes.
///
/// What the last of them prints is passed on whenever the command's thread waits, looks after the
/// session, or is held back by a program that reads slowly. So no more is in memory than the pipes
/// hold, and nothing is printed by another thread.
///
/// At the prompt the last of them prints on the terminal itself, and reads its keys: `help | less`. They
/// start with the first text, so that an error of the command comes before them, and opsh writes nothing
/// until they have ended. Ctrl-C goes to all; where one of them has a use for it, opsh waits on.
///
/// On the virtual clock they are started when the text is there, or there is a good deal of it: what
/// a program does, and when it is shown, must not depend on how fast the machine is.
final class ProgramSink: RedirectionTarget, @unchecked Sendable {
  // @unchecked because only the thread that runs the redirected command uses it.

  private let programs: [[String]]
  private let file: FileSink?
  private let session: Session
  /// Where the text of the command goes that holds this one, if not to the screen.
  private let outer: (any TextSink)?
  /// Nil until they are started.
  private var pipe: ProgramPipe?
  private var printed: ProgramOutput
  /// What no program could take yet.
  private var unsent: [UInt8] = []
  private var isSending = false
  private var isReading = false
  /// How much was written that nobody reads; nil while the first program reads.
  private var unread: Int?
  /// What ended the command, or is about to.
  private var stopped: (any Error)?
  private let environment: [String: String]
  /// Whether they are to have the terminal.
  private let takesTerminal: Bool
  /// How the terminal was, while they have it.
  private var lent: ForegroundTerminal?

  /// How much a command may print that nobody reads before it is ended: what a pipe would take.
  ///
  /// A command that prints less is never ended early, however soon `head` or `grep -q` has seen
  /// enough, so that what else it does is done in every run.
  static let unreadLimit = 65_536

  /// How many lines it may print that nobody reads, however short.
  static let unreadLines = 1024

  /// How much text is held on the virtual clock.
  static let heldLimit = 1 << 18

  init(
    programs: [[String]], file: FileSink?, session: Session, environment: [String: String]? = nil
  ) throws(RedirectionError) {
    self.programs = programs
    self.environment = environment ?? session.configuration.environment
    takesTerminal =
      file == nil && !session.output.isJSON && ForegroundTerminal.isAvailable(in: session)
    self.file = file
    self.session = session
    outer = CurrentSink.value
    printed = ProgramOutput(
      output: session.output, sink: file?.descriptorForProgram == nil ? file ?? outer : outer,
      isLineByLine: !session.isOnInterpreterThread)
    guard !session.isVirtual, !takesTerminal else { return }
    do throws(RedirectionError) {
      try start()
    } catch {
      file?.abandon()
      throw error
    }
  }

  private func start() throws(RedirectionError) {
    guard pipe == nil else { return }
    for words in programs { session.noteCredentials(in: ProcessText.spelled(words)) }
    let terminal = takesTerminal ? ForegroundTerminal() : nil
    let target = takesTerminal ? STDOUT_FILENO : file?.descriptorForProgram
    do throws(ChildStart.Failure) {
      pipe = try ProgramPipe(
        programs, environment: environment,
        to: target.map(ProgramPipe.Destination.descriptor) ?? .pipe)
    } catch {
      throw .file(error.program, error.number)
    }
    guard let terminal else { return }
    lent = terminal
    session.output.beginEditing()
  }

  // MARK: The terminal

  /// Takes the terminal back from programs that have ended, perhaps before the command has, as a pager
  /// does that was left.
  private func takeTerminalBack() {
    guard let terminal = lent, pipe?.noteEnded() ?? true else { return }
    lent = nil
    terminal.takeBack()
    ForegroundTerminal.beginRow(columns: session.output.width() ?? 80)
    session.output.endEditing()
  }

  /// Whether Ctrl-C is the affair of a program that has the terminal.
  private var leavesInterrupt: Bool { lent != nil && pipe?.catchesInterrupt == true }

  // MARK: The command's text

  func write(bytes: [UInt8]) {
    guard stopped == nil else { return }
    if let count = unread {
      unread = count + max(bytes.count, Self.unreadLimit / Self.unreadLines)
      return
    }
    unsent += bytes
    // What is printed while a program holds this one back waits for its turn.
    guard !isSending,
      pipe != nil || takesTerminal && !session.isVirtual || unsent.count > Self.heldLimit
    else { return }
    do throws(RedirectionError) {
      try start()
    } catch {
      stop(error)
    }
    send()
  }

  /// Writes what waits, as fast as the first program reads.
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
        // The program reads no further, as `head` does; that is its right.
        unread = unsent.count - offset
      }
    }
    unsent.removeAll(keepingCapacity: true)
  }

  private func waitForReader(_ input: Int32) throws {
    session.rest(
      onReading: [pipe?.output ?? -1], writing: input, atMost: .seconds(1))
    readOutput()
    if try session.pump(runsHandlers: false), !leavesInterrupt { throw Interruption() }
    takeTerminalBack()
  }

  /// Ends the programs; what the command still prints is lost, and it learns why when it attends.
  private func stop(_ error: any Error) {
    stopped = error
    unsent = []
    pipe?.end()
  }

  // MARK: What the last program prints

  func attend() throws {
    if let stopped { throw stopped }
    takeTerminalBack()
    if !session.isVirtual { readOutput() }
    try outer?.attend()
    if let unread, unread > Self.unreadLimit { throw UnreadText(sink: self) }
  }

  var descriptors: [Int32] {
    let own = isReading || session.isVirtual ? -1 : pipe?.output ?? -1
    return [own] + (outer?.descriptors ?? [])
  }

  private func readOutput() {
    // Another program may hold this one's text back, and what is done meanwhile comes here again.
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
    if !isImpatient(result), !isUnused {
      do {
        // What it has printed up to its failure is worth as much as without a pipe.
        try finish()
      } catch  where session.isControlTransfer(error) {
        result = error
      } catch {
        // The command's own error came first.
      }
    }
    abandonAll()
    return result
  }

  /// Whether nobody wants to wait for the programs any more.
  private func isImpatient(_ error: any Error) -> Bool {
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
    file?.withdraw()
  }

  /// Gives the programs the rest, and passes on what is printed until they have ended.
  private func finish() throws {
    try start()
    send()
    if let stopped { throw stopped }
    pipe?.closeInput()
    while true {
      // Looked at before the last reading: what they have printed is there when they have ended.
      // What one leaves running in the background may keep the pipe open for long.
      let haveEnded = pipe?.noteEnded() ?? true
      readOutput()
      // Ctrl-C is meant for all, and may have ended the programs first.
      if try session.pump(runsHandlers: false), !leavesInterrupt { throw Interruption() }
      if haveEnded {
        printed.finish()
        pipe?.closeOutput()
        takeTerminalBack()
        return
      }
      let ends = pipe?.ends ?? []
      session.rest(
        onReading: ends + [pipe?.output ?? -1],
        atMost: ends.contains { $0 < 0 } ? .milliseconds(20) : .seconds(1))
    }
  }
}
