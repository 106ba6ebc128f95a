import ShellLanguage

/// What is wrong with the command line, and where.
///
/// ```swift
/// throw CommandLineMisuse("'--timeout' wants a value", options: ["--timeout"])
/// ```
public struct CommandLineMisuse: Error, Sendable {
  private let message: String
  private let help: String
  private let options: [String]
  private var index: Int?

  /// Creates a misuse.
  ///
  /// - Parameters:
  ///   - message: One sentence without a final full stop.
  ///   - help: What to do about it.
  ///   - options: Those that it is about; the first that is given is where it stands.
  public init(
    _ message: String, help: String = "'opsh --help' lists the options", options: [String] = []
  ) {
    self.message = message
    self.help = help
    self.options = options
  }

  /// Creates the misuse of an option that there is not.
  ///
  /// - Parameters:
  ///   - name: What is written.
  ///   - names: Those that there are.
  public init(unknownOption name: String, among names: [String]) {
    let standard = "'opsh --help' lists the options"
    self.init(
      "there is no option '\(name)'", help: Spelling.help(for: name, among: names) ?? standard)
  }

  /// Returns the same at the argument of that number, unless it is somewhere already.
  public func at(_ index: Int) -> CommandLineMisuse {
    var copy = self
    copy.index = copy.index ?? index
    return copy
  }

  /// Reports it: on standard error, and with `--json` on standard output as well.
  ///
  /// - Parameter arguments: All of them, without the program's name.
  /// - Returns: The exit status.
  public func report(_ arguments: [String]) -> Int32 {
    let text = CommandLineText(arguments)
    let place =
      options.isEmpty
      ? index
      : arguments.firstIndex { argument in
        options.contains { argument == $0 || argument.hasPrefix($0 + "=") }
      } ?? index
    let diagnostic = Diagnostic(
      code: "bad-command-line", message: message, source: text.source,
      range: text.range(of: place), help: help)
    var configuration = SessionConfiguration()
    let own = arguments.prefix { $0 != "--" }
    configuration.isJSON = own.contains { ["-j", "--json"].contains($0) }
    ProcessSetup.adapt(&configuration, color: "auto")
    return InterpreterThread.run { [configuration] _ in
      guard let session = try? Session(configuration: configuration) else { return 2 }
      return Shell(session: session).refuse(diagnostic)
    }
  }
}
