import CommandParts
import OpshLocking
import OpshNetworking
import ShellLanguage
import ShellSession

/// `set idle-timeout`: how long a server may send nothing.
enum SetIdleTimeout: Setting {
  static let name = "idle-timeout"
  static let summary = "Time limit without a byte in either direction, for all requests"
  static let discussion = """
    It begins with the request and again with each byte, in each attempt; a transfer that goes on \
    has no limit but '--timeout'. '--idle-timeout' sets another for one command. Operations that \
    exist already keep theirs. With 'off' a server that stalls holds a script until it is \
    cancelled.
    """
  static let argument = Positional<DurationOrOff?>(
    "value", help: "a duration, such as 20s, or 'off' for no limit")
  static let examples: [CommandDeclaration.Example] = [
    .init("set idle-timeout", "the present limit: 1m at the start"),
    .init(
      "set idle-timeout 50ms; server fault stall; get /2.3/info; wait --any-outcome",
      "the request fails after 50 ms without a byte"),
  ]
  static let searchTerms = ["timeout", "stall", "silence", "hang", "limit", "slow"]

  static func value(in invocation: Invocation) -> Value {
    let limit = invocation.outside.network.requestDefaults.withLock(\.transfer.idleTimeout)
    return limit.map { .duration($0) } ?? .string("off")
  }

  static func set(_ limit: DurationOrOff, in invocation: Invocation) {
    invocation.outside.network.requestDefaults.withLock { $0.transfer.idleTimeout = limit.duration }
  }
}
