import CommandParts
import ShellLanguage
import ShellSession

/// `set clock`: real time, or virtual time that passes only while all wait.
enum SetClock: Setting {
  enum Clock: String, CaseIterable, ParameterValue {
    case real, virtual
  }

  static let name = "clock"
  static let summary = "Real time, or virtual time that jumps to the next event"
  static let discussion = """
    On the virtual clock delays, paces, time limits, retries, 'sleep', 'wait', 'expect … within', \
    '--timeout' and the practice server's latency take no real time: while all wait, the clock \
    jumps to the next event, and between two statements it stands still; 'next' takes single \
    steps. One thing happens at a time, so that each run prints the same; the practice server answers in the process; quotes, \
    tags and the cache begin empty and are discarded at the end. The seed is 1 unless 'set seed' \
    sets another. The virtual clock refuses 'run', '!', '--blocking', 'server start', 'queue new \
    --engine foundation' and servers elsewhere. It allows the programs of a pipe: they read text \
    that is complete, and the clock stands still until they have ended. Set it before anything is \
    built.
    """
  static let argument = Positional<Clock?>("value", help: "real, as at the start, or virtual")
  static let examples: [CommandDeclaration.Example] = [
    .init("set clock", "the clock in use"),
    .init("set clock virtual; delay 10m; wait; ops", "ten minutes, at once"),
  ]
  static let searchTerms = [
    "time", "virtual", "deterministic", "fast", "simulated", "repeatable", "reproducible",
  ]

  static func value(in invocation: Invocation) -> Value {
    .string(invocation.run.mode.isRepeatable ? "virtual" : "real")
  }

  static func set(_ clock: Clock, in invocation: Invocation) throws {
    try invocation.run.setClock(isVirtual: clock == .virtual)
  }

  static func clockUse(of call: CommandCall) -> ClockUse {
    guard let clock = call.known(argument) else { return .setsClock(isVirtual: nil) }
    return clock.map { .setsClock(isVirtual: $0 == .virtual) } ?? .none
  }
}
