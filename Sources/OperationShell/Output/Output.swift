import CSystem
import Foundation
import Locking
import Networking
import Terminal

/// Where everything that opsh prints goes through, from whichever thread it comes.
///
/// Three things are decided here and nowhere else: text or JSON, which stream, and whether the
/// terminal belongs to the line editor at the moment. While a line is being typed nothing is
/// written; lines wait in a backlog until the editor shows them above the line.
final class Output: Sendable {
  enum Stream: Sendable { case standardOutput, standardError }

  enum Format: Sendable { case text, json }

  /// How many lines may wait for the editor before further events are only counted.
  ///
  /// A burst of this size is shown over ten frames, a third of a second; of a flood nobody could
  /// read more, and the log has all of it. What is no event is never dropped.
  static let backlogCapacity = 200

  private struct State {
    var sequence: Int64 = 1
    var isEditing = false
    var backlog: [StyledText] = []
    var dropped = 0
    /// Gets every line besides, in the order in which they are printed.
    var tap: (@Sendable (StyledText) -> Void)?
    /// Whether the tap alone gets them.
    var isSilent = false
    /// The first error of a write to standard output, 0 while there was none.
    var writeError: Int32 = 0
  }

  let format: Format
  let clock: SessionClock
  let standardOutputColor: Bool
  let standardErrorColor: Bool
  /// Width for tables: the terminal's, or nil where the output is no terminal.
  let width: @Sendable () -> Int?
  let isASCII: Bool
  private let wakeUp: WakeUp?
  private let state = Locked(State())

  init(
    format: Format, clock: SessionClock, standardOutputColor: Bool, standardErrorColor: Bool,
    isASCII: Bool, wakeUp: WakeUp?, width: @escaping @Sendable () -> Int?
  ) {
    self.format = format
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
  func line(
    _ line: StyledText, to stream: Stream = .standardOutput, isEvent: Bool = false,
    isWhole: Bool = true
  ) {
    let shown = isASCII ? ASCIIText.replacing(line) : line
    let (isEditing, isSilent) = state.withLock { state in
      state.tap?(shown)
      if state.isEditing, !state.isSilent { Self.postpone(shown, isEvent: isEvent, &state) }
      return (state.isEditing, state.isSilent)
    }
    guard !isSilent else { return }
    guard !isEditing else {
      wakeUp?.signal()
      return
    }
    let color = stream == .standardOutput ? standardOutputColor : standardErrorColor
    write(shown.rendered(color: color) + (isWhole ? "\n" : ""), to: stream)
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

  // MARK: JSON

  /// Prints one object of the `--json` contract: type, sequence, both times, then `fields`.
  func object(_ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields) {
    object(type, at: instant, fields, through: nil)
  }

  func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields,
    through sink: (any TextSink)?
  ) {
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
        Self.postpone(StyledText(text), isEvent: type == "transition", &state)
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

  private static func postpone(_ line: StyledText, isEvent: Bool, _ state: inout State) {
    if isEvent, state.backlog.count >= backlogCapacity {
      state.dropped += 1
    } else {
      state.backlog.append(line)
    }
  }

  /// Lines wait for the editor from now on.
  func beginEditing() {
    state.withLock { $0.isEditing = true }
  }

  /// The terminal is free again: what still waits is written.
  func endEditing() {
    let rest = state.withLock { state in
      state.isEditing = false
      if state.dropped > 0 { state.backlog.append("… \(state.dropped) more events") }
      defer {
        state.backlog = []
        state.dropped = 0
      }
      return state.backlog
    }
    guard !rest.isEmpty else { return }
    write(
      rest.map { $0.rendered(color: standardOutputColor) + "\n" }.joined(), to: .standardOutput)
  }

  /// Takes at most `limit` waiting lines; the others wait for the next frame.
  ///
  /// - Parameter limit: How many lines a frame may have.
  /// - Returns: The lines, how many events were dropped because too many came, and whether more
  ///   lines wait.
  func takePending(limit: Int) -> (lines: [StyledText], omitted: Int, hasMore: Bool) {
    state.withLock { state in
      let taken = state.backlog.prefix(limit)
      state.backlog.removeFirst(taken.count)
      guard state.backlog.isEmpty else { return (Array(taken), 0, true) }
      defer { state.dropped = 0 }
      return (Array(taken), state.dropped, false)
    }
  }

  // MARK: Bytes

  private func write(_ text: String, to stream: Stream) {
    state.withLock { state in
      switch stream {
      case .standardOutput: Self.writeToStandardOutput(text, &state)
      case .standardError: _ = Self.writeFully(text, to: STDERR_FILENO)
      }
    }
  }

  private static func writeToStandardOutput(_ text: String, _ state: inout State) {
    guard state.writeError == 0 else { return }
    state.writeError = writeFully(text, to: STDOUT_FILENO)
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
