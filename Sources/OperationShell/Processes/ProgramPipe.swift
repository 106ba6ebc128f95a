import CSystem
import Foundation

/// The programs of a pipe, all running at once, each reading what the one before it prints.
///
/// They stay in opsh's own process group, so that the terminal treats both alike.
struct ProgramPipe {
  /// Where the last program prints.
  enum Destination {
    /// Through a pipe to opsh.
    case pipe
    /// To a descriptor that stays open: a file, or the terminal itself.
    case descriptor(Int32)
  }

  private struct Program {
    let name: String
    let process: pid_t
    /// Readable at its end; -1 where the system has no such thing, and after its end.
    var descriptor: Int32
    /// As a shell shows it, once it has ended.
    var status: Int32?
  }

  private var programs: [Program] = []
  /// Where the first one's input is written; non-blocking, -1 when it is closed.
  private(set) var input: Int32 = -1
  /// What the last one prints; non-blocking, -1 where that goes to a file, or has been closed.
  private(set) var output: Int32 = -1

  /// Starts all of them.
  ///
  /// - Parameters:
  ///   - commands: Each one's name and arguments.
  ///   - environment: Their environment.
  ///   - destination: What the last one writes to.
  /// - Throws: Why one can't be started; those before it have been ended.
  init(
    _ commands: [[String]], environment: [String: String], to destination: Destination
  ) throws(ChildStart.Failure) {
    do throws(ChildStart.Failure) {
      let first = try ChildStart.openPipe(for: commands.first ?? [])
      input = first.writer
      output = first.reader
      for (index, words) in commands.enumerated() {
        try add(
          words, environment: environment,
          to: index == commands.count - 1 ? destination : .pipe)
      }
    } catch {
      end()
      throw error
    }
    for descriptor in [input, output] where descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
  }

  /// Starts one that reads what the last one prints.
  private mutating func add(
    _ words: [String], environment: [String: String], to destination: Destination
  ) throws(ChildStart.Failure) {
    var next: (reader: Int32, writer: Int32) = (-1, -1)
    let target: Int32
    switch destination {
    case .pipe:
      next = try ChildStart.openPipe(for: words)
      target = next.writer
    case .descriptor(let descriptor): target = descriptor
    }
    do throws(ChildStart.Failure) {
      let process = try ChildStart.start(
        words, environment: environment, .init(input: output, output: target),
        inOwnGroup: false)
      programs.append(
        Program(name: words.first ?? "", process: process, descriptor: opsh_pidfd(process)))
    } catch {
      for descriptor in [next.reader, next.writer] where descriptor >= 0 { close(descriptor) }
      throw error
    }
    if next.writer >= 0 { close(next.writer) }
    closeOutput()
    output = next.reader
  }

  /// What is readable when one of them has ended, -1 where the system can't tell of one.
  var ends: [Int32] { programs.filter { $0.status == nil }.map(\.descriptor) }

  /// What the first one that failed is blamed for.
  ///
  /// One that nobody listens to any more has done its part; every other one counts, so that a
  /// failure in the middle is none that a friendly `cat` behind it hides.
  var failure: RedirectionError? {
    let failed = programs.first { ![0, 128 + SIGPIPE].contains($0.status ?? 0) }
    return failed.map { .status($0.name, $0.status ?? 0) }
  }

  /// Ends what the first one reads.
  mutating func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  mutating func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  /// Takes note of those that have ended.
  ///
  /// - Returns: Whether all have.
  mutating func noteEnded() -> Bool {
    for index in programs.indices where programs[index].status == nil {
      var status: Int32 = 0
      let process = programs[index].process
      let found = waitpid(process, &status, WNOHANG)
      guard found == process || (found < 0 && errno != EINTR) else { continue }
      let signal = opsh_exit_signal(status)
      programs[index].status = signal == 0 ? opsh_exit_status(status) : 128 + signal
      forget(index)
    }
    return programs.allSatisfy { $0.status != nil }
  }

  /// Whether one that runs does something of its own at Ctrl-C, as `less` does; where the system does
  /// not tell, none does.
  var catchesInterrupt: Bool {
    programs.contains { program in
      guard program.status == nil,
        let text = try? String(
          contentsOfFile: "/proc/\(program.process)/status", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
        let mask = UInt64(line.dropFirst(7).filter(\.isHexDigit), radix: 16)
      else { return false }
      return mask & 1 << UInt64(SIGINT - 1) != 0
    }
  }

  /// Whether Ctrl-C has ended one of them.
  var wasInterrupted: Bool { programs.contains { $0.status == 128 + SIGINT } }

  /// Ends those that still run, and closes everything.
  mutating func end() {
    closeInput()
    closeOutput()
    let left = programs.indices.filter { programs[$0].status == nil }
    if !left.isEmpty { ChildProgram.end(left.map { programs[$0].process }) }
    for index in left {
      programs[index].status = 128 + SIGTERM
      forget(index)
    }
  }

  private mutating func forget(_ index: Int) {
    if programs[index].descriptor >= 0 { close(programs[index].descriptor) }
    programs[index].descriptor = -1
  }
}
