import Foundation
import TestSupport
import Testing

/// A named pipe that the test alone reads, when it wants to.
final class HeldPipe {
  /// The path of the pipe.
  let path: String
  private let folder: TemporaryFolder
  private let reader: Int32
  private var writer: Int32

  /// Creates an empty pipe.
  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    #expect(reader >= 0 && writer >= 0)
  }

  deinit {
    close(reader)
    if writer >= 0 { close(writer) }
  }

  /// Starts a command of the system shell, in which `"$OPSH"` is the binary.
  ///
  /// - Parameters:
  ///   - command: The command; `PIPE` in it is the path of the pipe.
  ///   - isOutput: Whether its standard output is the pipe.
  /// - Returns: The process of opsh.
  /// - Throws: The error of the start.
  func start(_ command: String, isOutput: Bool = true) throws -> RunningChild {
    let command = command.replacing("PIPE", with: "'\(path)'")
      .replacing("\"$OPSH\"", with: "exec \"$OPSH\"")
    return try RunningChild(
      "/bin/bash", arguments: ["-c", isOutput ? "{ \(command); } > '\(path)'" : command],
      environment: Opsh.environment(["OPSH": try BuiltProducts.executable("opsh")]))
  }

  /// Fills the pipe.
  func fill() {
    let line = Array((String(repeating: "-", count: Int(PIPE_BUF) - 1) + "\n").utf8)
    while write(writer, line, line.count) > 0 {}
    #expect(isFull)
  }

  private var isFull: Bool {
    var entry = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 0
  }

  /// Waits until programs have filled the pipe.
  func waitUntilFull() -> Bool { eventually { self.isFull } }

  /// Reads a little at a time until no program has the pipe open any more.
  ///
  /// - Parameter pause: In microseconds, after each 512 bytes.
  /// - Returns: What was read.
  func readAll(pause: useconds_t = 0) -> String {
    close(writer)
    writer = -1
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 512)
    while true {
      let count = read(reader, &bytes, bytes.count)
      if count == 0 { return String(decoding: all, as: UTF8.self) }
      if count > 0 { all += bytes[..<count] }
      usleep(count > 0 ? pause : 1000)
    }
  }
}
