import CommandParts
import ShellLanguage
import ShellOutput
import ShellSession

/// `sleep`: does nothing for a time.
enum Sleep: Command {
  static let duration = Positional<Duration>("duration", help: "how long: 200ms, 2s, 1m")

  static let path = ["sleep"]
  static let declaration = CommandDeclaration(
    summary: "Does nothing for a time",
    discussion: "Events are shown and handlers run meanwhile. 'delay' builds an operation instead.",
    positionals: [duration],
    examples: [.init("sleep 10ms", "a hundredth of a second")],
    searchTerms: ["wait", "pause", "time"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let duration = invocation.call[Self.duration]
    let end = try invocation.run.wait(until: invocation.run.clock.now + duration, isSleep: true) {
      false
    }
    if end == .interrupted { throw Interruption("stopped sleeping") }
    return .null
  }
}
