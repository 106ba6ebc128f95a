import CommandParts
import ShellLanguage
import ShellSession

/// `quit`: the end of the session.
enum Quit: Command {
  static let status = Positional<Int?>(
    "status", .integer(minimum: 0, maximum: 255),
    help: "exit status (default: 0 if all went well)")
  static let now = Flag("now", help: "cancel what is unfinished instead of waiting for it")

  static let path = ["quit"]
  static let declaration: CommandDeclaration = declaration(named: "quit")

  static func declaration(named name: String) -> CommandDeclaration {
    CommandDeclaration(
      summary: "Ends the session",
      discussion: """
        It waits until nothing can run any more; with '--now' it cancels instead. At the prompt it \
        offers to cancel or to stay while it waits. In a body it \
        cancels the operation of the body in any case. Of several statuses the first one counts.
        """,
      positionals: [status], options: [now],
      examples: [.init("delay 10s; \(name) --now", "at once")],
      searchTerms: ["exit", "quit", "leave", "end", "bye"],
      traits: [.endsScript, .waits, .worksInReplay])
  }

  static func run(_ invocation: Invocation) throws -> Value {
    throw SessionEnd(
      cause: .quit(
        status: invocation.call[status].map(Int32.init), now: invocation.call[now]))
  }
}

/// `exit`: another name for `quit`.
enum Exit: Command {
  static let path = ["exit"]
  static let declaration = Quit.declaration(named: "exit")

  static func run(_ invocation: Invocation) throws -> Value {
    try Quit.run(invocation)
  }
}
