internal import COpshSystem
import Foundation
import ShellCommands
import ShellLanguage
public import ShellSession
import OpshSystemCalls
import OpshTerminal
import OpshTranscripts

/// Prepares the process for a session, and starts the session from parsed options.
public enum ProcessSetup: Sendable {
  /// Blocks the signals that are read through a descriptor, and ignores those of a closed pipe and
  /// of the file size limit: both are also errors of the write.
  ///
  /// Call this before there is a second thread.
  public static func prepare() {
    SignalReader.blockAll()
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Ignored, as after `trap '' CHLD`, it would keep the statuses of programs from being known.
    signal(SIGCHLD, SIG_DFL)
    // The number of a closed descriptor (`opsh <&-`) would be reused for the next opened file,
    // which would then be taken for a standard stream. Reading from it or writing to it stays an
    // error.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns the arguments of the process, without the program's name.
  ///
  /// - Throws: `CommandLineMisuse` where Swift cannot read them, which it does from /proc.
  public static func arguments() throws -> [String] {
    guard access("/proc/self/cmdline", R_OK) == 0 else {
      throw CommandLineMisuse("the arguments can't be read without /proc", help: "mount /proc")
    }
    return Array(words.dropFirst())
  }

  /// The name of the program and its arguments, also those that are not UTF-8, as names of files may
  /// be; Swift's own would be repaired silently.
  static var words: [String] {
    (0..<Int(CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].map { String(ofSystem: $0) } ?? ""
    }
  }

  /// The mode of a run.
  public enum Mode: Sendable {
    /// Run the program.
    case run
    /// Report its errors, and those of further programs.
    case check([Program])
    /// Print it, and further programs, in their canonical layout.
    case format([Program])
  }

  /// Runs a program in a session of its own.
  ///
  /// - Parameters:
  ///   - program: The program; nothing means the prompt, or standard input if that is not a
  ///     terminal.
  ///   - configuration: The options of the session.
  ///   - color: `auto`, `always` or `never`.
  ///   - staysInteractive: Whether the prompt follows the program.
  ///   - mode: Whether the program is run, or it and others are only read.
  /// - Returns: The exit status.
  public static func run(
    _ program: Program, _ configuration: SessionConfiguration, color: String,
    staysInteractive: Bool, mode: Mode
  ) -> Int32 {
    var configuration = configuration
    var program = program
    adapt(&configuration, color: color)
    configuration.commandLine = Array(words.dropFirst())
    if case .transcript = program { configuration.isASCII = false }
    configuration.width = { TerminalCapabilities.windowSize(of: STDOUT_FILENO)?.columns }
    if case .transcript(let path, _, _) = program,
      let text = try? ScriptFile.text(of: path, name: path, {}),
      let transcript = try? Transcript(parsing: text)
    {
      configuration.width = { transcript.columns }
    }
    var isInteractive = staysInteractive
    if case .none = program {
      // Input that is not a terminal is a script, and no prompt can follow it.
      isInteractive = isatty(STDIN_FILENO) == 1
      if !isInteractive { program = .standardInput }
    }
    if case .run = mode {} else { takeMemoryInLargePieces() }
    return InterpreterThread.run { [configuration, program, isInteractive] in
      let session: Session
      do {
        session = try Session(
          configuration: configuration, commands: .builtIn, signals: SignalReader())
      } catch {
        complain(
          (error as? UnplacedError).map { error in
            let help = error.help ?? error.page.help
            return "error: \(error.message) [\(error.code)]" + (help.map { "\nhelp: \($0)" } ?? "")
          } ?? "error: \(error)")
        return 1
      }
      let shell = Shell(session: session)
      switch mode {
      case .run: return shell.run(program, thenPrompt: isInteractive)
      case .check(let further): return shell.check([program] + further)
      case .format(let further): return shell.format([program] + further)
      }
    }
  }

  /// Makes the C library request memory from the system in large pieces.
  ///
  /// For threads other than the first it requests it page by page, which is a twentieth of the time
  /// of checking a long script. A process that only reads frees nothing before it ends.
  private static func takeMemoryInLargePieces() {
    #if canImport(Glibc)
      mallopt(M_TOP_PAD, 64 << 20)
    #endif
  }

  /// Adapts the output to its destination.
  static func adapt(_ configuration: inout SessionConfiguration, color: String) {
    let colorMode = ColorMode(rawValue: color) ?? .auto
    let capabilities = TerminalCapabilities.detect(
      colorMode: colorMode, environment: configuration.environment)
    configuration.colorsStandardOutput = capabilities.usesColor
    configuration.colorsStandardError =
      TerminalCapabilities.detect(
        colorMode: colorMode, environment: configuration.environment, output: STDERR_FILENO
      ).usesColor
    configuration.isASCII = !capabilities.isUTF8
  }

  /// Ends the process at once.
  ///
  /// `exit` would run the clean-up handlers of libraries, while a body, or a transfer that is still
  /// running after the end of the session, may be inside of them; all output of opsh has been
  /// written by then.
  ///
  /// - Parameter status: The exit status.
  public static func end(_ status: Int32) -> Never {
    _exit(status)
  }

  /// Prints a text on standard output and ends the process.
  ///
  /// Nothing reads the signals: they end the process, also while a full pipe blocks it.
  ///
  /// - Parameter text: The text, without the last line feed.
  public static func end(printing text: String) -> Never {
    SignalMask.unblock()
    end(print(text))
  }

  /// Prints a text on standard output.
  ///
  /// - Parameter text: The text, without the last line feed.
  /// - Returns: The exit status: 1, with the reason on standard error, if it can't be written, and
  ///   that of a broken pipe without a message if the reader has closed it.
  @discardableResult
  public static func print(_ text: String) -> Int32 {
    let error = writeFully(text + "\n", to: STDOUT_FILENO)
    guard error != 0 else { return 0 }
    if error == EPIPE { return 128 + SIGPIPE }
    complain("error: standard output: \(String(cString: strerror(error)))")
    return 1
  }

  /// Prints an error on standard error.
  ///
  /// - Parameter text: The error; may have several lines.
  public static func complain(_ text: String) {
    _ = writeFully("opsh: " + text + "\n", to: STDERR_FILENO)
  }
}

extension SessionConfiguration {
  /// Sets the time limit of the whole run.
  ///
  /// - Parameter text: A duration in the language's notation; a bare number is seconds.
  /// - Returns: Whether it is valid.
  public mutating func setTimeout(_ text: String) -> Bool {
    guard let value = LiteralReader.value(of: text),
      case .success(.duration(let limit)) = ArgumentKind.duration.accepting(value)
    else { return false }
    timeout = limit
    return limit > .zero
  }
}
