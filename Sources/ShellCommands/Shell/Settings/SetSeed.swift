import CommandParts
import ShellLanguage
import ShellSession

/// `set seed`: the seed of the random numbers.
enum SetSeed: Setting {
  static let name = "seed"
  static let summary = "Seed of the random numbers: same seed, same run"
  static let discussion = """
    The same seed gives the same pauses before retries with jitter, and the same data and faults \
    of the practice server, which restores its initial data, as with 'server seed'. Together with \
    'set clock virtual' all runs are the same.
    """
  static let argument = Positional<Int?>(
    "value", .integer(minimum: 0), help: "seed: none at the start, 1 on the virtual clock")
  static let examples: [CommandDeclaration.Example] = [
    .init("set seed", "the number, if there is one"),
    .init(
      "set seed 7; server fail 50%; fetch questions --retry 3 --backoff 10ms; wait --any-outcome",
      "the same requests fail in each run"),
  ]
  static let searchTerms = ["random", "chance", "deterministic", "repeatable", "jitter", "faults"]

  static func value(in invocation: Invocation) -> Value {
    invocation.run.seed.map { .integer(Int64(clamping: $0)) } ?? .string("none")
  }

  static func set(_ seed: Int, in invocation: Invocation) { invocation.run.setSeed(UInt64(seed)) }
}
