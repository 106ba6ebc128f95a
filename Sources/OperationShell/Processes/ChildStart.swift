import CSystem
import Foundation
import Operations

/// Starts programs.
enum ChildStart {
  /// Why a program could not be started.
  struct Failure: CodedError {
    let program: String
    let number: Int32

    var code: String { "file(\(number))" }

    var message: String {
      "'\(program)' could not be started: \(String(cString: strerror(number)))"
    }
  }

  /// A program that runs in a group of its own.
  struct Child {
    let process: pid_t
    /// What it writes to standard output and standard error; non-blocking.
    let output: Int32
    let errors: Int32
  }

  /// What a program reads and writes.
  struct Streams {
    /// Nil for nothing.
    var input: Int32?
    var output: Int32
    /// Nil for opsh's own standard error.
    var errors: Int32?
    /// Whether its process group gets the terminal that is its standard input.
    var takesTerminal = false
  }

  /// Starts a program in a process group of its own, with pipes for what it prints.
  ///
  /// - Parameters:
  ///   - words: The program, looked for in the path where it has no slash, and its arguments.
  ///   - environment: Its environment.
  /// - Returns: The running child; whoever gets it closes the descriptors and reaps the process.
  /// - Throws: `Failure` with the system's number.
  static func spawn(
    _ words: [String], environment: [String: String]
  ) throws(Failure) -> Child {
    let output = try openPipe(for: words)
    let errors: (reader: Int32, writer: Int32)
    do throws(Failure) {
      errors = try openPipe(for: words)
    } catch {
      close(output.reader)
      close(output.writer)
      throw error
    }
    defer {
      close(output.writer)
      close(errors.writer)
    }
    do throws(Failure) {
      // Input belongs to the shell; a program that asks for some gets none.
      let process = try start(
        words, environment: environment,
        Streams(output: output.writer, errors: errors.writer), inOwnGroup: true)
      _ = fcntl(output.reader, F_SETFL, O_NONBLOCK)
      _ = fcntl(errors.reader, F_SETFL, O_NONBLOCK)
      return Child(process: process, output: output.reader, errors: errors.reader)
    } catch {
      close(output.reader)
      close(errors.reader)
      throw error
    }
  }

  /// Opens a pipe that no other program inherits.
  static func openPipe(
    for words: [String]
  ) throws(Failure) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw Failure(program: words.first ?? "", number: errno)
    }
    return (ends[0], ends[1])
  }

  /// Starts a program.
  ///
  /// Its signal mask is the usual one, not opsh's, in which the signals are blocked.
  ///
  /// - Parameters:
  ///   - words: The program, looked for in the path where it has no slash, and its arguments.
  ///   - environment: Its environment.
  ///   - streams: What it reads and writes; they stay open here.
  ///   - inOwnGroup: Whether it leaves opsh's process group, and with it the terminal's signals.
  /// - Returns: Its number; whoever gets it reaps the process.
  /// - Throws: `Failure` with the system's number.
  static func start(
    _ words: [String], environment: [String: String], _ streams: Streams, inOwnGroup: Bool
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    if let input = streams.input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO)
    if let errors = streams.errors {
      posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    }
    if streams.takesTerminal { _ = opsh_spawn_take_terminal(&actions, STDIN_FILENO) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    if inOwnGroup {
      opsh_spawnattr_own_group(&attributes)
    } else {
      opsh_spawnattr_child_signals(&attributes, 0)
    }
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    let program = words.first ?? ""
    var process = pid_t()
    let number = posix_spawnp(&process, program, &actions, &attributes, &arguments, &variables)
    guard number == 0 else { throw Failure(program: program, number: number) }
    return process
  }
}
