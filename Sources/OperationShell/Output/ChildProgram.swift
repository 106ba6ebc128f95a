import CSystem
import Foundation

/// Runs a program with given input and collects what it prints.
enum ChildProgram {
  struct Result {
    var status: Int32
    var output: [UInt8]
  }

  /// Runs the program in opsh's own process group, so that the terminal treats both alike; its
  /// signal mask is the usual one, not opsh's, in which the signals are blocked.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - input: What it reads.
  ///   - environment: Its environment.
  ///   - checkEnd: Asked again and again while the program runs; throws where it is to end.
  /// - Returns: Its status, as a shell shows it, and its standard output.
  /// - Throws: `RedirectionError` where it can't be started, and what `checkEnd` throws, after the
  ///   program was ended.
  static func run(
    _ words: [String], input: [UInt8], environment: [String: String], checkEnd: () throws -> Void
  ) throws -> Result {
    let program = words.first ?? ""
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard pipe2(&toChild, O_CLOEXEC) == 0 else { throw RedirectionError.file(program, errno) }
    guard pipe2(&fromChild, O_CLOEXEC) == 0 else {
      let error = errno
      toChild.forEach { close($0) }
      throw RedirectionError.file(program, error)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var child = pid_t()
    let error = posix_spawnp(&child, program, &actions, &attributes, &arguments, &variables)
    close(toChild[0])
    close(fromChild[1])
    guard error == 0 else {
      close(toChild[1])
      close(fromChild[0])
      throw RedirectionError.file(program, error)
    }
    do {
      let output = try exchange(input, to: toChild[1], from: fromChild[0], checkEnd)
      let status = try wait(for: child, checkEnd)
      let signal = status & 0x7F
      return Result(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    } catch {
      end(child)
      throw error
    }
  }

  /// Ends a program: politely, and a moment later for good.
  private static func end(_ child: pid_t) {
    kill(child, SIGTERM)
    var status: Int32 = 0
    for _ in 0..<10 {
      if waitpid(child, &status, WNOHANG) == child { return }
      _ = poll(nil, 0, patience)
    }
    kill(child, SIGKILL)
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  /// How long the session may not be looked after, in milliseconds.
  private static let patience: Int32 = 20

  /// Waits for the end of a program, which may go on after it has closed its output.
  private static func wait(for child: pid_t, _ checkEnd: () throws -> Void) throws -> Int32 {
    var status: Int32 = 0
    var pause: Int32 = 0
    while true {
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child || (ended < 0 && errno != EINTR) { return status }
      // Most end right after their output does.
      _ = poll(nil, 0, pause)
      pause = min(pause + 1, patience)
      try checkEnd()
    }
  }

  /// Writes and reads in turn as either side is ready, so that neither pipe can fill up and stall
  /// both processes.
  ///
  /// Closes both ends.
  private static func exchange(
    _ input: [UInt8], to writer: Int32, from reader: Int32, _ checkEnd: () throws -> Void
  ) throws -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var offset = 0
    var isWriting = true
    defer {
      if isWriting { close(writer) }
      close(reader)
    }
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    while true {
      if isWriting, offset == input.count {
        close(writer)
        isWriting = false
      }
      var entries = [
        pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isWriting ? writer : -1, events: Int16(POLLOUT), revents: 0),
      ]
      let ready = poll(&entries, 2, patience)
      guard ready >= 0 || errno == EINTR else { break }
      try checkEnd()
      guard ready > 0 else { continue }
      if entries[1].revents != 0 {
        let count = input[offset...].withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        if count > 0 {
          offset += count
        } else if errno != EAGAIN, errno != EINTR {
          // The program reads no further, as `head` does; that is its right.
          offset = input.count
        }
      }
      if entries[0].revents != 0 {
        let count = read(reader, &buffer, buffer.count)
        if count > 0 {
          output += buffer[..<count]
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
          break
        }
      }
    }
    return output
  }
}
