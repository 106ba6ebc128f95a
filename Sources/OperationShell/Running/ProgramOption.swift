import CommandParts
import Foundation
import ShellCommands
import OpshTerminal

/// An option of the program: the source of `--help`, the manual page and the completions.
public struct ProgramOption: Sendable {
  /// The value that follows an option.
  enum Value: Sendable {
    /// Any text, with its placeholder.
    case text(String)
    /// One of some words, with its placeholder.
    case choice(String, [String])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder

    /// The placeholder in help.
    var placeholder: String {
      switch self {
      case .text(let placeholder), .choice(let placeholder, _): placeholder
      case .file: "FILE"
      case .folder: "DIR"
      }
    }
  }

  /// The letter of the short form.
  let letter: Character?
  /// The name without the dashes.
  let name: String
  let value: Value?
  /// What the option does, without a final full stop.
  let help: String

  private init(
    _ name: String, _ letter: Character? = nil, _ value: Value? = nil, _ help: String
  ) {
    self.letter = letter
    self.name = name
    self.value = value
    self.help = help
  }

  /// Every option, in the order of `--help`.
  static let all: [ProgramOption] = [
    .init("command", "c", .text("TEXT"), "run TEXT"),
    .init("interactive", "i", "stay at the prompt afterwards"),
    .init("check", "report all errors of the FILEs without running anything"),
    .init("format", "print the FILEs in their canonical layout, one after another"),
    .init("json", "j", "one JSON object per line on standard output"),
    .init(
      "events", .choice("WHERE", ["stdout", "stderr", "off"]),
      "show transitions on stdout, stderr, or off"),
    .init("keep-going", "k", "leave out faulty statements and go on"),
    .init("timeout", .text("DURATION"), "end the whole run after this time, with status 124"),
    .init(
      "test",
      "run the FILEs and folders, scripts and transcripts, as tests; a script without an expectation "
        + "is remarked on"),
    .init("junit", .file, "with --test: write JUnit's XML as well"),
    .init("update", "with --test: rewrite transcripts that differ"),
    .init(
      "test-timeout", .text("D"), "with --test: end each test after this time (default 60s)"),
    .init("transcript", .file, "write what is typed, or run, and its output as a transcript"),
    .init("replay", .file, "show the recording FILE, in which nothing runs"),
    .init(
      "replace",
      "with --transcript or --junit: replace a FILE that exists; --junit replaces an earlier report "
        + "without it"),
    .init(
      "color", .choice("WHEN", ["auto", "always", "never"]),
      "when to use color: auto, always or never"),
    .init("no-rc", "don't read the startup file"),
    .init("no-history", "keep no history"),
    .init(
      "endpoint", .choice("NAME|URL", ["practice", "live"]),
      "the service: practice, live, or a base URL; quotes=URL and the like for one of questions, "
        + "answers, tweets, quotes"),
    .init("data", .folder, "keep the history, quotes, search tags and the cache there"),
    .init(
      "practice-server", .text("PORT"),
      "print the URL and serve until a signal; port 0 takes any"),
    .init("reference", "print the reference page: every command, as Markdown"),
    .init(
      "man", .choice("PAGE", ManualPage.names), "print a manual page, opsh or opsh-language"),
    .init(
      "completion", .choice("SHELL", ProgramCompletion.names),
      "print the completions for bash, zsh or fish"),
    .init("version", "V", "print the version"),
    .init("help", "h", "print this"),
  ]

  private init(_ name: String, _ letter: Character, _ help: String) {
    self.init(name, letter, nil, help)
  }

  private init(_ name: String, _ help: String) { self.init(name, nil, nil, help) }

  private init(_ name: String, _ value: Value, _ help: String) {
    self.init(name, nil, value, help)
  }

  /// The option as typed: `-c` and `--command`.
  var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }

  /// The long form of every option.
  public static var names: [String] { all.map { "--" + $0.name } }

  /// The ways to call the program.
  static let usages = [
    (call: "opsh [options] [FILE [ARG…]]", meaning: nil as String?),
    (call: "opsh explain [CODE]", meaning: "say what an error means"),
  ]

  static let standardInput =
    "Without FILE and -c, statements are read from the prompt, or from standard input if that is no "
    + "terminal."

  static let exitStatus =
    "The exit status is 0 if all went well, 1 if running showed an error, 2 if checking did, 124 if "
    + "--timeout ended the run, and 128+n after signal n."

  /// Returns the text of `--help` for a terminal of a certain width.
  static func help(columns: Int) -> String {
    let columns = min(columns, 95)
    // Where there is no room beside them, the texts go below the options.
    let indent = columns < 60 ? 8 : 27
    var lines: [String] = []
    for usage in usages {
      let start = lines.isEmpty ? "usage: " : "       "
      let meaning = usage.meaning.map { "    " + $0 } ?? ""
      let fits = start.count + usage.call.count + meaning.count <= columns
      lines.append(start + usage.call + (fits ? meaning : ""))
      if !fits { lines.append("       " + meaning) }
    }
    lines += [""] + Prose.wrap(standardInput, columns: columns) + [""]
    for option in all {
      var usage = option.letter.map { "  -\($0), " } ?? "      "
      usage += "--" + option.name + (option.value.map { " " + $0.placeholder } ?? "")
      var rows = Prose.wrap(option.help, columns: min(56, columns - indent))
      if usage.count + 2 > indent {
        lines.append(usage)
      } else {
        lines.append(TextWidth.pad(usage, to: indent) + rows.removeFirst())
      }
      lines += rows.map { String(repeating: " ", count: indent) + $0 }
    }
    lines += [""] + Prose.wrap(exitStatus, columns: columns)
    return lines.joined(separator: "\n")
  }

  /// The text of `--help`.
  public static var help: String {
    help(columns: TerminalCapabilities.windowSize(of: STDOUT_FILENO)?.columns ?? 95)
  }
}
