import Foundation
import TestSupport
import Testing

/// Runs the built binary, isolated from the settings of this machine.
enum Opsh {
  static func run(
    _ text: String, options: [String] = [], environment: [String: String] = [:],
    directory: String? = nil, timeout: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: ["--no-rc", "--no-history"] + options + ["-c", text],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
      ].merging(environment) { $1 },
      directory: directory, timeout: timeout)
    #expect(!outcome.timedOut, "opsh did not end: \(text)", sourceLocation: sourceLocation)
    return outcome
  }
}

extension Opsh {
  /// Runs a text in the system shell, so that its output can be redirected.
  static func shell(
    _ quoted: String, then rest: String, after first: String = ":", directory: String? = nil
  ) throws -> ChildProcess.Outcome {
    let binary = try BuiltProducts.executable("opsh")
    return try ChildProcess.run(
      "/bin/bash",
      arguments: ["-c", "\(first); \"$OPSH\" --no-rc --no-history -c \(quoted) \(rest)"],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "OPSH": binary,
        "HOME": "/nonexistent", "LANG": "C.UTF-8",
      ], directory: directory)
  }
}
