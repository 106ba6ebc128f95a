import Foundation
import OpshJSON
import OpshNetworking
import Operations
import ShellOutput
import ShellSession
import OpshSupport

/// The requests of the session as an HTTP Archive, version 1.2
/// (<http://www.softwareishard.com/blog/har-12-spec/>), which the network panels of browsers read.
///
/// An entry is one exchange of one attempt; `_operation`, `_attempt` and `_error` tell which, and
/// why it failed. Secrets are masked. The bodies of responses are left out, and so are those of
/// requests that are files, neither forms nor JSON, long, or of a recording.
struct HARText {
  let text: String
  /// How many entries there are.
  let count: Int

  private typealias Member = JSONValue.Member

  init(of operations: [ObservableOperation], clock: SessionClock, masking secrets: SecretMask) {
    var entries: [(start: ContinuousClock.Instant, entry: JSONValue)] = []
    for operation in operations {
      guard let request = operation.networkMetrics else { continue }
      for attempt in request.requestAttempts {
        var start = attempt.started
        for exchange in attempt.exchanges {
          entries.append(
            (start, Self.entry(exchange, of: attempt, operation, at: start, clock, secrets)))
          start += exchange.timings.waited + exchange.timings.total
        }
      }
    }
    count = entries.count
    // Equal times keep the order of the operations.
    let sorted = entries.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }
    let creator = Self.object(["name": .string("opsh"), "version": .string(Version.number)])
    text =
      Self.object([
        "log": Self.object([
          "version": .string("1.2"), "creator": creator,
          "entries": .array(sorted.map { secrets.mask($0.element.entry) }),
        ])
      ]).text + "\n"
  }

  private static func entry(
    _ exchange: HTTPExchange, of attempt: RequestAttempt, _ operation: ObservableOperation,
    at start: ContinuousClock.Instant, _ clock: SessionClock,
    _ secrets: SecretMask
  ) -> JSONValue {
    let timings = timings(of: exchange.timings)
    var members: [(String, JSONValue)] = [
      ("startedDateTime", .string(clock.timestamp(start))),
      ("time", milliseconds(exchange.timings.waited + exchange.timings.total)),
      ("request", request(exchange, secrets)), ("response", response(exchange)),
      ("cache", .object([])), ("timings", timings),
      ("_operation", .string(operation.displayName)), ("_attempt", .number(attempt.number)),
    ]
    if let peer = exchange.peer, let colon = peer.lastIndex(of: ":") {
      members.append(("serverIPAddress", .string(String(peer[..<colon]))))
    }
    if let error = attempt.error { members.append(("_error", .string(error.code))) }
    return .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  private static func request(_ exchange: HTTPExchange, _ secrets: SecretMask) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("method", .string(exchange.method)), ("url", .string(exchange.url)),
      ("httpVersion", .string(exchange.version ?? "HTTP/1.1")), ("cookies", .array([])),
      ("headers", headers(exchange.sentHeaders)), ("queryString", query(of: exchange.url)),
    ]
    if let data = postData(of: exchange, secrets) { members.append(("postData", data)) }
    let size = exchange.wasSent ? exchange.sentBodySize ?? 0 : -1
    members += [("headersSize", .number(-1)), ("bodySize", .number(size))]
    return .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  /// What the body of a request says; nil without one.
  ///
  /// The format excludes `params` together with `text`. Chromium reads only `text`, so that a form
  /// is one unless it has files, which are left out. Secrets are masked before the text is made,
  /// because its escapes would hide them.
  private static func postData(of exchange: HTTPExchange, _ secrets: SecretMask) -> JSONValue? {
    guard let size = exchange.sentBodySize, size > 0 else { return nil }
    let type = value(of: "content-type", in: exchange.sentHeaders)
    let content: [Member] =
      switch exchange.sentBody {
      case .fields(let fields)?: [text(encoded(fields, secrets))]
      case .json(let value)?: [text(secrets.mask(value).text)]
      case .parts(let parts)?: [.init(name: "params", value: .array(parts.map(parameter)))]
      case nil:
        [text(""), .init(name: "comment", value: .string("\(ByteCount(size)), left out"))]
      }
    return .object([.init(name: "mimeType", value: .string(type))] + content)
  }

  private static func text(_ text: String) -> Member { .init(name: "text", value: .string(text)) }

  /// The fields of a form, encoded, with stars as they are.
  private static func encoded(_ fields: [SentBody.Field], _ secrets: SecretMask) -> String {
    fields.map { field in
      [field.name, field.value ?? ""].map {
        PercentEncoding.encode(secrets.mask($0), space: "+").replacing("%2A", with: "*")
      }.joined(separator: "=")
    }.joined(separator: "&")
  }

  private static func parameter(_ part: SentBody.Field) -> JSONValue {
    var members = [Member(name: "name", value: .string(part.name))]
    if let value = part.value { members.append(.init(name: "value", value: .string(value))) }
    if let file = part.file { members.append(.init(name: "fileName", value: .string(file))) }
    if let type = part.fileType {
      members.append(.init(name: "contentType", value: .string(type)))
    }
    return .object(members)
  }

  private static func response(_ exchange: HTTPExchange) -> JSONValue {
    let received = exchange.receivedHeaders
    let (bytes, whole) = (exchange.bytesReceived, exchange.bytesExpanded)
    var content = [
      Member(name: "size", value: .number(whole ?? bytes)),
      Member(name: "mimeType", value: .string(value(of: "content-type", in: received))),
    ]
    if let whole { content.append(.init(name: "compression", value: .number(whole - bytes))) }
    return object([
      // 0 stands for a response that never came, as in browsers.
      "status": .number(exchange.status ?? 0), "statusText": .string(exchange.reasonPhrase),
      "httpVersion": .string(exchange.status == nil ? "" : exchange.version ?? "HTTP/1.1"),
      "cookies": .array([]), "headers": headers(received), "content": .object(content),
      "redirectURL": .string(value(of: "location", in: received)), "headersSize": .number(-1),
      "bodySize": .number(exchange.status == nil ? -1 : bytes),
    ])
  }

  private static func value(
    of name: String, in headers: [(name: String, value: String)]
  ) -> String {
    headers.first { $0.name.lowercased() == name }?.value ?? ""
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
        func decoded(_ text: Substring) -> JSONValue {
          .string(PercentEncoding.decode(Array(text.utf8)[...], plusIsSpace: true))
        }
        return object([
          "name": decoded(parts[0]), "value": parts.count > 1 ? decoded(parts[1]) : .string(""),
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
      "blocked": times.waited > .zero ? milliseconds(times.waited) : .number(-1),
      "dns": milliseconds(times.lookup),
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
