import COpshSystem
import Foundation
package import ShellLanguage
import ShellOutput
import OpshSystemCalls

/// Starts programs.
package enum ChildStart {
  /// A program that runs in its own process group.
  package struct Child {
    package let process: Int32
    /// Its standard output and standard error; non-blocking.
    package let output: Int32
    package let errors: Int32
  }

  /// The standard streams of a program.
  package struct Streams {
    /// Nil for empty input.
    package var input: Int32?
    package var output: Int32
    /// Nil for the standard error of the place.
    package var errors: Int32?
    /// Whether its process group gets the terminal that is its standard input.
    package var takesTerminal = false

    package init(
      input: Int32? = nil, output: Int32, errors: Int32? = nil, takesTerminal: Bool = false
    ) {
      self.input = input
      self.output = output
      self.errors = errors
      self.takesTerminal = takesTerminal
    }
  }

  /// Starts a program in its own process group, with pipes for its output.
  ///
  /// - Parameters:
  ///   - words: The program, searched for in the path if it has no slash, and its arguments.
  ///   - place: Its environment and working directory.
  /// - Returns: The running child; the caller closes the descriptors and reaps the process.
  /// - Throws: An `UnplacedError` with the system's error number.
  package static func spawn(
    _ words: [String], in place: ProgramPlace
  ) throws(UnplacedError) -> Child {
    let output = try openPipe(for: words)
    let errors: (reader: Int32, writer: Int32)
    do throws(UnplacedError) {
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
    do throws(UnplacedError) {
      // The shell's own input is not shared; a program that reads gets the end of input.
      let process = try start(
        words, in: place,
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
  package static func openPipe(
    for words: [String]
  ) throws(UnplacedError) -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw .start(words.first ?? "", errno)
    }
    return (ends[0], ends[1])
  }

  /// Starts a program.
  ///
  /// Its signal mask is the default, not opsh's, in which the signals are blocked.
  ///
  /// - Parameters:
  ///   - words: The program, searched for in the path if it has no slash, and its arguments.
  ///   - place: Its environment and working directory.
  ///   - streams: Its standard streams; they stay open here.
  ///   - inOwnGroup: Whether it leaves opsh's process group, and with it the terminal's signals.
  /// - Returns: Its process id; the caller reaps the process.
  /// - Throws: An `UnplacedError` with the system's error number.
  package static func start(
    _ words: [String], in place: ProgramPlace, _ streams: Streams, inOwnGroup: Bool
  ) throws(UnplacedError) -> Int32 {
    let path = try place.find(words.first ?? "")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    if let input = streams.input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, streams.errors ?? place.errors, STDERR_FILENO)
    if let directory = place.directory {
      posix_spawn_file_actions_addchdir_np(&actions, directory.forSystem)
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
    var arguments = words.map { strdup($0.forSystem) } + [nil]
    var variables = place.environment.map { strdup("\($0.key)=\($0.value)".forSystem) } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var process = pid_t()
    let number = posix_spawn(
      &process, path.forSystem, &actions, &attributes, &arguments, &variables)
    guard number == 0 else {
      throw .start(
        words.first ?? "", number,
        help: number == ENOENT
          ? "the program, the interpreter that its first line names, or the working directory is "
            + "missing"
          : nil)
    }
    return process
  }
}

extension UnplacedError {
  /// The error of a program that could not be started.
  static func start(_ program: String, _ number: Int32, help: String? = nil) -> UnplacedError {
    UnplacedError(
      .file(number), "'\(program)' could not be started: \(String(cString: strerror(number)))",
      help: help)
  }
}
