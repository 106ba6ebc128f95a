import CommandParts
import OpshNetworking
import PracticeServer
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `server`: the practice server at a glance.
enum Server: Command {
  static let path = ["server"]
  static let declaration = CommandDeclaration(
    summary: "Shows the practice server: address, faults, what it served",
    discussion: """
      The server is embedded, serves on 127.0.0.1 only, and starts with the first request. \
      'server latency', 'fail', 'drop' and 'bandwidth' set faults; 'server fault' sets many more \
      by their names, which 'server faults' lists. 'server log' shows the requests, 'server seed' \
      and 'server reset' start over.
      """,
    examples: [.init("server; fetch questions; wait; server", "before and after it was started")],
    searchTerms: ["practice", "fake", "mock", "faults", "local"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let server = invocation.server
    let statistics = server.statistics
    if invocation.isJSON {
      invocation.object(
        .server,
        [
          "address": .optional(server.baseURL), "faults": .string(describe(server.faults)),
          "seed": .string(String(server.seed)), "requests": .number(Int(statistics.requests)),
          "sent": .number(Int(statistics.bytesSent)),
        ])
      return server.baseURL.map(Value.string) ?? .null
    }
    let rows: [(String, String)] = [
      ("address", server.baseURL ?? "not started; it starts when it is first asked"),
      ("faults", describe(server.faults)),
      ("seed", String(server.seed)),
      ("requests", String(statistics.requests)),
      ("sent", ByteCount(statistics.bytesSent).description),
    ]
    invocation.print(rows: rows.map { ($0, StyledText(VisibleText.escape($1))) })
    return server.baseURL.map(Value.string) ?? .null
  }

  private static func describe(_ faults: Faults) -> String {
    var parts: [String] = []
    if faults.latency + faults.jitter > .zero {
      let half = faults.jitter / 2
      let jitter = half > .zero ? " ± \(DurationText(half).description)" : ""
      parts.append("latency \(DurationText(faults.latency + half).description)\(jitter)")
    }
    if faults.failPercent > 0 {
      parts.append("\(Value.percent(faults.failPercent).text) fail with \(faults.failStatus)")
    }
    if faults.dropPercent > 0 {
      parts.append("\(Value.percent(faults.dropPercent).text) are dropped")
    }
    if let bandwidth = faults.bandwidth { parts.append("\(ByteCount(bandwidth).description)/s") }
    parts += faults.named.map(\.description)
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}

extension ObjectKind {
  package static let server = ObjectKind(
    type: "server", commands: "`server`",
    keys: [
      ("address", "its base URL; null before it was started"), ("faults", "its faults, in words"),
      ("seed", "the seed of its random numbers"), ("requests", "how many requests it served"),
      ("sent", "how many bytes it sent"),
    ])
}
