import Foundation
import JSON
import Networking
import Operations
import ShellOutput
import ShellSession
import Support

/// The requests of the session as an HTTP Archive, version 1.2
/// (<http://www.softwareishard.com/blog/har-12-spec/>), which the network panels of browsers read.
///
/// An entry is one exchange of one attempt; `_operation`, `_attempt` and `_error` tell which, and
/// why it failed. Secrets are masked; bodies are left out.
struct HARText {
  let text: String
  /// How many entries there are.
  let count: Int

  private typealias Member = JSONValue.Member

  init(of operations: [ObservableOperation], clock: SessionClock, version: String) {
    var entries: [(start: ContinuousClock.Instant, entry: JSONValue)] = []
    for operation in operations {
      guard let request = operation.networkMetrics else { continue }
      for attempt in request.requestAttempts {
        var start = attempt.started
        for (index, exchange) in attempt.exchanges.enumerated() {
          let isLast = index == attempt.exchanges.count - 1
          let bytes = isLast && attempt.number == operation.attempts ? request.bytesReceived : nil
          entries.append(
            (
              start,
              Self.entry(exchange, of: attempt, operation, at: start, bytes: bytes, clock)
            ))
          start += exchange.timings.total
        }
      }
    }
    count = entries.count
    // Equal times keep the order of the operations.
    let sorted = entries.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }
    let creator = Self.object(["name": .string("opsh"), "version": .string(version)])
    text =
      Self.object([
        "log": Self.object([
          "version": .string("1.2"), "creator": creator,
          "entries": .array(sorted.map(\.element.entry)),
        ])
      ]).text + "\n"
  }

  private static func entry(
    _ exchange: HTTPExchange, of attempt: RequestAttempt, _ operation: ObservableOperation,
    at start: ContinuousClock.Instant, bytes: Int?, _ clock: SessionClock
  ) -> JSONValue {
    let timings = timings(of: exchange.timings)
    var members: [(String, JSONValue)] = [
      ("startedDateTime", .string(clock.timestamp(start))),
      ("time", milliseconds(exchange.timings.total)),
      ("request", request(exchange)), ("response", response(exchange, bytes: bytes)),
      ("cache", .object([])), ("timings", timings),
      ("_operation", .string(operation.displayName)), ("_attempt", .number(attempt.number)),
    ]
    if let peer = exchange.peer, let colon = peer.lastIndex(of: ":") {
      members.append(("serverIPAddress", .string(String(peer[..<colon]))))
    }
    if let error = attempt.error { members.append(("_error", .string(error.code))) }
    return .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  private static func request(_ exchange: HTTPExchange) -> JSONValue {
    object([
      "method": .string(exchange.method), "url": .string(exchange.url),
      "httpVersion": .string(exchange.version ?? "HTTP/1.1"), "cookies": .array([]),
      "headers": headers(exchange.sentHeaders), "queryString": query(of: exchange.url),
      "headersSize": .number(-1), "bodySize": .number(-1),
    ])
  }

  private static func response(_ exchange: HTTPExchange, bytes: Int?) -> JSONValue {
    let received = exchange.receivedHeaders
    func header(_ name: String) -> String {
      received.first { $0.name.lowercased() == name }?.value ?? ""
    }
    return object([
      // 0 stands for a response that never came, as in browsers.
      "status": .number(exchange.status ?? 0), "statusText": .string(""),
      "httpVersion": .string(exchange.version ?? "HTTP/1.1"), "cookies": .array([]),
      "headers": headers(received),
      "content": object([
        "size": .number(bytes ?? 0), "mimeType": .string(header("content-type")),
      ]),
      "redirectURL": .string(header("location")), "headersSize": .number(-1),
      "bodySize": .number(bytes ?? -1),
    ])
  }

  private static func headers(_ headers: [(name: String, value: String)]) -> JSONValue {
    .array(headers.map { object(["name": .string($0.name), "value": .string($0.value)]) })
  }

  private static func query(of url: String) -> JSONValue {
    guard let start = url.firstIndex(of: "?") else { return .array([]) }
    let pairs = url[url.index(after: start)...].prefix { $0 != "#" }.split(separator: "&")
    return .array(
      pairs.map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return object([
          "name": .string(String(parts[0])),
          "value": .string(parts.count > 1 ? String(parts[1]) : ""),
        ])
      })
  }

  /// The phases; `ssl` is a part of `connect`, and -1 means that there was none.
  private static func timings(of times: TransferTimings) -> JSONValue {
    // On a connection that was used before, only the lookup takes time.
    let connected = max(times.lookup, times.connect, times.tls ?? .zero)
    let sent = max(times.sent ?? .zero, connected)
    let firstByte = max(times.firstByte ?? times.total, sent)
    return object([
      "blocked": .number(-1), "dns": milliseconds(times.lookup),
      "connect": milliseconds(connected - times.lookup),
      "ssl": times.tls.map { milliseconds(max(.zero, $0 - times.connect)) } ?? .number(-1),
      "send": milliseconds(sent - connected), "wait": milliseconds(firstByte - sent),
      "receive": milliseconds(max(.zero, times.total - firstByte)),
    ])
  }

  private static func milliseconds(_ duration: Duration) -> JSONValue {
    .real((duration.seconds * 1_000_000).rounded() / 1_000)
  }

  private static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }
}
