import Foundation

/// Runs a program with given input and collects what it prints.
enum ChildProgram {
  struct Result {
    var status: Int32
    var output: [UInt8]
  }

  /// Runs the program in opsh's own process group, so that the terminal treats both alike.
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
    let child: pid_t
    let toChild: (reader: Int32, writer: Int32)
    let fromChild: (reader: Int32, writer: Int32)
    do throws(ChildStart.Failure) {
      toChild = try ChildStart.openPipe(for: words)
      do throws(ChildStart.Failure) {
        fromChild = try ChildStart.openPipe(for: words)
      } catch {
        close(toChild.reader)
        close(toChild.writer)
        throw error
      }
      defer {
        close(toChild.reader)
        close(fromChild.writer)
      }
      do throws(ChildStart.Failure) {
        child = try ChildStart.start(
          words, environment: environment,
          .init(input: toChild.reader, output: fromChild.writer), inOwnGroup: false)
      } catch {
        close(toChild.writer)
        close(fromChild.reader)
        throw error
      }
    } catch {
      throw RedirectionError.file(error.program, error.number)
    }
    do {
      let output = try exchange(input, to: toChild.writer, from: fromChild.reader, checkEnd)
      let status = try wait(for: child, checkEnd)
      let signal = status & 0x7F
      return Result(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    } catch {
      end(child)
      throw error
    }
  }

  /// Ends a program and those that it has started: politely, and a moment later for good.
  static func end(_ child: pid_t) {
    let others = descendants(of: child)
    for process in [child] + others {
      kill(process, SIGTERM)
      kill(process, SIGCONT)
    }
    var status: Int32 = 0
    var hasEnded = false
    for _ in 0..<10 where !hasEnded {
      hasEnded = waitpid(child, &status, WNOHANG) == child
      if !hasEnded { _ = poll(nil, 0, patience) }
    }
    // A shell that has ended leaves behind what did not heed the signal.
    for process in others { kill(process, SIGKILL) }
    guard !hasEnded else { return }
    kill(child, SIGKILL)
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  /// The processes below one, where the system tells.
  ///
  /// A group would not do: a program that a script runs stays in opsh's own.
  private static func descendants(of process: pid_t) -> [pid_t] {
    var found: [pid_t] = []
    var next = [process]
    while let parent = next.popLast(), found.count < 10_000 {
      let path = "/proc/\(parent)/task/\(parent)/children"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      let children = text.split(separator: " ").compactMap { pid_t($0) }
      found += children
      next += children
    }
    return found
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
