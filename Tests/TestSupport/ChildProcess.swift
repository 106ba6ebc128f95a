import CSystem
public import Foundation

/// Runs a program to its end, with everything it may do bounded.
public enum ChildProcess: Sendable {
  /// What a program left behind.
  public struct Outcome: Sendable {
    /// The exit status, or -1 where a signal ended it.
    public var status: Int32
    /// The signal that ended it, or 0.
    public var signal: Int32
    /// What it wrote to standard output.
    public var stdout: Data
    /// What it wrote to standard error.
    public var stderr: Data
    /// Whether it was killed because its time was up.
    public var timedOut: Bool

    /// Standard output as text.
    public var output: String { String(decoding: stdout, as: UTF8.self) }
    /// Standard error as text.
    public var errors: String { String(decoding: stderr, as: UTF8.self) }
    /// The status as a shell shows it: 128 and the signal's number for a signal.
    public var shellStatus: Int32 { signal > 0 ? 128 + signal : status }
  }

  /// Runs a program and waits until it has ended.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - input: What it reads from standard input, which ends after it.
  ///   - environment: All of its environment; nil for this process's own.
  ///   - directory: Where it runs; nil for this process's own place.
  ///   - timeout: When it is killed.
  /// - Returns: Status and output.
  /// - Throws: ``TestSupportError`` where it cannot be started.
  public static func run(
    _ program: String, arguments: [String] = [], input: Data = Data(),
    environment: [String: String]? = nil, directory: String? = nil,
    timeout: Duration = .seconds(60)
  ) throws -> Outcome {
    let child = try RunningChild(
      program, arguments: arguments, environment: environment, directory: directory)
    return child.communicate(input: input, timeout: timeout)
  }

  /// Runs a program with text as its input.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - text: What it reads from standard input.
  ///   - environment: All of its environment; nil for this process's own.
  ///   - timeout: When it is killed.
  /// - Returns: Status and output.
  /// - Throws: ``TestSupportError`` where it cannot be started.
  public static func run(
    _ program: String, arguments: [String] = [], input text: String,
    environment: [String: String]? = nil, timeout: Duration = .seconds(60)
  ) throws -> Outcome {
    try run(
      program, arguments: arguments, input: Data(text.utf8), environment: environment,
      timeout: timeout)
  }
}

/// Says why a helper of the tests could not do its work.
public struct TestSupportError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }

  static func system(_ action: String, code: Int32 = opsh_errno()) -> TestSupportError {
    TestSupportError("cannot \(action): \(String(cString: strerror(code)))")
  }
}
