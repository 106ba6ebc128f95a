import CommandParts
import ShellLanguage
import ShellSession

/// `reset`: begins the session anew.
enum Reset: Command {
  static let path = ["reset"]
  static let declaration = CommandDeclaration(
    summary: "Begins anew: without operations, queues, observers and variables",
    discussion: """
      It cancels what is unfinished, and waits until no body and no program runs any more; Ctrl-C \
      goes on with the session as it is then. Otherwise ids begin at 1 again, the log is empty, the clock shows 0 (it \
      stays real or virtual), and the startup file runs. A recording ends. Aliases, definitions, \
      settings and those of the practice server stay; so does the exit status: what has failed \
      unexpectedly still counts. The numbers and dates of '--json' and the '--timeout' of the run go on.
      """,
    examples: [
      .init("delay 10ms; wait; reset; delay 10ms; wait; ops", "the second one has the id 1 again"),
      .init("alias d = delay; reset; d 10ms; wait", "an alias stays"),
    ],
    searchTerms: ["restart", "clear", "new", "fresh", "again", "start over", "clean"],
    traits: [.waits, .removesNames])

  static func succession(of call: CommandCall) -> Succession? { .anew }

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.requireTopLevel()
    throw SessionChange.reset
  }
}
