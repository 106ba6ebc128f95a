/// An answer, ready to be sent.
struct PracticeAnswer {
  /// One header field.
  struct Header: Equatable {
    var name: String
    var value: String
  }

  var status: Int
  var headers: [Header]
  var body: [UInt8]

  /// An answer in plain text, for what is no part of the imitated service.
  static func text(status: Int, _ text: String) -> PracticeAnswer {
    PracticeAnswer(
      status: status,
      headers: [Header(name: "Content-Type", value: "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }

  /// What stands between a service and its clients says when the service is in trouble: some
  /// HTML, not the JSON that the service itself would send.
  static func proxyFailure(status: Int, retryAfter: Int?) -> PracticeAnswer {
    let title = reasons[status].map { "\(status) \($0)" } ?? "\(status) Error"
    var headers = [
      Header(name: "Content-Type", value: "text/html; charset=utf-8"),
      Header(name: "Cache-Control", value: "no-store"),
    ]
    if let retryAfter { headers.append(Header(name: "Retry-After", value: "\(retryAfter)")) }
    let body = """
      <html>
      <head><title>\(title)</title></head>
      <body><h1>\(title)</h1><p>The practice server fails this request on purpose.</p></body>
      </html>

      """
    return PracticeAnswer(status: status, headers: headers, body: Array(body.utf8))
  }

  private static let reasons: [Int: String] = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    408: "Request Timeout", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}
