import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `slow`: sets how long operations stay in a phase.
enum Slow: Command {
  static let phase = Positional<OperationPhase?>("phase", help: "phase (default: show the times)")
  static let time = Positional<DurationOrOff?>(
    "time", help: "time that each operation stays in the phase, such as 2s, or 'off'")

  static let path = ["slow"]
  static let declaration = CommandDeclaration(
    summary: "Sets how long each operation stays in a phase of its work",
    discussion: """
      Each operation that comes to the phase waits that long before it does the work of the phase, \
      in the time of the session: so there is time to look, to pause and to cancel. 'off' ends \
      that, also for those that wait now, and so does 'reset'; 'resume' ends it for one operation. \
      'slow' alone shows the times.
      """,
    positionals: [phase, time],
    examples: [
      .init("slow decoding 50ms; fetch questions; wait; slow decoding off", "with a line for it"),
      .init("slow saving 20ms; slow", "shown"),
    ],
    searchTerms: ["phase", "headers", "body", "decoding", "saving", "delay", "parsing"],
    rules: [ArgumentRule(incomplete)])

  @Sendable private static func incomplete(_ call: CommandCall) -> Diagnostic? {
    guard let phase = call.known(phase) ?? nil, call.lacks(time) else { return nil }
    return call.failure(
      .missingArgument, "'slow \(phase.rawValue)' needs a time after it", at: Self.phase,
      help: "such as 'slow \(phase.rawValue) 2s', or 'off'")
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let engine = invocation.jobs.engine
    guard let phase = invocation.call[phase] else {
      let times = engine.phaseTimes
      let lines = OperationPhase.allCases.compactMap { phase in
        times[phase].map { "\(phase.rawValue) \($0.argumentText)" }
      }
      invocation.printText(
        lines.isEmpty ? "no phase is slowed down" : lines.joined(separator: "\n"))
      return .null
    }
    let time = invocation.call[time]?.duration
    engine.slow(phase, to: time)
    if time == nil {
      for operation in invocation.jobs.operations.unfinished where operation.slowedPhase == phase {
        operation.endSlowedPhase()
      }
    }
    return .null
  }
}
