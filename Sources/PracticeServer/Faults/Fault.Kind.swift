extension Fault {
  /// A kind of fault, by its name.
  public struct Kind: Sendable, Equatable {
    /// The name, such as `stall-body` or `status-503`.
    public let name: String
    /// What goes wrong, in one line without a final full stop.
    public let summary: String
    /// What a careful client reports, by the codes that opsh has for it, or what it does.
    public let report: String
    /// What the time, its spread and the number mean, for those that the kind takes.
    public let parameters: KeyValuePairs<Parameter, String>
    let effect: FaultEffect

    private init(
      _ name: String, _ effect: FaultEffect, _ summary: String, report: String,
      _ parameters: KeyValuePairs<Parameter, String> = [:]
    ) {
      self.name = name
      self.effect = effect
      self.summary = summary
      self.report = report
      self.parameters = parameters
    }

    init(named name: String) throws(PracticeServerError) {
      if let found = Self.byName[name] {
        self = found
      } else if name.hasPrefix("status-"), let status = Int(name.dropFirst(7)),
        (400...599).contains(status), name.utf8.count == 10
      {
        self.init(
          name, .status(status),
          "Answers with HTTP status \(status) instead of the service",
          report: "invalid-status-code(\(status))", Self.status)
      } else {
        throw .unknownFault(name)
      }
    }

    /// What a parameter means for the kind, or nil if the kind does not take it.
    ///
    /// - Parameter parameter: The parameter.
    /// - Returns: One line that also names what is usual.
    public func meaning(of parameter: Parameter) -> String? {
      parameters.first { $0.key == parameter }?.value
    }

    /// Whether both are the same kind, which its name says.
    public static func == (left: Kind, right: Kind) -> Bool { left.name == right.name }

    /// All kinds, those that belong together side by side.
    ///
    /// The one that is called `status-NNN` stands for `status-400` to `status-599`.
    public static let all: [Kind] = timing + answers + contents + connections + certificates + rules

    /// The names that a fault can have, `status-400` to `status-599` included.
    public static let names: [String] =
      all.map(\.name).filter { $0 != "status-NNN" } + (400...599).map { "status-\($0)" }

    private static let byName: [String: Kind] = Dictionary(
      uniqueKeysWithValues: all.filter { $0.name != "status-NNN" }.map { ($0.name, $0) })

    private static let status: KeyValuePairs<Parameter, String> = [
      .duration: "the Retry-After; 1 s where one is usual (420, 429, 503), else none"
    ]

    static let latency = Kind(
      "latency", .latency, "Holds every answer back", report: "nothing, or timed-out",
      [.duration: "how long; 200 ms", .spread: "how much longer or shorter; none"])

    static let stall = Kind(
      "stall", .deliver(.stall), "Never answers, and keeps the connection open",
      report: "timed-out", stallTime)

    static let bandwidth = Kind(
      "bandwidth", .bandwidth, "Limits how fast the body is sent", report: "nothing, or timed-out",
      [.size: "bytes a second; 10,000"])

    static let fail = Kind(
      "fail", .fail, "Answers with a status, usually an error, instead of the service",
      report: "invalid-status-code(503)",
      [.size: "the status, 200 to 599; 503", .duration: "the Retry-After; none"])

    static let drop = Kind(
      "drop", .drop, "Closes before, in or after the headers", report: "connection-lost")

    private static let timing: [Kind] = [
      latency, bandwidth,
      Kind(
        "slow-drip", .deliver(.slowDrip), "Sends the body a few bytes at a time",
        report: "nothing, or timed-out",
        [.size: "bytes a second; 100"]),
      stall,
      Kind(
        "stall-headers", .deliver(.stallInHeaders), "Stops in the middle of the headers",
        report: "timed-out", stallTime),
      Kind(
        "stall-body", .deliver(.stallInBody), "Stops in the middle of the body",
        report: "timed-out",
        stallTime),
    ]

    private static let stallTime: KeyValuePairs<Parameter, String> = [
      .duration: "after which it goes on; until the client leaves"
    ]

    private static let answers: [Kind] = [
      fail,
      Kind(
        "status-NNN", .status(0), "Answers with HTTP status 400 to 599 instead",
        report: "invalid-status-code(NNN)", status),
      Kind(
        "rate-limited", .rateLimited,
        "Refuses as the service does when a client asks too much: 420, throttle_violation, 155",
        report: "api(502, throttle_violation, …), or the status",
        [.duration: "the Retry-After, or the time that is named; 1 s"]),
      Kind(
        "redirect-loop", .redirect(.loop), "Redirects in a loop", report: "too-many-redirects"),
      Kind(
        "redirect-elsewhere", .redirect(.elsewhere),
        "Redirects to the same server under another host name, which answers", report: "nothing"),
      Kind(
        "redirect-unsupported", .redirect(.unsupported), "Redirects to an ftp address",
        report: "unsupported-protocol"),
    ]

    private static let contents: [Kind] = [
      Kind(
        "empty-body", .rewrite(.emptyBody), "Answers with status 200 and no body",
        report: "missing-data"),
      Kind(
        "html-body", .rewrite(.page), "Answers with status 200 and a page of HTML",
        report: "serialization"),
      Kind(
        "malformed-json", .rewrite(.malformedJSON), "Leaves out the end of the JSON",
        report: "serialization"),
      Kind(
        "wrong-types", .rewrite(.wrongTypes), "Makes numbers strings and strings numbers",
        report: "serialization"),
      Kind(
        "broken-gzip", .rewrite(.brokenGzip), "Damages the compressed body", report: "bad-response"),
      Kind(
        "truncated-gzip", .rewrite(.truncatedGzip),
        "Cuts the compressed body short, with a Content-Length to match", report: "bad-response"),
      Kind(
        "huge-body", .hugeBody, "Answers with far too long a body", report: "too-large",
        [.size: "bytes; 300,000,000"]),
    ]

    private static let connections: [Kind] = [
      drop,
      Kind(
        "stale-connection", .deliver(.staleConnection),
        "Closes a connection that was kept open, just as the next request comes on it",
        report: "nothing: it sends the request again on another connection"),
      Kind(
        "drop-before-headers", .deliver(.dropBeforeHeaders), "Closes without sending a byte",
        report: "connection-lost"),
      Kind(
        "drop-in-headers", .deliver(.dropInHeaders), "Closes in the middle of the headers",
        report: "connection-lost"),
      Kind(
        "drop-after-headers", .deliver(.dropAfterHeaders), "Closes before the body",
        report: "connection-lost"),
      Kind(
        "truncated-body", .deliver(.truncatedBody), "Closes in the middle of the body",
        report: "connection-lost"),
      Kind(
        "reset", .deliver(.reset), "Resets the connection instead of answering",
        report: "connection-lost"),
      Kind(
        "reset-in-body", .deliver(.resetInBody), "Resets it in the middle of the body",
        report: "connection-lost"),
      Kind(
        "wrong-length", .deliver(.wrongLength), "Sends more than the Content-Length says",
        report: "bad-response or serialization"),
      Kind(
        "bad-length", .deliver(.badLength), "Sends a Content-Length that is not a number",
        report: "bad-response"),
      Kind(
        "broken-chunk", .deliver(.brokenChunk), "Sends a chunk whose size is not a number",
        report: "bad-response"),
      Kind(
        "truncated-chunks", .deliver(.truncatedChunks), "Closes before the last chunk",
        report: "connection-lost"),
      Kind(
        "bad-status-line", .deliver(.badStatusLine), "Sends an invalid status line",
        report: "bad-response"),
      Kind(
        "bad-header", .deliver(.badHeader), "Sends a header line without a colon",
        report: "bad-response"),
      Kind(
        "huge-header", .deliver(.hugeHeader), "Sends a header that is far too long",
        report: "too-large",
        [.size: "bytes; 1,000,000"]),
    ]

    private static let certificates: [Kind] = [
      Kind(
        "expired-certificate", .redirect(.secure(.expired)),
        "Redirects to https, where its certificate has expired", report: "tls"),
      Kind(
        "wrong-host", .redirect(.secure(.wrongHost)),
        "Redirects to https, where its certificate is for another host", report: "tls"),
    ]

    private static let rules: [Kind] = [
      Kind(
        "throttle", .throttle,
        "Refuses a client that makes too many requests in one second, as Stack Exchange does",
        report: "api(502, throttle_violation, …)",
        [.size: "requests a second; 30", .duration: "for how long it is refused; 30 s"]),
      Kind(
        "backoff", .backoff,
        "Asks Stack Exchange clients for a backoff, and refuses those that ignore it",
        report: "nothing: it keeps the pause",
        [.duration: "the backoff, in whole seconds; 10 s"]),
      Kind(
        "quota", .quota, "Refuses what goes beyond the daily quota of Stack Exchange",
        report: "api(502, throttle_violation, …)"),
      Kind(
        "cache", .cache, "Allows clients to keep answers: not wrong, but seldom asked for",
        report: "nothing",
        [
          .duration: "the max-age; 60 s",
          .spread: "the stale-while-revalidate; 300 s",
        ]),
    ]
  }
}
