import CommandParts
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// `time`: how long a command takes, what it built included.
enum Time: Command {
  static let command = Positional<Block>("command", .command, help: "any command, or a block")

  static let path = ["time"]
  static let declaration = CommandDeclaration(
    summary: "Runs a command, waits for what it built, and says how long that took",
    positionals: [command],
    examples: [
      .init("time delay 20ms --count 4", "four delays on a queue of width 2"),
      .init("time { delay 10ms; delay 10ms }", "several commands"),
    ],
    searchTerms: ["measure", "duration", "benchmark", "how long"],
    blockVariables: [], traits: [.passesOptionsOn, .waits, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let first = invocation.jobs.operations.count
    let start = invocation.run.clock.now
    let value = try invocation.context.run(invocation.call[command])
    let built = invocation.jobs.operations.count - first
    let waiting = Waiting(
      invocation: invocation, subject: .operations,
      targets: invocation.jobs.operations.added(after: first))
    do {
      _ = try waiting.run()
    } catch {
      // A session that is left did not wait for the end, so there is no duration to report.
      if !invocation.run.isControlTransfer(error) { report(since: start, built, invocation) }
      throw error
    }
    report(since: start, built, invocation)
    return value
  }

  private static func report(
    since start: ContinuousClock.Instant, _ built: Int, _ invocation: Invocation
  ) {
    let elapsed = invocation.run.clock.now - start
    let count = built == 0 ? "" : ", \(built) operation\(built == 1 ? "" : "s")"
    invocation.print(StyledText("took \(DurationText(elapsed).description)\(count)"))
  }
}
