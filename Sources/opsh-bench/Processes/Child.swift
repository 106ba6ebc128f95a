import Foundation
import OpshSupport

/// Starts programs and waits for them.
enum Child {
  /// Why a program gave no figures.
  enum Failure: Error, CustomStringConvertible {
    case notStarted(String, errno: Int32)
    case timedOut
    case signal(Int32)
    case status(Int32)

    var description: String {
      switch self {
      case .notStarted(let path, let errno): "\(path): \(String(cString: strerror(errno)))"
      case .timedOut: "did not end in time"
      case .signal(let number): "was ended by signal \(number)"
      case .status(let status): "ended with status \(status)"
      }
    }
  }

  /// Runs a program that reads and writes nothing; returns the seconds from just before it was
  /// started to its end.
  static func time(_ path: String, _ arguments: [String]) throws -> Double {
    let start = ContinuousClock.now
    let status = wait(for: try self.start(path, arguments))
    let seconds = start.duration(to: .now).seconds
    try check(status)
    return seconds
  }

  /// Starts a program that reads and writes nothing, and goes on.
  ///
  /// - Returns: The process ID; the caller must wait for the end of the process.
  static func start(_ path: String, _ arguments: [String]) throws -> pid_t {
    let actions = FileActions()
    actions.open(STDIN_FILENO, "/dev/null", O_RDONLY)
    actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY)
    return try spawn(path, arguments, actions)
  }

  /// Runs a program and returns what it wrote to standard output.
  static func output(
    of path: String, _ arguments: [String], timeout: Duration
  ) throws -> String {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure.notStarted("pipe", errno: errno) }
    defer { close(ends[0]) }
    let actions = FileActions()
    actions.open(STDIN_FILENO, "/dev/null", O_RDONLY)
    actions.use(ends[1], as: STDOUT_FILENO)
    actions.close(ends[0])
    actions.close(ends[1])
    let process: pid_t
    do {
      defer { close(ends[1]) }
      process = try spawn(path, arguments, actions)
    }
    // The pipe ends when the program does, so that one wait serves both.
    let bytes = readToEnd(of: ends[0], deadline: .now + timeout)
    if bytes == nil { kill(process, SIGKILL) }
    let status = wait(for: process)
    guard let bytes else { throw Failure.timedOut }
    try check(status)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs this program with arguments for which it prints a line per figure, and returns the
  /// figures by name.
  static func figures(_ arguments: [String], timeout: Duration) throws -> [String: Double] {
    let output = try output(of: "/proc/self/exe", arguments, timeout: timeout)
    var figures: [String: Double] = [:]
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count == 2, let value = Double(parts[1]) { figures[String(parts[0])] = value }
    }
    return figures
  }

  /// Reads until the other side closes; nil if that takes too long.
  private static func readToEnd(
    of descriptor: Int32, deadline: ContinuousClock.Instant
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = ContinuousClock.now.duration(to: deadline).seconds
      guard left > 0 else { return nil }
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, Int32(left * 1000) + 1) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 || errno != EINTR {
        return bytes
      }
    }
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ actions: FileActions
  ) throws -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process: pid_t = 0
    let failure = actions.withActions { posix_spawn(&process, path, $0, nil, words, environ) }
    guard failure == 0 else { throw Failure.notStarted(path, errno: failure) }
    return process
  }

  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func check(_ status: Int32) throws {
    let signal = status & 0x7f
    if signal != 0 { throw Failure.signal(signal) }
    let code = (status >> 8) & 0xff
    if code != 0 { throw Failure.status(code) }
  }
}
