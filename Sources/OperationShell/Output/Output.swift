import CSystem
import Foundation
import Locking
import Networking
import Secrets
import Terminal

/// Where everything that opsh prints goes through, from whichever thread it comes.
///
/// Three things are decided here and nowhere else: text or JSON, which stream, and whether the
/// terminal belongs to the line editor at the moment. While a line is being typed nothing is
/// written; lines wait in a backlog until the editor shows them above the line. While a statement
/// runs at the prompt, only events wait, until the terminal has taken what came before.
final class Output: Sendable {
  enum Stream: Sendable {
    case standardOutput, standardError

    var descriptor: Int32 { self == .standardOutput ? STDOUT_FILENO : STDERR_FILENO }
  }

  enum Format: Sendable { case text, json }

  private struct State {
    var sequence: Int64 = 1
    var isEditing = false
    /// Lines that wait for the editor, or for a terminal that has enough to do.
    var backlog = LineBacklog()
    /// Set at the prompt of a terminal: events come no faster than it takes them.
    var pace: TerminalPace?
    /// Takes the lines of the command that was typed, where they may be more than the screen holds.
    var page: PagedText?
    /// Those streams that are that terminal.
    var pacedStreams: Set<Stream> = []
    /// Gets every line besides, in the order in which they are printed.
    var tap: (@Sendable (StyledText) -> Void)?
    /// Whether the tap alone gets them.
    var isSilent = false
    /// The first error of a write to standard output, 0 while there was none.
    var writeError: Int32 = 0
    /// The streams whose last bytes were written as they are and did not end a line.
    var unendedStreams: Set<Stream> = []
  }

  let format: Format
  let clock: SessionClock
  let standardOutputColor: Bool
  let standardErrorColor: Bool
  /// Width for tables: the terminal's, or nil where the output is no terminal.
  let width: @Sendable () -> Int?
  let isASCII: Bool
  private let wakeUp: WakeUp?
  private let terminals: Set<Stream>
  /// What was sent as a credential, which is hidden in every line and object.
  private let secrets: KnownSecrets
  private let state = Locked(State())

  init(
    format: Format, clock: SessionClock, standardOutputColor: Bool, standardErrorColor: Bool,
    isASCII: Bool, wakeUp: WakeUp?, terminals: Set<Stream> = Output.terminals,
    secrets: KnownSecrets = KnownSecrets(),
    width: @escaping @Sendable () -> Int?
  ) {
    self.format = format
    self.terminals = terminals
    self.secrets = secrets
    self.clock = clock
    self.standardOutputColor = standardOutputColor
    self.standardErrorColor = standardErrorColor
    self.isASCII = isASCII
    self.wakeUp = wakeUp
    self.width = width
  }

  var isJSON: Bool { format == .json }

  /// Why standard output can't be written any more: `EPIPE` where its reader has gone away (the
  /// session then ends quietly), `ENOSPC` on a full disk; 0 while all is well.
  var writeError: Int32 { state.withLock { $0.writeError } }

  // MARK: Text

  /// Prints one line of text, or the beginning of one that is too long to be held at once.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - stream: Where to.
  ///   - isEvent: Whether it may be left out of a flood at the prompt.
  ///   - isWhole: False where the rest of the line is printed next. Where lines wait, or a tap takes
  ///     them, each part is a line.
  ///   - recorded: What a tap takes in place of the line.
  ///   - isReceived: Whether it was received from a server or a program; nothing is hidden in it.
  func line(
    _ line: StyledText, to stream: Stream = .standardOutput, isEvent: Bool = false,
    isWhole: Bool = true, recorded: StyledText? = nil, isReceived: Bool = false
  ) {
    let line = isReceived ? line : line.masked(by: secrets)
    let recorded = recorded?.masked(by: secrets)
    let shown = isASCII ? ASCIIText.replacing(line) : line
    if !isEvent, isWhole, let page = state.withLock({ $0.page }) {
      if stream == .standardOutput, page.take(shown) { return }
      // What is said of the command's text comes after it.
      page.print()
    }
    let isEditing = state.withLock { state in
      if let tap = state.tap {
        tap(recorded.map { isASCII ? ASCIIText.replacing($0) : $0 } ?? shown)
      }
      if state.isSilent { return false }
      if mustWait(shown, to: stream, isEvent: isEvent, &state) {
        state.backlog.add(shown, to: stream, isEvent: isEvent)
        return state.isEditing
      }
      write(shown, isWhole: isWhole, to: stream, &state)
      return false
    }
    if isEditing { wakeUp?.signal() }
  }

