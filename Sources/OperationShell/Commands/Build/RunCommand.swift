import Operations
import ShellLanguage
import Terminal

/// `run`: a program as an operation.
enum RunCommand: Command {
  static let signature = CommandSignature(
    path: ["run"],
    summary: "Builds an operation that runs a program",
    discussion: """
      The program is looked for as a shell does, but no shell reads its arguments. Options of \
      'run' stand before its name; all that follows is the program's. It runs in a process group \
      of its own and reads nothing. The end of what it prints is kept, 1 MB of each stream: \
      'follow' shows it live, 'result' afterwards. It fails with 'exit-status(n)' or 'signal(n)'. \
      Cancelling sends TERM to its group, and KILL after the grace; it finishes when they have \
      ended.
      """,
    positionals: [
      .init("program", .string, help: "its name or path"),
      .init("arguments", .string, .repeating, help: "what it is given"),
    ],
    options: [
      .init("grace", .duration, help: "how long it may take to end when cancelled; 2s if left out")
    ] + BuildOptions.options,
    examples: [
      .init("run uname -s; wait last; result last", "what it printed"),
      .init("run --name slow sleep 60; cancel slow; wait slow", "ended by TERM"),
    ],
    searchTerms: ["process", "program", "child", "exec", "spawn", "command", "shell"],
    passesOptionsOn: true)

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    try invocation.refuseOnVirtualClock("a program takes real time", at: "program")
    let words = [call.string("program") ?? ""] + call.strings("arguments")
    guard !words[0].isEmpty else {
      throw call.failure("bad-program", "the name of the program is empty", at: "program")
    }
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw call.failure("bad-argument", "an argument of a program can't hold a zero byte")
    }
    let session = invocation.session
    let wakeUp = session.wakeUp
    return try invocation.build(kind: "run") { name in
      ProcessOperation(
        name: name, log: session.log, words: words,
        environment: session.configuration.environment,
        grace: call.duration("grace") ?? .seconds(2), monitor: session.processes,
        printed: { wakeUp?.signal() })
    }
  }
}
