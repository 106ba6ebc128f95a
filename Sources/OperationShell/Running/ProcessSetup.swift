internal import CSystem
import Foundation
import ShellLanguage
import Terminal

/// What has to be right in the process before a session can run in it, and the way from parsed
/// options to a running one.
public enum ProcessSetup: Sendable {
  /// Blocks the signals that are read through a descriptor, and ignores those that a closed pipe
  /// and a limit on the size of files send: both are errors of the write as well.
  ///
  /// To be called first of all, before there is a second thread.
  public static func prepare() {
    SignalReader.blockAll()
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // A descriptor that was closed (`opsh <&-`) would be handed to the next file that is opened,
    // and that one be taken for a standard stream. Reading from it, or writing to it, stays an error.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// What is done with a program.
  public enum Mode: Sendable, Hashable {
    /// It is run.
    case run
    /// Its errors are reported.
    case check
    /// It is printed in its canonical layout.
    case format
  }

  /// Runs a program in a session of its own.
  ///
  /// - Parameters:
  ///   - program: What to run; nothing means the prompt, or standard input where that is no
  ///     terminal.
  ///   - configuration: What the options asked for.
  ///   - color: `auto`, `always` or `never`.
  ///   - staysInteractive: Whether the prompt follows the program.
  ///   - mode: Whether the program is run, or only looked at.
  /// - Returns: The exit status.
  public static func run(
    _ program: Program, _ configuration: SessionConfiguration, color: String,
    staysInteractive: Bool, mode: Mode
  ) -> Int32 {
    var configuration = configuration
    var program = program
    adapt(&configuration, color: color)
    if case .transcript = program { configuration.isASCII = false }
    configuration.width = { TerminalCapabilities.windowSize(of: STDOUT_FILENO)?.columns }
    if case .transcript(let path, _, _) = program,
      let text = try? ScriptFile.text(of: path, name: path),
      let transcript = try? Transcript(parsing: text)
    {
      configuration.width = { transcript.columns }
    }
    var isInteractive = staysInteractive
    if case .none = program {
      // What does not come from a terminal is a script, and no prompt can follow it.
      isInteractive = isatty(STDIN_FILENO) == 1
      if !isInteractive { program = .standardInput }
    }
    if mode != .run { takeMemoryInLargePieces() }
    return InterpreterThread.run { [configuration, program, isInteractive] stackBudget in
      let session: Session
      do {
        session = try Session(configuration: configuration)
      } catch {
        complain(
          (error as? RedirectionError).map { "error: \($0.message) [\($0.code)]" } ?? "\(error)")
        return 1
      }
      let shell = Shell(session: session, stackBudget: stackBudget)
      switch mode {
      case .run: return shell.run(program, thenPrompt: isInteractive)
      case .check: return shell.check(program)
      case .format: return shell.format(program)
      }
    }
  }

  /// Has the C library ask the system for memory in large pieces.
  ///
  /// For threads but the first one it asks page by page, which is a twentieth of the time of
  /// checking a long script. A process that only reads gives nothing back before it ends.
  private static func takeMemoryInLargePieces() {
    #if canImport(Glibc)
      mallopt(M_TOP_PAD, 64 << 20)
    #endif
  }

  /// Gives free memory back to the system, which the C library would keep in gaps; takes some
  /// milliseconds.
  static func returnFreeMemory() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }

  /// Adapts what is printed to where it goes.
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
  /// `exit` would run what libraries have registered to clean up, while a body, or a transfer that
  /// outlasted the end of the session, may still be inside of them; nothing of ours is left to be
  /// written by then.
  ///
  /// - Parameter status: The exit status.
  public static func end(_ status: Int32) -> Never {
    _exit(status)
  }

  /// Prints a text on standard output.
  ///
  /// - Parameter text: The text, without the last line feed.
  /// - Returns: The exit status: 1, with the reason on standard error, if it can't be written, and
  ///   that of a broken pipe without a word where nobody reads on.
  @discardableResult
  public static func print(_ text: String) -> Int32 {
    let error = Output.writeFully(text + "\n", to: STDOUT_FILENO)
    guard error != 0 else { return 0 }
    if error == EPIPE { return 128 + SIGPIPE }
    complain("error: standard output: \(String(cString: strerror(error)))")
    return 1
  }

  /// Prints a complaint on standard error.
  ///
  /// - Parameter text: What is wrong; may have several lines.
  public static func complain(_ text: String) {
    _ = Output.writeFully("opsh: " + text + "\n", to: STDERR_FILENO)
  }
}

extension SessionConfiguration {
  /// Sets how long the whole run may take.
  ///
  /// - Parameter text: A duration as the language writes it; a bare number is seconds.
  /// - Returns: Whether it is one.
  public mutating func setTimeout(_ text: String) -> Bool {
    switch LiteralReader.value(of: text) {
    case .duration(let duration)?: timeout = duration
    case .integer(let seconds)?: timeout = .seconds(seconds)
    case .real(let seconds)?: timeout = .seconds(seconds)
    default: return false
    }
    return (timeout ?? .zero) > .zero
  }
}
