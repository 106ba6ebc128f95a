import COpshSystem
public import Foundation

/// A terminal without a window: a program runs in it, and a test types and reads the screen.
///
/// A single thread uses it. The output of the program is read whenever the test waits or types; in
/// between the program may have to wait for its reader, as with a slow terminal.
public final class PseudoTerminal {
  /// The content of the screen.
  public private(set) var screen: ScreenModel
  /// All bytes that have been written to the terminal.
  public private(set) var output: Data = Data()
  /// The most bytes to read at a time, and the pause after each read; nil for no limit.
  public var slowness: (bytes: Int, pause: Duration)?
  /// The id of the process started in it, or 0.
  public private(set) var processIdentifier: Int32 = 0
  /// The path of the terminal side, which programs open.
  public let path: String

  private let master: Int32
  private var outcome: (status: Int32, signal: Int32)?

  /// Creates a terminal.
  public init(columns: Int = 80, rows: Int = 24, joinsClusters: Bool = true) throws {
    master = opsh_open_pseudo_terminal()
    guard master >= 0 else { throw TestSupportError.system("make a pseudo terminal") }
    var name = [CChar](repeating: 0, count: 128)
    guard ptsname_r(master, &name, name.count) == 0 else {
      close(master)
      throw TestSupportError.system("name a pseudo terminal")
    }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    screen = ScreenModel(columns: columns, rows: rows, joinsClusters: joinsClusters)
    _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)
    opsh_set_window_size(master, UInt16(columns), UInt16(rows))
  }

  deinit {
    terminate()
    close(master)
  }

  /// Opens the terminal side, for a test that acts as the program.
  ///
  /// - Returns: A descriptor that the caller closes.
  /// - Throws: ``TestSupportError`` if that fails.
  public func openProgramSide() throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestSupportError.system("open \(path)") }
    return descriptor
  }

  /// Starts a program with this as its controlling terminal.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: The complete environment; nil for that of this process with `TERM=xterm`.
  ///   - directory: Its working directory; nil for that of this process.
  /// - Throws: ``TestSupportError`` if it cannot be started.
  public func start(
    _ program: String, arguments: [String] = [], environment: [String: String]? = nil,
    directory: String? = nil
  ) throws {
    var variables = environment ?? ProcessInfo.processInfo.environment
    if environment == nil { variables["TERM"] = "xterm" }
    // The leader of a new session gets the first terminal that it opens.
    processIdentifier = try Spawn.start(
      program, arguments: arguments, environment: variables, directory: directory,
      actions: [.open(path, as: 0), .duplicate(0, to: 1), .duplicate(0, to: 2)],
      newSession: true)
  }

  /// Types text.
  public func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Types bytes, and meanwhile reads the output of the program.
  ///
  /// - Parameter bytes: The bytes; typing stops after 30 s without progress.
  public func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    var deadline = ContinuousClock.now + .seconds(30)
    while !rest.isEmpty, ContinuousClock.now < deadline {
      var entry = pollfd(fd: master, events: Int16(POLLIN | POLLOUT), revents: 0)
      guard opsh_poll(&entry, 1, 100_000_000) > 0 else { continue }
      if entry.revents & Int16(POLLIN) != 0 { readSome() }
      guard entry.revents & Int16(POLLOUT) != 0 else { continue }
      // Small pieces: the line discipline drops bytes that do not fit into its buffer.
      let count = rest.prefix(512).withUnsafeBytes {
        Glibc.write(master, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
        deadline = ContinuousClock.now + .seconds(30)
      }
    }
  }

  /// Reads until the screen satisfies a condition.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait.
  ///   - condition: The condition on the screen.
  /// - Returns: Whether the condition held.
  public func wait(
    timeout: Duration = .seconds(60), until condition: (ScreenModel) -> Bool
  ) -> Bool {
    let deadline = ContinuousClock.now + timeout
    while true {
      if condition(screen) { return true }
      guard ContinuousClock.now < deadline else { return false }
      pump(for: .milliseconds(20))
    }
  }

  /// Reads until a text is on the screen or in the scrollback.
  ///
  /// - Parameters:
  ///   - text: The text, within one row.
  ///   - timeout: The longest time to wait.
  /// - Returns: Whether it appeared.
  public func wait(for text: String, timeout: Duration = .seconds(60)) -> Bool {
    wait(timeout: timeout) { $0.logicalLines.contains { $0.contains(text) } }
  }

  /// Reads output for a time; returns early after any output.
  public func pump(for time: Duration) {
    var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    let (seconds, attoseconds) = time.components
    let limit = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    if opsh_poll(&entry, 1, limit) > 0 {
      if entry.revents & Int16(POLLIN) != 0 { readSome() } else { usleep(1_000) }
    }
  }

  /// Reads output for a time, whatever comes.
  public func wait(_ time: Duration) {
    _ = wait(timeout: time) { _ in false }
  }

  /// Changes the size of the window.
  ///
  /// The screen is resized before the program is notified, as by a terminal.
  public func resize(columns: Int, rows: Int) {
    while readSome() {}
    screen.resize(columns: columns, rows: rows)
    opsh_set_window_size(master, UInt16(columns), UInt16(rows))
  }

  /// Sends the program a signal.
  public func send(signal number: Int32) {
    if processIdentifier > 0, outcome == nil { kill(processIdentifier, number) }
  }

  /// Waits for the end of the program, and reads its output.
  ///
  /// - Parameter timeout: The longest time to wait.
  /// - Returns: Its exit status, or -1, and the signal that ended it, or 0; nil if it is still
  ///   running.
  public func waitForExit(timeout: Duration = .seconds(60)) -> (status: Int32, signal: Int32)? {
    let deadline = ContinuousClock.now + timeout
    while outcome == nil, processIdentifier > 0 {
      var status: Int32 = 0
      if waitpid(processIdentifier, &status, WNOHANG) == processIdentifier {
        outcome = (opsh_exit_status(status), opsh_exit_signal(status))
        while readSome() {}
      } else {
        guard ContinuousClock.now < deadline else { return nil }
        pump(for: .milliseconds(10))
      }
    }
    return outcome
  }

  /// Kills the program if it is still running.
  public func terminate() {
    guard processIdentifier > 0, outcome == nil else { return }
    kill(processIdentifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(processIdentifier, &status, 0) < 0, opsh_errno() == EINTR {}
    outcome = (opsh_exit_status(status), opsh_exit_signal(status))
  }

  @discardableResult
  private func readSome() -> Bool {
    var chunk = [UInt8](repeating: 0, count: slowness?.bytes ?? 65536)
    let count = read(master, &chunk, chunk.count)
    guard count > 0 else { return false }
    output.append(contentsOf: chunk[..<count])
    screen.feed(chunk[..<count])
    if let pause = slowness?.pause {
      usleep(UInt32(pause.components.attoseconds / 1_000_000_000_000))
    }
    return true
  }
}

@available(*, unavailable)
extension PseudoTerminal: Sendable {}
