import COpshSystem
import Foundation
import OpshLocking

/// The whole screen of a terminal, for as long as a program draws on it.
///
/// It uses the terminal's alternate screen, so that leaving shows what was there before. Keys arrive
/// at once and are not echoed; Ctrl-C and Ctrl-Z are signals as usual. Nothing in it waits for a slow
/// terminal, except for leaving, which waits two seconds at most.
///
/// The sequences it sends, apart from those of its frames:
///
/// | sequence | effect |
/// |---|---|
/// | `ESC [ ? 1049 h`, `ESC [ ? 1049 l` | to the alternate screen; back |
/// | `ESC [ ? 25 l`, `ESC [ ? 25 h` | no cursor; cursor |
/// | `ESC [ ? 7 l`, `ESC [ ? 7 h` | no automatic margins; automatic margins |
/// | `ESC [ ? 2004 h`, `ESC [ ? 2004 l` | marks around pasted text; none |
public final class FullScreen: Sendable {
  private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
  private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  /// How long leaving waits for the terminal.
  private static let patience = Duration.seconds(2)
  /// More than the greatest debt of a pace: what follows a key is shown at once.
  private static let borrowed = 8_100

  private struct State {
    var painter: ScreenPainter
    var pending: [UInt8] = []
    var isEntered = false
    var savedRescue = false
    var modes = termios()
  }

  private let input: Int32
  private let output: Int32
  private let usesColor: Bool
  private let keys: TerminalInput
  /// The terminal on a descriptor of its own that never blocks.
  private let writer: Int32
  private let pace: TerminalPace
  private let state: Locked<State>

  /// Prepares a terminal; nil if its descriptors are not one.
  ///
  /// - Parameters:
  ///   - input: The descriptor that is read.
  ///   - output: The descriptor that is written.
  ///   - usesColor: Whether styles are shown.
  public init?(input: Int32, output: Int32, usesColor: Bool) {
    guard isatty(output) == 1, let keys = TerminalInput(of: input) else { return nil }
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard ttyname_r(output, &name, name.count) == 0 else { return nil }
    writer = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard writer >= 0 else { return nil }
    self.input = input
    self.output = output
    self.usesColor = usesColor
    self.keys = keys
    pace = TerminalPace(descriptor: writer)
    state = Locked(State(painter: ScreenPainter(columns: 80, rows: 24)))
  }

  deinit { if writer >= 0 { close(writer) } }

  /// Polls as readable if a key was pressed.
  public var inputDescriptor: Int32 { keys.fileDescriptor }

  /// Whether the terminal has not taken the last frame yet.
  public var hasPendingOutput: Bool { state.withLock { !$0.pending.isEmpty } }

  /// The size of the window at this moment.
  public var size: (columns: Int, rows: Int) {
    TerminalCapabilities.windowSize(of: output) ?? (80, 24)
  }

  /// Shows the empty alternate screen.
  public func enter() {
    state.withLock { state in
      guard !state.isEntered else { return }
      tcgetattr(input, &state.modes)
      state.savedRescue = TerminalRescue.beginFullScreen(input: input, output: output)
      begin(&state)
    }
  }

  private func begin(_ state: inout State) {
    state.isEntered = true
    var raw = state.modes
    cfmakeraw(&raw)
    raw.c_lflag |= tcflag_t(ISIG)
    raw.c_oflag = state.modes.c_oflag
    _ = tcsetattr(input, TCSANOW, &raw)
    state.painter.forget()
    state.pending += Array(Self.entering.utf8)
    send(&state)
  }

  /// Shows what was there before, and restores the terminal's mode.
  public func leave() {
    state.withLock { state in
      guard state.isEntered else { return }
      state.isEntered = false
      // A frame that was sent in part may end inside a sequence.
      state.pending += Array(Self.leaving.utf8)
      let deadline = ContinuousClock.now + Self.patience
      while !state.pending.isEmpty, ContinuousClock.now < deadline {
        var entry = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        _ = opsh_poll(&entry, 1, 50_000_000)
        if entry.revents & Int16(POLLERR | POLLHUP) != 0 { break }
        send(&state)
      }
      state.pending = []
      _ = tcsetattr(input, TCSANOW, &state.modes)
      TerminalRescue.endFullScreen(saved: state.savedRescue)
    }
  }

  /// Shows the screen again after the process was stopped and continued: others may have used the
  /// terminal.
  public func resume() {
    let isEntered = state.withLock { state in
      // The mode at this moment may be that of this screen.
      if state.isEntered { begin(&state) }
      return state.isEntered
    }
    if !isEntered { enter() }
  }

  /// Whether the terminal has taken the frames so far, so that another may be drawn.
  ///
  /// - Parameter isUrgent: Whether a key was pressed, so that the frame may use some of the next
  ///   one's room.
  /// - Returns: Whether a frame is due.
  public func isReady(isUrgent: Bool) -> Bool {
    flush()
    return !hasPendingOutput && pace.room(borrowing: isUrgent ? Self.borrowed : 0) > 0
  }

  /// Draws lines, unless the terminal is still busy with earlier ones.
  ///
  /// - Parameters:
  ///   - lines: The rows from the top.
  ///   - size: The size of the window that they were made for.
  public func draw(_ lines: [StyledText], size: (columns: Int, rows: Int)) {
    state.withLock { state in
      send(&state)
      guard state.isEntered, state.pending.isEmpty else { return }
      if (size.columns, size.rows) != (state.painter.columns, state.painter.rows) {
        state.painter.resize(columns: size.columns, rows: size.rows)
      }
      let lines = usesColor ? lines : lines.map { StyledText($0.plain) }
      state.pending = Array(state.painter.frame(lines).utf8)
      pace.note(written: state.pending.count)
      send(&state)
    }
  }

  /// Sends what the terminal has not taken yet, as far as it takes it now.
  public func flush() { state.withLock { send(&$0) } }

  /// Reads what was typed.
  ///
  /// - Returns: The bytes, empty if there are none; nil if the terminal has disconnected.
  public func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(keys.fileDescriptor, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && [EINTR, EAGAIN].contains(opsh_errno()) ? [] : nil
  }

  private func send(_ state: inout State) {
    while !state.pending.isEmpty {
      let count = state.pending.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
      if count > 0 {
        state.pending.removeFirst(count)
      } else if count < 0, opsh_errno() == EINTR {
        continue
      } else {
        // Disconnected, which the next read notices; or full.
        if opsh_errno() != EAGAIN { state.pending = [] }
        return
      }
    }
  }
}
