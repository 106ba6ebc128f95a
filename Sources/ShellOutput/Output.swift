import COpshSystem
import Foundation
import OpshJSON
import OpshLocking
package import OpshSecrets
import Synchronization
package import OpshSystemCalls
package import OpshTerminal

/// All output of opsh, from any thread.
///
/// It alone decides between text and JSON, selects the stream, and knows whether the line editor
/// uses the terminal. While a line is being typed nothing is written; lines wait in a backlog until
/// the editor shows them above the line. While a statement runs at the prompt, only events wait,
/// until the terminal has taken the earlier output.
package final class Output: Sendable {
  package enum Stream: Sendable { case standardOutput, standardError }

  package enum Format: Sendable { case text, json }

  struct State {
    var sequence: Int64 = 1
    var isEditing = false
    /// Lines that wait for the editor, or for a busy terminal.
    var backlog = LineBacklog()
    /// Set at the prompt of a terminal: limits events to the speed of the terminal.
    var pace: TerminalPace?
    /// Receives the lines of the typed command, if they may be paged.
    var page: (any Page)?
    /// The streams that are that terminal.
    var pacedStreams: Streams = []
    /// Receives a copy of every line in order.
    var tap: (@Sendable (StyledText) -> Void)?
    /// Whether lines go to the tap only.
    var isSilent = false
    /// Whether the summary was printed, the last object of a run.
    var hasSummary = false
    /// The streams whose last bytes did not end a line.
    var unendedStreams: Streams = []
    /// The streams whose last text is the start of a line that is printed in parts.
    var partialStreams: Streams = []
    var status = StatusLine()
    /// Whether the last text on a terminal did not end a line.
    var isMidLine = false
    /// The terminals to which a program has written since, so that the column is unknown.
    var afterProgram: Streams = []
  }

  package let format: Format
  package let clock: SessionClock
  package let standardOutputColor: Bool
  package let standardErrorColor: Bool
  /// The width for tables: the terminal's, or nil if the output is not a terminal.
  package let width: @Sendable () -> Int?
  package let isASCII: Bool
  let wakeUp: WakeUp?
  package let streams: StandardStreams
  /// The streams that are terminals.
  package let terminals: Streams
  /// Whether both streams are the same file or pipe, as with `2>&1`.
  let streamsShareTarget: Bool
  /// The sent credentials, which are masked in every line and object.
  private let secrets: KnownSecrets
  /// Called with each line of a command's output, on its thread.
  private let lineHandler: @Sendable (StyledText) -> Void
  /// Whether the run ends, for what else is written.
  package let ending: RunEnding
  let outputWriter: StreamWriter
  let errorWriter: StreamWriter
  /// Lines that wait for the events before them.
  package let held = HeldLines()
  /// The errors that standard error has shown, if it is a terminal.
  package let repeatedErrors = RepeatedErrors()
  let state: Locked<State>

  package init(
    format: Format, clock: SessionClock, standardOutputColor: Bool, standardErrorColor: Bool,
    isASCII: Bool, wakeUp: WakeUp?, streams: StandardStreams = StandardStreams(),
    secrets: KnownSecrets = KnownSecrets(),
    lineHandler: @escaping @Sendable (StyledText) -> Void = { _ in },
    width: @escaping @Sendable () -> Int?
  ) {
    self.format = format
    self.streams = streams
    let ending = RunEnding()
    self.ending = ending
    state = Locked(State())
    outputWriter = StreamWriter(stream: streams.output, ending: ending)
    errorWriter = StreamWriter(stream: streams.errors, ending: ending)
    var terminals: Streams = []
    for stream in [Stream.standardOutput, .standardError] where isatty(streams[stream]) == 1 {
      terminals.insert(stream)
    }
    self.terminals = terminals
    streamsShareTarget = streams.shareTarget
    self.secrets = secrets
    self.lineHandler = lineHandler
    self.clock = clock
    self.standardOutputColor = standardOutputColor
    self.standardErrorColor = standardErrorColor
    self.isASCII = isASCII
    self.wakeUp = wakeUp
    self.width = width
  }

  /// Creates the output of a session that will take the place of another one; it writes nothing until
  /// it takes over.
  ///
  /// - Parameters:
  ///   - other: The output of the other session.
  ///   - clock: The time of the new session.
  ///   - lineHandler: Called with each line of a command's output, on its thread.
  package init(
    succeeding other: Output, clock: SessionClock,
    lineHandler: @escaping @Sendable (StyledText) -> Void
  ) {
    (self.clock, self.lineHandler) = (clock, lineHandler)
    (format, streams, ending) = (other.format, other.streams, other.ending)
    (outputWriter, errorWriter) = (other.outputWriter, other.errorWriter)
    (terminals, streamsShareTarget) = (other.terminals, other.streamsShareTarget)
    (secrets, wakeUp, isASCII, width) = (other.secrets, other.wakeUp, other.isASCII, other.width)
    (standardOutputColor, standardErrorColor) = (
      other.standardOutputColor, other.standardErrorColor
    )
    var silent = State()
    silent.isSilent = true
    state = Locked(silent)
  }

  package var isJSON: Bool { format == .json }

  /// Whether lines are shown nowhere, or go to a tap only.
  package var isSilent: Bool { state.withLock { $0.isSilent } }

  /// The error of standard output: `EPIPE` if its reader has closed it (the session then ends
  /// without a message), `ENOSPC` on a full disk; 0 without an error.
  package var writeError: Int32 { firstWriteError.load(ordering: .relaxed) }
  /// Set under the lock, and read after each statement without it.
  let firstWriteError = Atomic<Int32>(0)

  // MARK: Text

  /// Prints one line of text, or the start of one that is too long to be buffered.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - stream: The stream.
  ///   - isEvent: Whether it may be dropped in a flood at the prompt.
  ///   - isWhole: False if the rest of the line is printed next. If lines wait, or go to a tap,
  ///     each part is a line.
  ///   - recorded: The line for a tap, if different.
  ///   - isReceived: Whether it was received from a server or a program; nothing is masked in it.
  ///   - folds: Whether a line that is too long for the terminal is broken between words, as every
  ///     event is.
  package func line(
    _ line: StyledText, to stream: Stream = .standardOutput, isEvent: Bool = false,
    isWhole: Bool = true, recorded: StyledText? = nil, isReceived: Bool = false,
    folds: Bool = false
  ) {
    let line = isReceived ? line : line.masked(by: secrets)
    let recorded = recorded?.masked(by: secrets)
    if !isEvent { lineHandler(line) }
    let whole = Line(
      text: line, stream: stream, isEvent: isEvent, isWhole: isWhole, isReceived: isReceived,
      folds: folds)
    guard !isEvent, held.keep(.line(whole, recorded: recorded)) else {
      return write(whole, recorded: recorded)
    }
    wakeUp?.signal()
  }

  /// A line as it was printed, with its secrets masked.
  struct Line: Sendable {
    let text: StyledText
    let stream: Stream
    let isEvent: Bool
    let isWhole: Bool
    var isReceived = false
    let folds: Bool
  }

  /// Writes a line, or lets it wait for the terminal.
  func write(_ line: Line, recorded: StyledText? = nil, pages: Bool = true) {
    let (stream, isEvent, isWhole) = (line.stream, line.isEvent, line.isWhole)
    let shown = inLocale(line)
    var parts = line.folds ? folded(shown, on: stream)[...] : [shown]
    if pages, !isEvent, isWhole, let page = state.withLock({ $0.page }) {
      if stream == .standardOutput { parts = parts.drop { page.take($0) } }
      if parts.isEmpty { return }
      // Remarks about the command's text come after it.
      page.print()
    }
    let isEditing = state.withLock { state in
      if let tap = state.tap {
        // A transcript is a file, and the same in every locale.
        tap(recorded ?? line.text)
      }
      if state.isSilent { return false }
      if mustWait(on: stream, isEvent: isEvent, &state) {
        for part in parts { state.backlog.add(part, to: stream, isEvent: isEvent) }
        return state.isEditing
      }
      for part in isEvent ? folded(shown, on: stream)[...] : parts {
        write(part, isWhole: isWhole, to: stream, &state)
      }
      return false
    }
    if isEditing { wakeUp?.signal() }
  }

  /// A line as the locale can show it; only a terminal gets data changed.
  private func inLocale(_ line: Line) -> StyledText {
    guard isASCII else { return line.text }
    let isShown = terminals.contains(line.stream)
    return line.isReceived && !isShown
      ? line.text : ASCIIText.replacing(line.text, escapesOthers: isShown)
  }

  /// Whether nothing can be written at once; before a text, waiting lines are written.
  private func mustWait(on stream: Stream, isEvent: Bool, _ state: inout State) -> Bool {
    guard let pace = state.pace else { return state.isEditing }
    guard state.pacedStreams.contains(stream) else { return false }
    if state.isEditing { return true }
    if isEvent { return !state.backlog.isEmpty || pace.room == 0 }
    writeAhead(&state)
    return false
  }

  /// Counts an event whose line would be dropped, so that the line need not be created; returns
  /// whether it was dropped.
  package func dropsEvent(to stream: Stream) -> Bool {
    state.withLock { state in
      guard state.tap == nil, !state.isSilent, state.backlog.leavesEventsOut,
        state.pacedStreams.contains(stream)
      else { return false }
      state.backlog.leaveOut(1, to: stream)
      return true
    }
  }

  /// Starts paging for the lines of a command; nil ends it.
  package func setPage(_ page: (any Page)?) {
    state.withLock { $0.page = page }
  }

  /// Prints the lines held for a pager, because the command that prints them waits for something.
  package func printPage() {
    state.withLock { $0.page }?.print()
  }

  /// Clears the screen, where standard output is a terminal that can be cleared.
  ///
  /// `ESC [ H` goes to the first row and `ESC [ 2 J` erases all of them.
  package func clearScreen() {
    state.withLock { state in
      guard !isJSON, !state.isEditing, !state.isSilent, terminals.contains(.standardOutput)
      else { return }
      write("\u{1B}[H\u{1B}[2J", to: .standardOutput, &state)
      state.isMidLine = false
    }
  }

  /// Sends every line also, or only, to a tap.
  ///
  /// The tap is called under a lock, and must not print.
  package func setTap(isSilent: Bool, _ tap: (@Sendable (StyledText) -> Void)?) {
    state.withLock { state in
      state.tap = tap
      state.isSilent = isSilent
    }
  }

  /// Whether lines go to a tap, too or only.
  package var hasTap: Bool { state.withLock { $0.tap != nil } }

  /// Whether lines wait because the terminal is in use at the moment.
  package var isEditing: Bool { state.withLock { $0.isEditing } }

  /// Shows a line below the output of the terminal, on standard error; nil takes it away.
  ///
  /// It can be called from any thread, and does nothing if standard error is not a terminal. It
  /// is cut to the width of the terminal, so that it can be erased.
  package func setStatus(_ line: StyledText?) {
    guard terminals.contains(.standardError) else { return }
    let columns = max(1, width() ?? 80)
    let shown = (isASCII ? line.map { ASCIIText.replacing($0) } : line)?.masked(by: secrets)
      .truncated(to: max(1, columns - 1), ellipsis: isASCII ? "..." : "…")
    state.withLock { state in
      let isFree =
        !state.isEditing && !state.isSilent && state.tap == nil && state.unendedStreams.isEmpty
        && !state.isMidLine
      let text = isFree ? shown?.rendered(color: standardErrorColor) : nil
      if text != nil { _ = put(takeRowStart(on: .standardError, &state), to: .standardError) }
      _ = put(
        state.status.set(
          text, width: TextWidth.columns(of: shown?.plain ?? ""), columns: columns),
        to: .standardError)
    }
  }

  /// Notes that a program has written to the terminals itself: what opsh writes next begins a row.
  package func noteProgramText() {
    state.withLock { $0.afterProgram = terminals }
  }

  private func takeRowStart(on stream: Stream, _ state: inout State) -> String {
    guard state.afterProgram.contains(stream) else { return "" }
    state.afterProgram = []
    return rowStart(on: stream)
  }

  /// Ends the line of `^C`; while a line is edited there is none.
  ///
  /// - Parameter isEchoed: Whether the terminal has echoed `^C`, as it does while a program uses it.
  package func endInterruptedLine(isEchoed: Bool = false) {
    guard isatty(streams.input) == 1, !state.withLock({ $0.isEditing }) else { return }
    write(isEchoed ? "\n" : "^C\n", to: .standardError)
  }

  /// Whether a terminal, the editor or a tap receives the text of a stream.
  ///
  /// In that case control characters are escaped and bytes become lines of text. A file or a
  /// program gets them unchanged.
  package func isShown(on stream: Stream) -> Bool {
    terminals.contains(stream) || state.withLock { $0.tap != nil || $0.isEditing }
  }

  // MARK: JSON

  /// Prints one object of the `--json` contract: type, sequence, both times, then `fields`.
  package func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields
  ) {
    object(type, at: instant, fields, through: nil)
  }

  package func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields,
    through sink: (any TextSink)?
  ) {
    // A result is received data; 'serve' prints the secret that steering takes.
    let fields = ["result", "serve"].contains(type) ? fields : fields.masked(by: secrets)
    if let sink {
      let sequence = state.withLock { state in
        defer { state.sequence += 1 }
        return state.sequence
      }
      // Not under the lock: a slow program may block the write. Only this thread writes to it.
      let time = instant ?? clock.now
      sink.write(StyledText(Self.envelope(type, sequence, at: time, clock, fields)))
      return
    }
    if type == "message", case .string(let text)? = fields.members.last?.value {
      lineHandler(StyledText(text))
    }
    guard held.keep(.object(type, at: instant ?? clock.now, fields)) else {
      return write(object: type, at: instant ?? clock.now, fields)
    }
    wakeUp?.signal()
  }

  /// Writes an object, or lets it wait for the editor.
  func write(object type: String, at instant: ContinuousClock.Instant, _ fields: JSONFields) {
    // The number is drawn and the line written under one lock, or two threads could swap lines.
    state.withLock { state in
      // The body of a finished operation may run on until the process ends.
      guard !state.hasSummary else { return }
      state.hasSummary = type == "summary"
      let text = Self.envelope(type, state.sequence, at: instant, clock, fields)
      state.sequence += 1
      state.tap?(StyledText(text))
      if state.isSilent {
        return
      } else if state.isEditing {
        // A reader of objects receives every one.
        state.backlog.add(StyledText(text), to: .standardOutput, isEvent: false)
      } else {
        write(text + "\n", to: .standardOutput, &state)
      }
    }
    if state.withLock({ $0.isEditing }) { wakeUp?.signal() }
  }

  // MARK: Waiting lines

  /// The maximum output before a text that is written now, beyond what the pace allows.
  private static let greatestAhead = 8_000

  /// Writes the lines that wait before a text: all of them, unless the limit of a flood is reached.
  private func writeAhead(_ state: inout State) {
    while !state.backlog.isEmpty, let pace = state.pace,
      pace.room(borrowing: Self.greatestAhead) > 0, let item = state.backlog.takeFirst()
    {
      write(item, &state)
    }
    state.backlog.collapse()
    writeAll(&state)
  }

  func writeAll(_ state: inout State) {
    while let item = state.backlog.takeFirst() { write(item, &state) }
  }

  /// A waiting line as it is shown.
  func lines(
    of item: LineBacklog.Item, canLookUp: Bool
  ) -> (lines: [StyledText], stream: Stream) {
    switch item {
    case .line(let line, let stream, let isEvent):
      return (isEvent ? folded(line, on: stream) : [line], stream)
    case .gap(let count, let stream):
      let hint = canLookUp ? "; 'log' shows them" : ""
      return ([note("… \(GroupedNumber.text(count)) more" + hint)], stream)
    case .leftOut(let count, let stream):
      return ([note("… \(GroupedNumber.text(count)) earlier lines were left out")], stream)
    }
  }

  func write(_ item: LineBacklog.Item, _ state: inout State) {
    // Without a later prompt, 'log' can't be typed any more.
    let (lines, stream) = self.lines(of: item, canLookUp: state.pace != nil)
    for line in lines { write(line, to: stream, &state) }
  }

  // MARK: Bytes

  private func write(_ text: String, to stream: Stream) {
    state.withLock { write(text, to: stream, &$0) }
  }

  private func write(
    _ line: StyledText, isWhole: Bool = true, to stream: Stream, _ state: inout State
  ) {
    let color = stream == .standardOutput ? standardOutputColor : standardErrorColor
    let text = line.rendered(color: color) + (isWhole ? "\n" : "")
    write(text, to: stream, &state)
    if state.pacedStreams.contains(stream) { state.pace?.note(written: text.utf8.count) }
  }

  private func write(_ text: String, to stream: Stream, _ state: inout State) {
    let isShown = terminals.contains(stream)
    if isShown {
      _ = put(state.status.hide(columns: width() ?? 80), to: .standardError)
      _ = put(takeRowStart(on: stream, &state), to: stream)
      // An event does not continue the line of a text.
      if state.isMidLine, stream == .standardError { _ = put("\n", to: stream) }
    }
    let isAfterOther = !isShown && isAfterOther(stream, &state)
    let isLate = state.unendedStreams.remove(stream) || isAfterOther
    if text.utf8.last == UInt8(ascii: "\n") {
      state.partialStreams.remove(stream)
    } else {
      state.partialStreams.insert(stream)
    }
    let whole = (isLate ? "\n" : "") + text
    switch stream {
    case .standardOutput:
      if writeError == 0 { firstWriteError.store(put(whole, to: stream), ordering: .relaxed) }
    case .standardError: _ = put(whole, to: stream)
    }
    guard isShown else { return }
    state.isMidLine = text.utf8.last != UInt8(ascii: "\n")
    guard !state.isMidLine else { return }
    _ = put(state.status.show(), to: .standardError)
  }

  private func put(_ text: String, to stream: Stream) -> Int32 {
    var text = text
    return text.withUTF8 { put(UnsafeRawBufferPointer($0), to: stream) }
  }

  /// Writes all bytes; what a run that ends discards is not an error of the stream.
  func put(_ bytes: UnsafeRawBufferPointer, to stream: Stream) -> Int32 {
    let writer = stream == .standardOutput ? outputWriter : errorWriter
    let error = bytes.isEmpty ? 0 : writer.write(bytes)
    return error == ECANCELED ? 0 : error
  }
}
