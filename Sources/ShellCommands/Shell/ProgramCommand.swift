import BuildCommands
import CommandParts
import Foundation
import OpshProcesses
import OpshSecrets
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport

/// `!`: a command line of the system's own shell.
enum ProgramCommand: Command {
  static let command = Positional<[String]>(
    "command", help: "command line (default: an interactive shell)")

  static let path = ["!"]
  static let declaration = CommandDeclaration(
    summary: "Runs a command line of the system's shell",
    discussion: """
      /bin/sh runs the rest of the statement: pipes, redirections, patterns and quotes are those of \
      sh. The statement ends at a line break, at a ';' and at the '}' that closes its block, unless \
      these are quoted; a compound command such as 'for … done' goes into quotes: !sh -c '…'. \
      Variables that the text names as '$name' are in its environment, and '$1' or '$@' are the \
      script's arguments; other names are sh's own. '!' alone starts the shell that $SHELL names.

      At the prompt the program has the terminal: Ctrl-C goes to the program, Ctrl-Z stops it \
      together with opsh. Queues keep running; their transitions are shown afterwards. A status \
      other than 0 is the error 'exit-status(n)', an end by a signal 'signal(n)'. With '--json' it \
      prints to standard error. 'run' makes an operation of a program.

      'let NAME = !COMMAND' sets the variable to what the program prints to standard output, without \
      its final newlines. Output that is not UTF-8, or more than 64 MB of it, is an error.

      '!!', '!$', '!12', '!-2' and '!?text' stand for a line of the history: at the prompt, Tab or Space \
      replaces them ('help history').
      """,
    positionals: [command],
    examples: [
      .init("!uname -s", "what the system is called"),
      .init("let size = 3; !seq $size | wc -l", "with a variable, through a pipe"),
      .init("let kernel = !uname -s; echo \"on $kernel\"", "what a program prints as a value"),
      .init("!sh -c 'for i in 1 2; do echo $i; done'", "a compound command, in quotes"),
      .init("try { !exit 3 } catch e { echo $e.code }", "its status is an error's code"),
    ],
    searchTerms: [
      "program", "shell", "pipe", "pipes", "escape", "system", "process", "command", "run", "exec",
      "execute",
    ],
    traits: [.runsProgram, .passesOptionsOn, .waits, .worksInReplay])

  static func clockUse(of call: CommandCall) -> ClockUse {
    .needsRealTime(call.failure(takingRealTime: ClockUse.program, at: command))
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    try HistoryWord.refuse(invocation)
    let text = commandLine(call)
    guard !text.utf8.contains(0) else {
      throw call.failure(.badArgument, "a command line can't hold a zero byte", at: command)
    }
    var place = invocation.outside.programPlace
    var variables: [String: String] = [:]
    for (name, value) in invocation.context.variables(namedIn: text) {
      if case .null = value { continue }
      variables[name] = value.text.filter { $0 != "\0" }
    }
    place.environment.merge(variables) { _, new in new }
    invocation.screen.noteCredentials(in: filled(text, with: variables))
    var words = ["/bin/sh", "-c", text, invocation.context.source.name]
    words += invocation.context.arguments
    if text.isEmpty {
      guard ForegroundTerminal.isAvailable(on: invocation.screen), !call.keepsOutput else {
        throw call.failure(
          .missingArgument, "'!' needs a command line: there is no terminal for a shell",
          help: "write the command line after it: !ls")
      }
      words = [place.environment["SHELL"].flatMap { $0.isEmpty ? nil : $0 } ?? "/bin/sh"]
    }
    let program = ShellProgram(
      words: words, place: place, of: invocation.run, sink: invocation.screen.sink.value)
    return try invocation.run.inputs.program {
      try run(program, text.isEmpty ? words[0] : text, invocation)
    }
  }

