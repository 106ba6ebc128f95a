import CommandParts
import OpshProcesses
package import ShellLanguage
import ShellSession
import OpshSystemCalls

/// `run`: a program as an operation.
enum RunCommand: BuildCommand {
  static let program = Positional<String>("program", help: "name or path of the program")
    .refusedEach { name in
      name.isEmpty ? UnplacedError(.badProgram, "the name of the program is empty") : nil
    }
    .refusedEach(zeroByte)
  static let arguments = Positional<[String]>("arguments", help: "arguments of the program")
    .refusedEach(zeroByte)
  static let grace = Option<Duration>(
    "grace", default: .seconds(2), help: "time to end after TERM before it gets KILL")
  static let kind = OperationKind("run", route: "programs")

  @Sendable private static func zeroByte(in text: String) -> UnplacedError? {
    guard text.utf8.contains(0) else { return nil }
    return UnplacedError(.badArgument, "an argument of a program can't hold a zero byte")
  }

  static let path = ["run"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation that runs a program",
    discussion: """
      The program is looked for as a shell does, but no shell reads its arguments. Options of \
      'run' stand before its name; all that follows is the program's. It runs in a process group \
      of its own and reads nothing. The end of what it prints is kept, 1 MB of each stream: \
      'follow' shows it live, 'result' afterwards. It fails with 'exit-status(n)' or 'signal(n)'. \
      Cancelling sends TERM to its group, and KILL after the grace; it finishes when they have \
      ended.
      """,
    positionals: [program, arguments], options: [grace] + BuildOptions.all,
    examples: [
      .init("run uname -s; wait last; result last", "what it printed"),
      .init("run --name slow sleep 60; cancel slow; wait slow", "ended by TERM"),
    ],
    searchTerms: ["process", "program", "child", "exec", "spawn", "command", "shell"],
    traits: [.passesOptionsOn])

  static func clockUse(of call: CommandCall) -> ClockUse {
    .needsRealTime(call.failure(takingRealTime: ClockUse.program, at: program))
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let words = [call[program]] + call[arguments]
    let wakeUp = invocation.run.wakeUp
    return try invocation.build(kind) { name in
      ProcessOperation(
        name: name, engine: invocation.jobs.engine, words: words,
        place: invocation.outside.programPlace,
        grace: call[grace], monitor: invocation.jobs.processes,
        printed: { wakeUp.signal() })
    }
  }
}

extension ErrorPage {
  package static let badProgram = ErrorPage(
    "bad-program", "The name of the program is empty", "'run' and '!' need a name.",
    help: "name a program", wrong: "run ''", right: "run true\nwait")

  package static let badArgument = ErrorPage(
    "bad-argument", "An argument of a program holds a zero byte", "Programs cannot be given one.",
    help: "leave it out", wrong: "(a text with a zero byte)", right: "run echo hello\nwait")
}
