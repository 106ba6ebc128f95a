import ShellCommands
import ShellLanguage
import ShellSession

/// An error of the command line, and its place.
///
/// ```swift
/// throw CommandLineMisuse("expected a value after '--timeout'", options: ["--timeout"])
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
  ///   - options: The options it is about; its place is the first one that was given.
  public init(
    _ message: String, help: String = "'opsh --help' lists the options", options: [String] = []
  ) {
    self.message = message
    self.help = help
    self.options = options
  }

  /// Creates the error for an unknown option.
  public init(unknownOption name: String, among names: [String]) {
    let standard = "'opsh --help' lists the options"
    self.init(
      "there is no option '\(name)'", help: Spelling.help(for: name, among: names) ?? standard)
  }

  /// Refuses an option after a file where only more files can stand.
  public static func refuseOptions(among files: some Sequence<String>) throws {
    guard
      let option = files.first(where: { $0.hasPrefix("--") && !ExistingFile.holdsSomething($0) })
    else { return }
    throw CommandLineMisuse(
      "the option '\(option)' follows a file, where only more files can stand",
      help: "write the options before the files; './\(option)' is a file of that name")
  }

  /// Returns the error with the place of an argument, unless it has a place already.
  public func at(_ index: Int) -> CommandLineMisuse {
    var copy = self
    copy.index = copy.index ?? index
    return copy
  }

  /// Reports it on standard error, and with `--json` also on standard output.
  ///
  /// - Returns: The exit status.
  public func report() -> Int32 {
    let arguments = Array(ProcessSetup.words.dropFirst())
    let text = CommandLineText(arguments)
    let place =
      options.isEmpty
      ? index
      : arguments.firstIndex { argument in
        options.contains { argument == $0 || argument.hasPrefix($0 + "=") }
      } ?? index
    let diagnostic = Diagnostic(
      .badCommandLine, message, source: text.source, range: text.range(of: place), help: help)
    var configuration = SessionConfiguration()
    let own = arguments.prefix { $0 != "--" }
    configuration.isJSON = own.contains { ["-j", "--json"].contains($0) }
    ProcessSetup.adapt(&configuration, color: "auto")
    return InterpreterThread.run { [configuration] in
      guard let session = try? Session(configuration: configuration, commands: .builtIn) else {
        return 2
      }
      return Shell(session: session).refuse(diagnostic)
    }
  }
}
