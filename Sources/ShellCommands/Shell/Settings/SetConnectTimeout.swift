import CommandParts
import OpshLocking
import OpshNetworking
import ShellLanguage
import ShellSession

/// `set connect-timeout`: how long requests may take to reach their server.
enum SetConnectTimeout: Setting {
  static let name = "connect-timeout"
  static let summary = "Time limit of finding and reaching the server, for all requests"
  static let discussion = """
    It covers the lookup of the host, the connection and the TLS handshake, in each attempt. \
    '--connect-timeout' sets another for one command. Operations that exist already keep theirs. \
    Without a limit the system gives up a connection after about two minutes.
    """
  static let argument = Positional<DurationOrOff?>(
    "value", help: "a duration, such as 5s, or 'off' for no limit")
  static let examples: [CommandDeclaration.Example] = [
    .init("set connect-timeout", "the present limit: 30s at the start"),
    .init(
      "set connect-timeout 2s; get '/2.3/info?site=stackoverflow'; wait",
      "for all requests from now on"),
  ]
  static let searchTerms = ["timeout", "connection", "lookup", "TLS", "limit", "slow"]

  static func value(in invocation: Invocation) -> Value {
    let limit = invocation.outside.network.requestDefaults.withLock(\.transfer.connectTimeout)
    return limit.map { .duration($0) } ?? .string("off")
  }

  static func set(_ limit: DurationOrOff, in invocation: Invocation) {
    invocation.outside.network.requestDefaults.withLock {
      $0.transfer.connectTimeout = limit.duration
    }
  }
}
