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

  /// An answer in plain text, for paths outside of the imitated services.
  static func text(status: Int, _ text: String) -> PracticeAnswer {
    PracticeAnswer(
      status: status,
      headers: [Header(name: "Content-Type", value: "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }

  /// An answer in JSON, or in a script that calls a function of the client with it.
  static func json(
    status: Int = 200, _ json: [UInt8], cacheControl: String? = nil, callback: String? = nil,
    script: String = "text/javascript"
  ) -> PracticeAnswer {
    let type = callback == nil ? "application/json" : script
    var answer = PracticeAnswer(
      status: status,
      headers: [Header(name: "Content-Type", value: "\(type); charset=utf-8")],
      body: callback.map { Array("\($0)(".utf8) + json + Array(");".utf8) } ?? json)
    if let cacheControl { answer.setHeader("Cache-Control", cacheControl) }
    return answer
  }

  /// The first value of a header.
  subscript(name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// Puts a header in place of all that have its name.
  mutating func setHeader(_ name: String, _ value: String) {
    headers.removeAll { $0.name == name }
    headers.append(Header(name: name, value: value))
  }

  /// Takes a header away.
  mutating func removeHeader(_ name: String) {
    headers.removeAll { $0.name == name }
  }

  /// The words that go with a status.
  static func reason(of status: Int) -> String {
    reasons[status] ?? (status < 300 ? "OK" : "Error")
  }

  private static let reasons: [Int: String] = [
    200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
    302: "Found",
    303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 400: "Bad Request",
    401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    418: "I'm a teapot", 420: "Enhance Your Calm", 421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
  ]
}
