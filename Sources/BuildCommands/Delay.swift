import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `delay`: an operation that only takes time.
enum Delay: BuildCommand {
  static let duration = Positional<Duration>(
    "duration", help: "how long it executes: 200ms, 2s, 1m")
  static let kind = OperationKind("delay")

  static let path = ["delay"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation that takes a given time",
    discussion: """
      It holds its slot for the time given and no thread meanwhile. Cancelling ends it at once.
      """,
    positionals: [duration], options: BuildOptions.all,
    examples: [
      .init("delay 200ms --count 4; wait", "four delays, two at a time on a queue of width 2"),
      .init("delay 10ms --name first; delay 10ms --after first", "one after the other"),
    ],
    searchTerms: ["sleep", "timer", "time", "wait"])

  static func run(_ invocation: Invocation) throws -> Value {
    let duration = invocation.call[Self.duration]
    let engine = invocation.jobs.engine
    let link = try invocation.foundationLink(for: kind)
    return try invocation.build(kind) { name in
      if let link {
        return FoundationOperation(
          name: name, kind: kind.name, engine: engine, link: link, style: .asynchronous
        ) { operation in
          operation.pause(for: duration)
          return .null
        }
      }
      return DelayOperation(name: name, duration: duration, engine: engine)
    }
  }
}
