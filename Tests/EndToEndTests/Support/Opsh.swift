import Foundation
import TestSupport
import Testing

/// Runs the built binary as a user would, in a controlled environment.
enum Opsh {
  /// The environment of every run; excludes the settings of this machine.
  static func environment(_ changes: [String: String] = [:]) -> [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return [
      "PATH": path, "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
      "SWIFT_BACKTRACE": "enable=no",
    ].merging(changes) { $1 }
  }

  /// Runs opsh with arguments and text as its standard input.
  static func run(
    _ arguments: [String], input: String = "", environment changes: [String: String] = [:],
    directory: String? = nil, timeout: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"), arguments: arguments, input: Data(input.utf8),
      environment: environment(changes), directory: directory, timeout: timeout)
    #expect(!outcome.timedOut, "opsh did not end", sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs the text of `-c`, after other options.
  static func text(
    _ text: String, options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    try run(options + ["-c", text], sourceLocation: sourceLocation)
  }

  /// Runs a command of the system shell, in which `"$OPSH"` is the binary.
  static func shell(
    _ command: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let outcome = try ChildProcess.run(
      "/bin/bash", arguments: ["-c", command],
      environment: environment(["OPSH": try BuiltProducts.executable("opsh")]))
    #expect(!outcome.timedOut, "the command did not end", sourceLocation: sourceLocation)
    return outcome
  }

  /// Starts opsh with pipes, for a test that acts while it runs.
  static func start(
    _ arguments: [String], environment changes: [String: String] = [:]
  ) throws -> RunningChild {
    try RunningChild(
      try BuiltProducts.executable("opsh"), arguments: arguments,
      environment: environment(changes))
  }
}

extension ChildProcess.Outcome {
  /// The lines of standard error.
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

  /// The lines of standard output.
  var outputLines: [String] { output.split(separator: "\n").map(String.init) }
}