  private static func run(
    _ program: ShellProgram, _ text: String, _ invocation: Invocation
  ) throws -> Value {
    let isAway = !invocation.run.isOnInterpreterThread || invocation.screen.output.isEditing
    if invocation.call.keepsOutput { return try capture(program, isAway: isAway, text, invocation) }
    let status =
      if ForegroundTerminal.isAvailable(on: invocation.screen) {
        try program.runInForeground()
      } else if isAway || invocation.screen.sink.value != nil || invocation.screen.output.hasTap {
        try program.runCollected(isAway: isAway)
      } else {
        try program.runWithInheritedStreams()
      }
    try judge(status, of: program, text, invocation)
    return .null
  }

  /// A command line with the values of variables in place of their names.
  private static func filled(_ text: String, with variables: [String: String]) -> String {
    // The longest names first, so that none is taken for the beginning of another.
    variables.sorted { $0.key.count > $1.key.count }.reduce(text) { text, variable in
      text.replacing("${\(variable.key)}", with: variable.value)
        .replacing("$\(variable.key)", with: variable.value)
    }
  }

  /// Runs the program and returns what it prints, without its final newlines.
  private static func capture(
    _ program: ShellProgram, isAway: Bool, _ text: String, _ invocation: Invocation
  ) throws -> Value {
    let (status, output): (ShellProgram.Status, [UInt8])
    do {
      (status, output) = try program.runCaptured(isAway: isAway)
    } catch let error as UnplacedError where error.is(.tooLarge) {
      throw invocation.call.failure(
        error, at: command, help: "write it to a file: !\(shown(text)) > FILE")
    }
    try judge(status, of: program, text, invocation)
    guard let value = CapturedOutput.text(of: output) else {
      throw invocation.call.failure(
        .invalidUTF8, "the output of '\(shown(text))' is not UTF-8", at: command,
        help: "convert it, for example with: | iconv -f LATIN1 -t UTF-8")
    }
    return .string(value)
  }

  /// Whether /bin/sh cannot parse a text.
  private static func isSyntaxError(_ text: String, _ program: ShellProgram) -> Bool {
    let check = ShellProgram(
      words: ["/bin/sh", "-c", "exec /bin/sh -n -c \"$0\" 2>/dev/null", text],
      place: program.place, of: program.run, sink: nil)
    guard let (status, _) = try? check.runCaptured(isAway: true) else { return false }
    if case .exited(2) = status { return true }
    return false
  }

  /// A command line in one line, not too long, and without secrets.
  private static func shown(_ text: String) -> String {
    // Before it is cut, so that no part of a secret is left.
    let masked = SecretText.mask(text).replacing("\n", with: " ")
    return masked.count > 60 ? masked.prefix(57) + "…" : masked
  }

  /// What the shell is to read.
  ///
  /// Words after an alias follow as they are written, or quoted where they are quoted here.
  private static func commandLine(_ call: CommandCall) -> String {
    let arguments = call.arguments(of: command)
    guard let first = arguments.first else { return "" }
    var text = (first.value?.text ?? "").replacing("\r\n", with: "\n")
    for argument in arguments.dropFirst() {
      let value = argument.value?.text ?? ""
      let isBare = value == argument.text && !value.contains { "'\"\\".contains($0) }
      text += " " + (isBare ? value : "'" + value.replacing(scalars: ["'": "'\\''"]) + "'")
    }
    return text
  }

  /// Makes an error of a status other than 0.
  private static func judge(
    _ status: ShellProgram.Status, of program: ShellProgram, _ text: String,
    _ invocation: Invocation
  ) throws {
    let shown = shown(text)
    switch status {
    case .exited(0): return
    case .exited(let number):
      throw invocation.call.failure(
        .exitStatus.with(number), "'\(shown)' ended with status \(number)", at: command,
        help: number == 2 && isSyntaxError(text, program)
          ? "'!' ends at a ';' or a line break; put compound commands into !sh -c '…'" : nil)
    case .signalled(SIGINT) where invocation.screen.isInteractive:
      invocation.screen.output.endInterruptedLine(isEchoed: true)
      throw Interruption()
    case .signalled(let number):
      // Ctrl-C in a script is meant for both, and may have ended the program first.
      try invocation.run.pump(runsHandlers: false)
      let name = String(cString: strsignal(number))
      throw invocation.call.failure(
        .signal.with(number), "'\(shown)' was ended by signal \(number) (\(name))", at: command)
    }
  }
}
