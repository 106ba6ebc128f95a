import COpshSystem
import Foundation
package import ShellLanguage

/// The programs of a pipe, all running at once, each reading the output of the one before it.
///
/// They stay in opsh's own process group, so that the terminal treats them like opsh.
package struct ProgramPipe {
  /// The output of the last program.
  package enum Destination {
    /// Through a pipe to opsh.
    case pipe
    /// To a descriptor that stays open: a file, or the terminal itself.
    case descriptor(Int32)
  }

  private struct Program {
    let name: String
    let process: Int32
    /// Readable at its end; -1 if the system does not support that, and after its end.
    var descriptor: Int32
    /// As a shell reports it, after it has ended.
    var status: Int32?
  }

  private var programs: [Program] = []
  /// The input of the first program; non-blocking, -1 after it is closed.
  package private(set) var input: Int32 = -1
  /// The output of the last program; non-blocking, -1 if it goes to a file, or is closed.
  package private(set) var output: Int32 = -1

  /// Starts all programs.
  package init(
    _ commands: [[String]], in place: ProgramPlace, to destination: Destination
  ) throws(UnplacedError) {
    do throws(UnplacedError) {
      let first = try ChildStart.openPipe(for: commands.first ?? [])
      input = first.writer
      output = first.reader
      for (index, words) in commands.enumerated() {
        try add(
          words, in: place,
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

  /// Starts a program that reads the output of the last one.
  private mutating func add(
    _ words: [String], in place: ProgramPlace, to destination: Destination
  ) throws(UnplacedError) {
    var next: (reader: Int32, writer: Int32) = (-1, -1)
    let target: Int32
    switch destination {
    case .pipe:
      next = try ChildStart.openPipe(for: words)
      target = next.writer
    case .descriptor(let descriptor): target = descriptor
    }
    do throws(UnplacedError) {
      let process = try ChildStart.start(
        words, in: place, .init(input: output, output: target),
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

  /// Descriptors that become readable when a program ends, -1 if the system does not support that.
  package var ends: [Int32] { programs.filter { $0.status == nil }.map(\.descriptor) }

  /// The error of the first program that failed.
  ///
  /// A program that ended because its output is not read any more has not failed. All others count,
  /// so that a `cat` after a failed program does not hide the failure.
  package var failure: UnplacedError? {
    let failed = programs.first { ![0, 128 + SIGPIPE].contains($0.status ?? 0) }
    return failed.map { .status($0.name, $0.status ?? 0) }
  }

  /// Closes the input of the first program.
  package mutating func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  package mutating func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  /// Checks which programs have ended; returns whether all have.
  package mutating func noteEnded() -> Bool {
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

  /// Whether a running program handles Ctrl-C itself, as `less` does; false if the system does not
  /// report it.
  package var catchesInterrupt: Bool {
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
  package var wasInterrupted: Bool { programs.contains { $0.status == 128 + SIGINT } }

  /// Kills programs that are still running, and closes all descriptors.
  package mutating func end() {
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