  /// Whether a line can't be written at once; what waits before a text is written first.
  private func mustWait(
    _ line: StyledText, to stream: Stream, isEvent: Bool, _ state: inout State
  ) -> Bool {
    guard let pace = state.pace else { return state.isEditing }
    guard state.pacedStreams.contains(stream) else { return false }
    if state.isEditing { return true }
    if isEvent { return !state.backlog.isEmpty || pace.room == 0 }
    writeAhead(&state)
    return false
  }

  /// Counts an event where its line would be left out, so that the line need not be made.
  ///
  /// - Parameter stream: Where it would go to.
  /// - Returns: Whether it was left out.
  func leavesOutEvent(to stream: Stream) -> Bool {
    state.withLock { state in
      guard state.tap == nil, !state.isSilent, state.backlog.leavesEventsOut,
        state.pacedStreams.contains(stream)
      else { return false }
      state.backlog.leaveOut(1, to: stream)
      return true
    }
  }

  /// Has the lines of a command go through a pager where they are many; nil ends that.
  func setPage(_ page: PagedText?) {
    state.withLock { $0.page = page }
  }

  /// Prints what is held for a pager: the command that prints it waits for something.
  func printPage() {
    state.withLock { $0.page }?.print()
  }

  /// Clears the screen, where standard output is a terminal that can be cleared.
  ///
  /// `ESC [ H` goes to the first row and `ESC [ 2 J` erases all of them.
  func clearScreen() {
    state.withLock { state in
      guard !isJSON, !state.isEditing, !state.isSilent, isatty(STDOUT_FILENO) == 1 else { return }
      Self.write("\u{1B}[H\u{1B}[2J", to: .standardOutput, &state)
    }
  }

  /// Has every line handed to a tap as well, or to it alone.
  ///
  /// It is called under a lock, and must not print.
  func setTap(isSilent: Bool, _ tap: (@Sendable (StyledText) -> Void)?) {
    state.withLock { state in
      state.tap = tap
      state.isSilent = isSilent
    }
  }

  /// Whether what is printed is wanted by a tap too, or by it alone.
  var hasTap: Bool { state.withLock { $0.tap != nil } }

  /// Whether lines wait because the terminal is somebody else's at the moment.
  var isEditing: Bool { state.withLock { $0.isEditing } }

  /// Ends the line on which the terminal has echoed `^C`; while a line is edited it echoes none.
  func endEchoedLine() {
    guard isatty(STDIN_FILENO) == 1, !state.withLock({ $0.isEditing }) else { return }
    write("\n", to: .standardError)
  }

  /// Whether a terminal, the editor or a tap takes what is printed to a stream.
  ///
  /// There, control characters are made visible and bytes become lines of text. A file or a program
  /// gets them as they are.
  func isShown(on stream: Stream) -> Bool {
    terminals.contains(stream) || state.withLock { $0.tap != nil || $0.isEditing }
  }

  /// The standard streams that are terminals.
  static var terminals: Set<Stream> {
    Set([Stream.standardOutput, .standardError].filter { isatty($0.descriptor) == 1 })
  }

