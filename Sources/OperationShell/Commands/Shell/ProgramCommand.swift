import Foundation
import Secrets
import ShellLanguage
import Terminal

/// `!`: a command line of the system's own shell.
enum ProgramCommand: Command {
  static let signature = CommandSignature(
    path: ["!"],
    summary: "Runs a command line of the system's shell",
    discussion: """
      /bin/sh reads the rest of the statement, so pipes, redirections, patterns and quotes are those \
      of that shell; a line break or ';' ends it, but not in quotes, parentheses, braces or between \
      'for' and 'done'. A variable that it names as '$name' is in its environment, and '$1' or '$@' \
      are the script's arguments; what is no variable here is the shell's own. '!' alone starts the \
      shell that $SHELL names.

      At the prompt the program has the terminal: Ctrl-C is its own, Ctrl-Z stops it and opsh \
      together. Queues go on meanwhile; what happens is shown afterwards. A status other than 0 is \
      the error 'exit-status(n)', an end by a signal 'signal(n)'. With '--json' it prints to \
      standard error. 'run' makes an operation of a program.

      'let NAME = !COMMAND' keeps what the program prints to standard output, without its final \
      newlines. Output that is not UTF-8, or more than 64 MB of it, is an error.
      """,
    positionals: [
      .init("command", .string, .repeating, help: "the command line; left out for a shell")
    ],
    examples: [
      .init("!uname -s", "what the system is called"),
      .init("let size = 3; !seq $size | wc -l", "with a variable, through a pipe"),
      .init("let kernel = !uname -s; echo \"on $kernel\"", "what a program prints as a value"),
      .init("try { !exit 3 } catch e { echo $e.code }", "its status is an error's code"),
    ],
    searchTerms: [
      "program", "shell", "escape", "system", "process", "command", "run", "exec", "execute",
    ],
    passesOptionsOn: true)

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, session) = (invocation.call, invocation.session)
    try invocation.refuseOnVirtualClock("a program takes real time", at: "command")
    let text = commandLine(call)
    guard !text.utf8.contains(0) else {
      throw call.failure(
        "bad-argument", "a command line can't hold a zero byte", at: "command")
    }
    var environment = session.configuration.environment
    var variables: [String: String] = [:]
    for (name, value) in invocation.context.variables(namedIn: text) {
      if case .null = value { continue }
      variables[name] = value.text.filter { $0 != "\0" }
    }
    environment.merge(variables) { _, new in new }
    session.noteCredentials(in: filled(text, with: variables))
    var words = ["/bin/sh", "-c", text, invocation.context.source.name]
    words += invocation.context.arguments
    if text.isEmpty {
      guard ForegroundTerminal.isAvailable(in: session), !call.keepsOutput else {
        throw call.failure(
          "missing-argument", "'!' needs a command line: there is no terminal for a shell",
          help: "write what is to run behind it: !ls")
      }
      words = [environment["SHELL"].flatMap { $0.isEmpty ? nil : $0 } ?? "/bin/sh"]
    }
    let program = ShellProgram(
      words: words, environment: environment, session: session, sink: CurrentSink.value)
    let isAway = !session.isOnInterpreterThread || session.output.isEditing
    if call.keepsOutput { return try capture(program, isAway: isAway, text, invocation) }
    let status =
      if ForegroundTerminal.isAvailable(in: session) {
        try program.runInForeground()
      } else if isAway || CurrentSink.value != nil || session.output.hasTap {
        try program.runCollected(isAway: isAway)
      } else {
        try program.runBeside()
      }
    try judge(status, text.isEmpty ? words[0] : text, invocation)
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
    } catch let error as RedirectionError where error.code == "too-large" {
      throw invocation.call.failure(
        error.code, error.message, at: "command",
        help: "write it to a file: !\(shown(text)) > FILE")
    }
    try judge(status, text, invocation)
    guard let value = CapturedOutput.text(of: output) else {
      throw invocation.call.failure(
        "invalid-utf8", "the output of '\(shown(text))' is not UTF-8", at: "command",
        help: "convert it, for example with: | iconv -f LATIN1 -t UTF-8")
    }
    return .string(value)
  }

  /// A command line in one line, not too long, and without secrets.
  private static func shown(_ text: String) -> String {
    // Before it is cut, so that no part of a secret is left.
    let masked = SecretText.mask(text).replacing("\n", with: " ")
    return masked.count > 60 ? masked.prefix(57) + "…" : masked
  }

  /// What the shell is to read.
  ///
  /// Words behind an alias follow as they were written, or quoted where they were quoted here.
  private static func commandLine(_ call: CommandCall) -> String {
    let arguments = call.arguments("command")
    guard let first = arguments.first else { return "" }
    var text = (first.value?.text ?? "").replacing("\r\n", with: "\n")
    for argument in arguments.dropFirst() {
      let value = argument.value?.text ?? ""
      let isBare = value == argument.text && !value.contains { "'\"\\".contains($0) }
      text += " " + (isBare ? value : "'" + value.replacing("'", with: "'\\''") + "'")
    }
    return text
  }

  /// Makes an error of a status other than 0.
  private static func judge(
    _ status: ShellProgram.Status, _ text: String, _ invocation: Invocation
  ) throws {
    let shown = shown(text)
    switch status {
    case .exited(0): return
    case .exited(let number):
      throw invocation.call.failure(
        "exit-status(\(number))", "'\(shown)' ended with status \(number)", at: "command")
    case .signalled(SIGINT) where invocation.session.isInteractive:
      invocation.session.output.endEchoedLine()
      throw Interruption()
    case .signalled(let number):
      // Ctrl-C in a script is meant for both, and may have ended the program first.
      try invocation.session.pump(runsHandlers: false)
      let name = String(cString: strsignal(number))
      throw invocation.call.failure(
        "signal(\(number))", "'\(shown)' was ended by signal \(number) (\(name))", at: "command")
    }
  }
}
