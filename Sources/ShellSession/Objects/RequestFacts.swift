package import OpshNetworking
import ShellLanguage
import OpshSupport
package import OpshTerminal

/// The rows of `show` about a request.
package enum RequestFacts {
  package static func rows(
    of metrics: any NetworkOperationMetrics
  ) -> [(name: String, text: StyledText)] {
    var rows: [(name: String, text: StyledText)] = []
    func add(_ name: String, _ text: String) {
      rows.append((name, StyledText(VisibleText.escape(text))))
    }
    add("request", "\(metrics.method) \(metrics.requestURL)")
    if let path = metrics.outputPath { add("file", path) }
    for header in metrics.sentHeaders { add("header", "\(header.name): \(header.value)") }
    if let authentication = metrics.authenticationText { add("auth", authentication) }
    if let path = metrics.cookiePath { add("cookies", path) }
    if let url = metrics.redirectedURL { add("redirected", "to \(url)") }
    if let status = metrics.statusCode { add("status", String(status)) }
    if let position = metrics.resumedAt { add("resumed", "at byte \(position)") }
    add("received", received(metrics))
    if let rate = metrics.bytesPerSecond {
      add("bandwidth", ByteCount(Int(min(rate, 1e15))).description + "/s")
    }
    if let timings = metrics.timings {
      add("timings", timings.text)
    }
    return rows
  }

  /// The number of bytes received, and the total while the body is incomplete and its length known.
  static func received(_ metrics: any NetworkOperationMetrics) -> String {
    let bytes = metrics.bytesReceived
    // A hit of the cache: the body of that length was not received.
    if case .hit? = metrics.cacheUse {
      return ByteCount(bytes).description
    }
    let text = ByteCount(bytes).description
    guard let all = metrics.bytesExpected, all > bytes, metrics.method != "HEAD",
      metrics.timings == nil
    else { return text }
    let percent = Int(Double(bytes) / Double(all) * 100)
    return "\(text) of \(ByteCount(all).description), \(percent) %"
  }
}

extension TransferTimings {
  /// Such as `lookup 1 ms, connect 2 ms, first byte 9 ms, total 10 ms`.
  package var text: String {
    parts.map { "\($0.name) \(DurationText($0.time).description)" }.joined(separator: ", ")
  }

  /// The parts with their names, each measured from the start.
  var parts: [(name: String, time: Duration)] {
    all.compactMap { name, time in time.map { (name, $0) } }
  }

  private var all: [(name: String, time: Duration?)] {
    [
      ("waited", waited > .zero ? waited : nil), ("lookup", lookup), ("connect", connect),
      ("tls", tls), ("sent", sent), ("first byte", firstByte), ("total", total),
    ]
  }

  /// The parts as a value of the language: `$get-1.timings.connect`.
  var value: Value {
    .record(
      all.map {
        .init(
          $0.name == "first byte" ? "first_byte" : $0.name, $0.time.map(Value.duration) ?? .null)
      })
  }
}
