import CSystem
import Foundation
import Operations

/// Starts a program in a process group of its own, with pipes for what it prints.
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

  struct Child {
    let process: pid_t
    /// What it writes to standard output and standard error; non-blocking.
    let output: Int32
    let errors: Int32
  }

  /// - Parameters:
  ///   - words: The program, looked for in the path where it has no slash, and its arguments.
  ///   - environment: Its environment.
  /// - Returns: The running child; whoever gets it closes the descriptors and reaps the process.
  /// - Throws: `Failure` with the system's number.
  static func spawn(
    _ words: [String], environment: [String: String]
  ) throws(Failure) -> Child {
    let program = words.first ?? ""
    var output: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    guard pipe2(&output, O_CLOEXEC) == 0 else { throw Failure(program: program, number: errno) }
    guard pipe2(&errors, O_CLOEXEC) == 0 else {
      let number = errno
      output.forEach { close($0) }
      throw Failure(program: program, number: number)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // Input belongs to the shell; a program that asks for some gets none.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    opsh_spawnattr_own_group(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var process = pid_t()
    let number = posix_spawnp(&process, program, &actions, &attributes, &arguments, &variables)
    close(output[1])
    close(errors[1])
    guard number == 0 else {
      close(output[0])
      close(errors[0])
      throw Failure(program: program, number: number)
    }
    _ = fcntl(output[0], F_SETFL, O_NONBLOCK)
    _ = fcntl(errors[0], F_SETFL, O_NONBLOCK)
    return Child(process: process, output: output[0], errors: errors[0])
  }
}
