import COpshSystem
public import Foundation

/// Runs a program to its end, with limits on its time and output.
public enum ChildProcess: Sendable {
  /// The result of a program.
  public struct Outcome: Sendable {
    /// The exit status, or -1 if a signal ended it.
    public var status: Int32
    /// The signal that ended it, or 0.
    public var signal: Int32
    /// The bytes of standard output.
    public var stdout: Data
    /// The bytes of standard error.
    public var stderr: Data
    /// Whether it was killed because it exceeded its time limit.
    public var timedOut: Bool

    /// Standard output as text.
    public var output: String { String(decoding: stdout, as: UTF8.self) }
    /// Standard error as text.
    public var errors: String { String(decoding: stderr, as: UTF8.self) }
    /// The status as a shell reports it: 128 plus the number of a signal.
    public var shellStatus: Int32 { signal > 0 ? 128 + signal : status }
  }

  /// Runs a program and waits until it has ended.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - input: The complete standard input.
  ///   - environment: The complete environment; nil for that of this process.
  ///   - directory: Its working directory; nil for that of this process.
  ///   - timeout: The time after which it is killed.
  /// - Returns: Status and output.
  /// - Throws: ``TestSupportError`` if it cannot be started.
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
  ///   - text: The complete standard input.
  ///   - environment: The complete environment; nil for that of this process.
  ///   - timeout: The time after which it is killed.
  /// - Returns: Status and output.
  /// - Throws: ``TestSupportError`` if it cannot be started.
  public static func run(
    _ program: String, arguments: [String] = [], input text: String,
    environment: [String: String]? = nil, timeout: Duration = .seconds(60)
  ) throws -> Outcome {
    try run(
      program, arguments: arguments, input: Data(text.utf8), environment: environment,
      timeout: timeout)
  }
}

/// The error of a test helper.
public struct TestSupportError: Error, Sendable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }

  static func system(_ action: String, code: Int32 = opsh_errno()) -> TestSupportError {
    TestSupportError("cannot \(action): \(String(cString: strerror(code)))")
  }
}