  /// Writes bytes as they are to a stream that is not shown.
  ///
  /// The next line begins on a line of its own.
  ///
  /// - Parameters:
  ///   - bytes: What to write.
  ///   - stream: Where to.
  ///   - beginsLine: Whether a line that was left without its end is ended first.
  func bytes(
    _ bytes: [UInt8], to stream: Stream = .standardOutput, beginsLine: Bool = false
  ) {
    guard let last = bytes.last else { return }
    state.withLock { state in
      let isLate = beginsLine && state.unendedStreams.contains(stream)
      let bytes = isLate ? [UInt8(ascii: "\n")] + bytes : bytes
      guard state.writeError == 0 || stream != .standardOutput else { return }
      let error = bytes.withUnsafeBytes { Self.writeFully($0, to: stream.descriptor) }
      if stream == .standardOutput { state.writeError = error }
      if last == UInt8(ascii: "\n") {
        state.unendedStreams.remove(stream)
      } else {
        state.unendedStreams.insert(stream)
      }
    }
  }

  // MARK: JSON

  /// Prints one object of the `--json` contract: type, sequence, both times, then `fields`.
  func object(_ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields) {
    object(type, at: instant, fields, through: nil)
  }

  func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields,
    through sink: (any TextSink)?
  ) {
    // A result is what was received.
    let fields = type == "result" ? fields : fields.masked(by: secrets)
    if let sink {
      let sequence = state.withLock { state in
        defer { state.sequence += 1 }
        return state.sequence
      }
      // Not under the lock: a program may hold the writer back. Only this thread writes to it.
      let time = instant ?? clock.now
      sink.write(StyledText(Self.envelope(type, sequence, at: time, clock, fields)))
      return
    }
    // The number is drawn and the line written under one lock, or two threads could swap lines.
    state.withLock { state in
      let text = Self.envelope(type, state.sequence, at: instant ?? clock.now, clock, fields)
      state.sequence += 1
      state.tap?(StyledText(text))
      if state.isSilent {
        return
      } else if state.isEditing {
        // A reader of objects gets every one.
        state.backlog.add(StyledText(text), to: .standardOutput, isEvent: false)
      } else {
        Self.writeToStandardOutput(text + "\n", &state)
      }
    }
    if state.withLock({ $0.isEditing }) { wakeUp?.signal() }
  }

  private static func envelope(
    _ type: String, _ sequence: Int64, at instant: ContinuousClock.Instant, _ clock: SessionClock,
    _ fields: JSONFields
  ) -> String {
    var whole = JSONFields([
      .init(name: "type", value: .string(type)),
      .init(name: "sequence", value: .integer(sequence)),
      .init(name: "time", value: .string(clock.timestamp(instant))),
      .init(name: "elapsed", value: .seconds(clock.elapsed(instant))),
    ])
    whole.members += fields.members
    return whole.value.text
  }

  // MARK: The line editor

  /// Lines wait for the editor from now on.
  func beginEditing() {
    state.withLock { $0.isEditing = true }
  }

  /// The terminal is free again: what still waits is written, at the terminal's pace.
  func endEditing() {
    state.withLock { state in
      state.isEditing = false
      if state.pace == nil { writeAll(&state) }
    }
    writeDue()
  }

  /// Takes at most `limit` waiting lines; the others wait for the next frame.
  ///
  /// - Parameter limit: How many lines a frame may have.
  /// - Returns: The lines, and whether more wait.
  func takePending(limit: Int) -> (lines: [StyledText], hasMore: Bool) {
    state.withLock { state in
      var lines: [StyledText] = []
      while lines.count < limit, let item = state.backlog.takeFirst() {
        lines.append(text(of: item, canLookUp: true).line)
      }
      return (lines, !state.backlog.isEmpty)
    }
  }

  // MARK: The pace of the terminal

  /// What may stand before a text that is to be written now, beyond what the pace allows.
  private static let greatestAhead = 8_000

  /// Has events wait while the terminal has enough to do, and leaves out those that are too many.
  ///
  /// - Parameters:
  ///   - pace: The terminal's.
  ///   - streams: Those that are the terminal; every other stream gets every event.
  func beginPacing(_ pace: TerminalPace, on streams: Set<Stream>) {
    state.withLock { state in
      state.pace = pace
      state.pacedStreams = streams
    }
  }

  /// Whether events go to a terminal that they could bury.
  var isPaced: Bool { state.withLock { $0.pace != nil } }

  /// Writes what waits; from now on nothing does.
  func endPacing() {
    state.withLock { state in
      state.pace = nil
      state.pacedStreams = []
      if !state.isEditing { writeAll(&state) }
    }
  }

  /// Whether events wait for the terminal while no line is edited: it is asked again after a frame.
  var hasDueLines: Bool { state.withLock { !$0.isEditing && !$0.backlog.isEmpty } }

  /// Writes as many of the lines that wait as the terminal takes now.
  func writeDue() {
    state.withLock { state in
      guard !state.isEditing, !state.backlog.isEmpty, let pace = state.pace else { return }
      while pace.room > 0, let item = state.backlog.takeFirst() { write(item, &state) }
    }
  }

  /// Has one line say how many events are left out: those that wait, and those not read yet.
  ///
  /// - Parameters:
  ///   - unread: How many have no line yet.
  ///   - stream: Where their lines would have gone to.
  func collapseEvents(adding unread: Int, to stream: Stream) {
    state.withLock { state in
      state.backlog.leaveOut(unread, to: stream)
      state.backlog.collapse()
      if !state.isEditing { writeAll(&state) }
    }
  }

  /// Writes what waits before a text: all of it, unless a flood has been written so already.
  private func writeAhead(_ state: inout State) {
    while !state.backlog.isEmpty, let pace = state.pace,
      pace.room(borrowing: Self.greatestAhead) > 0, let item = state.backlog.takeFirst()
    {
      write(item, &state)
    }
    state.backlog.collapse()
    writeAll(&state)
  }

  private func writeAll(_ state: inout State) {
    while let item = state.backlog.takeFirst() { write(item, &state) }
  }

  /// A line that waits as it is shown.
  private func text(
    of item: LineBacklog.Item, canLookUp: Bool
  ) -> (line: StyledText, stream: Stream) {
    switch item {
    case .line(let line, let stream, _): return (line, stream)
    case .gap(let count, let stream):
      let hint = canLookUp ? "; 'log' shows them" : ""
      let text = StyledText("… \(GroupedNumber.text(count)) more" + hint, style: .dim)
      return (isASCII ? ASCIIText.replacing(text) : text, stream)
    }
  }

  private func write(_ item: LineBacklog.Item, _ state: inout State) {
    // Where no prompt follows, 'log' can't be typed any more.
    let (line, stream) = text(of: item, canLookUp: state.pace != nil)
    write(line, to: stream, &state)
  }

  // MARK: Bytes

  private func write(_ text: String, to stream: Stream) {
    state.withLock { Self.write(text, to: stream, &$0) }
  }

  private func write(
    _ line: StyledText, isWhole: Bool = true, to stream: Stream, _ state: inout State
  ) {
    let color = stream == .standardOutput ? standardOutputColor : standardErrorColor
    let text = line.rendered(color: color) + (isWhole ? "\n" : "")
    Self.write(text, to: stream, &state)
    if state.pacedStreams.contains(stream) { state.pace?.note(written: text.utf8.count) }
  }

  private static func write(_ text: String, to stream: Stream, _ state: inout State) {
    switch stream {
    case .standardOutput: writeToStandardOutput(text, &state)
    case .standardError:
      let lead = state.unendedStreams.remove(stream) == nil ? "" : "\n"
      _ = writeFully(lead + text, to: STDERR_FILENO)
    }
  }

  private static func writeToStandardOutput(_ text: String, _ state: inout State) {
    guard state.writeError == 0 else { return }
    let lead = state.unendedStreams.remove(.standardOutput) == nil ? "" : "\n"
    state.writeError = writeFully(lead + text, to: STDOUT_FILENO)
  }

  /// Writes all of it, waiting where the descriptor is non-blocking and full.
  ///
  /// - Returns: 0, or the error that ended the attempt.
  static func writeFully(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { writeFully(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes all of it, waiting where the descriptor is non-blocking and full.
  ///
  /// - Returns: 0, or the error that ended the attempt.
  static func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var offset = 0
    while offset < bytes.count {
      guard let base = bytes.baseAddress else { return 0 }
      let count = Glibc.write(descriptor, base + offset, bytes.count - offset)
      if count > 0 {
        offset += count
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
