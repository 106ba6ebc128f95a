import ShellLanguage

/// `set clock`: whether time is the system's, or only passes when all wait.
enum SetClock: Setting {
  static let name = "clock"
  static let summary = "Whose time it is: the system's, or one that jumps to what is next"
  static let discussion = """
    On the virtual clock delays, paces, time limits, retries, 'sleep', 'wait', 'expect … within', \
    '--timeout' and the practice server's latency take no real time: while all wait, the clock \
    jumps to what is due next, and between two statements it stands still. One thing happens at a \
    time, so that each run prints the same; the practice server answers in the process; quotes, \
    tags and kept responses begin empty and are forgotten. The seed is 1 unless 'set seed' says \
    otherwise. Refused are 'run', '!', '--blocking' and servers elsewhere. The programs of a pipe \
    are not: they are given text that is there already, and the clock stands still until they have \
    ended. Choose it before anything is built.
    """
  static let kind = ArgumentKind.choice(["real", "virtual"])
  static let valueHelp = "real, as at the start, or virtual"
  static let examples: [CommandSignature.Example] = [
    .init("set clock", "which it is"),
    .init("set clock virtual; delay 10m; wait; ops", "ten minutes, at once"),
  ]
  static let searchTerms = [
    "time", "virtual", "deterministic", "fast", "simulated", "repeatable", "reproducible",
  ]

  static func value(in session: Session) -> Value {
    .string(session.isVirtual ? "virtual" : "real")
  }

  static func set(_ value: Value, in session: Session) throws {
    try session.setClock(isVirtual: value.text == "virtual")
  }
}
