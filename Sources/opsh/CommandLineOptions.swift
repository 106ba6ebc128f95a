import OperationShell
import ShellSession

/// What stands on the command line of opsh, taken apart.
struct CommandLineOptions {
  /// What the process is to do.
  enum Action {
    case run(Program)
    case servePractice(port: UInt16)
    case printHelp, printVersion, printReference
    /// The process of `queue new --engine foundation`.
    case runFoundationQueue
    case print(String)
    case test([String], TestRun.Options)
  }

  var action = Action.run(.none)
  var configuration = SessionConfiguration()
  /// `always`, `never` or `auto`.
  var color = "auto"
  var staysInteractive = false
  private var checksOnly = false
  private var formatsOnly = false
  /// The files after the first one that '--check' or '--format' reads.
  private var furtherFiles: [Program] = []
  private var testOptions = TestRun.Options()
  private var isTest = false
  private var replaces = false
  private var transcriptResult: String?
  private var eventsWereChosen = false
  private var text: String?

  /// What is done with the program.
  var mode: ProcessSetup.Mode {
    formatsOnly ? .format(furtherFiles) : checksOnly ? .check(furtherFiles) : .run
  }

  /// Takes the arguments apart.
  ///
  /// - Parameter arguments: Without the program's name.
  /// - Throws: `CommandLineMisuse` at the first one that makes no sense.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.first, argument.hasPrefix("-"), argument != "-" {
      rest.removeFirst()
      if argument == "--" { break }
      for (name, attached) in Self.split(argument) {
        do {
          try take(name, attached: attached, rest: &rest)
        } catch let misuse as CommandLineMisuse {
          throw misuse.at(arguments.count - rest.count - 1)
        }
      }
    }
    try refuseIgnored(rest.isEmpty ? nil : arguments.count - rest.count)
    if case .run = action {
      if isTest {
        action = try test(Array(rest))
      } else if let text {
        action = .run(.text(text))
        configuration.arguments = Array(rest)
      } else if checksOnly || formatsOnly, let file = rest.popFirst() {
        try CommandLineMisuse.refuseOptions(among: rest)
        action = .run(Program(path: file))
        furtherFiles = rest.map(Program.init(path:))
      } else if rest.first == "explain" {
        let text = try Explanation.text(of: rest.dropFirst())
        // The command prints objects.
        action =
          configuration.isJSON ? .run(.text(WordQuoting.spelled(Array(rest)))) : .print(text)
      } else if let file = rest.popFirst() {
        action = .run(Program(path: file))
        if let transcriptResult {
          let program = Program.transcript(
            file, result: transcriptResult, isUpdating: testOptions.isUpdating)
          action = .run(program)
        }
        configuration.arguments = Array(rest)
      }
      if formatsOnly, !configuration.arguments.isEmpty {
        throw CommandLineMisuse("'--format' takes files or '-c', not both")
          .at(arguments.count - configuration.arguments.count)
      }
    }
    if !isTest,
      testOptions.junitFile != nil || testOptions.testTimeout != nil
        || (testOptions.isUpdating && transcriptResult == nil)
    {
      throw CommandLineMisuse(
        "'--junit', '--update' and '--test-timeout' go with '--test'",
        options: ["--junit", "--update", "--test-timeout"])
    }
    if replaces, configuration.transcriptFile == nil, testOptions.junitFile == nil {
      throw CommandLineMisuse(
        "'--replace' goes with '--transcript' or '--junit'", options: ["--replace"])
    }
    if let file = configuration.transcriptFile { try protect(file, of: "--transcript") }
    // What a report replaces is the last one.
    if let file = testOptions.junitFile, !ExistingFile.begins(file, with: "<?xml") {
      try protect(file, of: "--junit")
    }
    if formatsOnly, configuration.isJSON || checksOnly || isTest {
      throw CommandLineMisuse(
        "'--format' prints a script, and goes with neither '--json', '--check' nor '--test'",
        options: ["--format"])
    }
    if configuration.transcriptFile != nil, configuration.isJSON || isTest {
      throw CommandLineMisuse(
        "'--transcript' writes text, and goes neither with '--json' nor '--test'",
        options: ["--transcript"])
    }
    if configuration.isJSON, !eventsWereChosen { _ = configuration.setEvents("stdout") }
  }

  /// Refuses what the practice server would ignore.
  ///
  /// - Parameter file: The place of the first argument that is no option; nil if there is none.
  /// - Throws: `CommandLineMisuse` for the first one.
  private func refuseIgnored(_ file: Int?) throws {
    guard case .servePractice = action else { return }
    if testOptions.timeout != nil || configuration.isJSON || text != nil {
      throw CommandLineMisuse(
        "'--practice-server' serves until a signal, and takes neither '--timeout', '--json' nor '-c'",
        options: ["--timeout", "-j", "--json", "-c", "--command"])
    }
    if let file {
      throw CommandLineMisuse("'--practice-server' takes a port, and runs no script").at(file)
    }
  }

  private func protect(_ file: String, of option: String) throws {
    guard !replaces, ExistingFile.holdsSomething(file) else { return }
    throw CommandLineMisuse(
      "'\(file)' exists already", help: "'--replace' replaces it", options: [option])
  }

  private func test(_ files: [String]) throws -> Action {
    guard text == nil, !checksOnly, !staysInteractive else {
      throw CommandLineMisuse(
        "'--test' takes files, and neither '-c', '-i' nor '--check'", options: ["--test"])
    }
    guard !configuration.isJSON, !configuration.keepsGoing else {
      throw CommandLineMisuse(
        "'--test' takes neither '--json' nor '--keep-going'; '--junit' writes a report",
        options: ["-j", "--json", "-k", "--keep-going"])
    }
    guard !files.isEmpty else {
      throw CommandLineMisuse("expected files or folders after '--test'", options: ["--test"])
    }
    try CommandLineMisuse.refuseOptions(among: files)
    return .test(files, testOptions)
  }

  /// `--name=value` is a name and its value; `-ij` is two letters.
  private static func split(_ argument: String) -> [(name: String, attached: String?)] {
    if argument.hasPrefix("--") {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return [(String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)]
    }
    let letters = Array(argument.dropFirst())
    for (index, letter) in letters.enumerated() where letter == "c" {
      // `-cTEXT` is the text itself.
      let text = index + 1 < letters.count ? String(letters[(index + 1)...]) : nil
      return letters[..<index].map { ("-\($0)", nil) } + [("-c", text)]
    }
    return letters.map { ("-\($0)", nil) }
  }

  private mutating func take(
    _ name: String, attached: String?, rest: inout ArraySlice<String>
  ) throws {
    func value() throws -> String {
      if let attached { return attached }
      guard let next = rest.popFirst() else {
        throw CommandLineMisuse("expected a value after '\(name)'")
      }
      return next
    }
    if try takeWithValue(name, value) { return }
    guard attached == nil else { throw CommandLineMisuse("'\(name)' takes no value") }
    switch name {
    case "-i", "--interactive": staysInteractive = true
    case "--check": checksOnly = true
    case "--format": formatsOnly = true
    case "--test": isTest = true
    case "--update": testOptions.isUpdating = true
    case "--replace": replaces = true
    case "-j", "--json": configuration.isJSON = true
    case "-k", "--keep-going": configuration.keepsGoing = true
    case "--no-rc": configuration.skipsStartupFile = true
    case "--no-history": configuration.skipsHistory = true
    case "-V", "--version": action = .printVersion
    case "--foundation-queue": action = .runFoundationQueue
    case "--reference": action = .printReference
    case "-h", "--help": action = .printHelp
    default: throw CommandLineMisuse(unknownOption: name, among: ProgramOption.names)
    }
  }

  private mutating func takeWithValue(_ name: String, _ value: () throws -> String) throws -> Bool {
    switch name {
    case "-c", "--command":
      guard text == nil else { throw CommandLineMisuse("'\(name)' is given twice") }
      text = try value()
    case "--man": action = .print(try ManualPage.text(named: value()))
    case "--completion": action = .print(try ProgramCompletion.text(for: value()))
    case "--junit": testOptions.junitFile = try value()
    case "--replay": configuration.replayFile = try value()
    case "--transcript": configuration.transcriptFile = try value()
    // What '--test' starts for each transcript.
    case "--real-timeout": configuration.limitsOnlyRealTime = true
    case "--run-transcript": transcriptResult = try value()
    case "--events":
      let place = try value()
      guard configuration.setEvents(place) else {
        throw CommandLineMisuse("'--events' is stdout, stderr or off, and not '\(place)'")
      }
      eventsWereChosen = true
    case "--timeout":
      let text = try value()
      guard configuration.setTimeout(text) else {
        throw CommandLineMisuse(
          "'--timeout' must be a duration of more than 0, such as 200ms or 2s, found '\(text)'")
      }
      testOptions.timeout = text
    case "--test-timeout":
      let text = try value()
      var limit = SessionConfiguration()
      guard limit.setTimeout(text) else {
        throw CommandLineMisuse(
          "'--test-timeout' must be a duration of more than 0, such as 200ms or 2s, found '\(text)'"
        )
      }
      testOptions.testTimeout = text
    case "--color":
      color = try value()
      guard ["auto", "always", "never"].contains(color) else {
        throw CommandLineMisuse("'--color' is auto, always or never, and not '\(color)'")
      }
    case "--endpoint":
      let text = try value()
      guard configuration.setEndpoint(text) else {
        throw CommandLineMisuse(
          "'--endpoint' is practice, live or a base URL without a version's path, and not '\(text)'"
        )
      }
      testOptions.passedOn += [name, text]
    case "--data":
      let folder = try value()
      guard !folder.isEmpty else {
        throw CommandLineMisuse("'--data' must be a folder, found an empty text")
      }
      configuration.dataDirectory = folder
      testOptions.passedOn += [name, folder]
    case "--practice-server":
      let text = try value()
      guard let port = UInt16(text) else {
        throw CommandLineMisuse("'\(name)' must be a port from 0 to 65535, found '\(text)'")
      }
      action = .servePractice(port: port)
    default: return false
    }
    return true
  }
}
