import ShellLanguage

/// `quit`: the end of the session.
enum Quit: Command {
  static let signature: CommandSignature = signature(named: "quit")

  static func signature(named name: String) -> CommandSignature {
    CommandSignature(
      path: [name],
      summary: "Ends the session",
      discussion: """
        What can still run is waited for first; '--now' cancels it instead. Without a status it \
        is 0 if all went well.
        """,
      positionals: [
        .init(
          "status", .integer(minimum: 0, maximum: 255), .optional,
          help: "the exit status")
      ],
      options: [.init("now", help: "cancel what is unfinished instead of waiting")],
      examples: [.init("delay 10s; \(name) --now", "at once")],
      searchTerms: ["exit", "quit", "leave", "end", "bye"], endsScript: true)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    throw SessionEnd(
      cause: .quit(
        status: invocation.call.integer("status").map(Int32.init),
        now: invocation.call.flag("now")))
  }
}

/// `exit`: another name for `quit`.
enum Exit: Command {
  static let signature = Quit.signature(named: "exit")

  static func run(_ invocation: Invocation) throws -> Value {
    try Quit.run(invocation)
  }
}
