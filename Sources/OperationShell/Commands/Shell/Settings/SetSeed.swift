import ShellLanguage

/// `set seed`: from what chance follows.
enum SetSeed: Setting {
  static let name = "seed"
  static let summary = "The number that all that is left to chance follows from"
  static let discussion = """
    The same number gives the same pauses before retries with jitter, and the same data and \
    faults of the practice server, which forgets what was written to it, as with 'server seed'. \
    Together with 'set clock virtual' each run is like the other.
    """
  static let kind = ArgumentKind.integer(minimum: 0)
  static let valueHelp = "any number; none at the start, 1 on the virtual clock"
  static let examples: [CommandSignature.Example] = [
    .init("set seed", "the number, if there is one"),
    .init(
      "set seed 7; server fail 50%; fetch questions --retry 3 --backoff 10ms; wait --any-outcome",
      "the same requests fail in each run"),
  ]
  static let searchTerms = ["random", "chance", "deterministic", "repeatable", "jitter", "faults"]

  static func value(in session: Session) -> Value {
    session.seed.map { .integer(Int64(clamping: $0)) } ?? .string("none")
  }

  static func set(_ value: Value, in session: Session) {
    if case .integer(let number) = value { session.setSeed(UInt64(number)) }
  }
}
