import OpshCompression
import OpshJSON

extension FaultDecision {
  /// The size of the huge body that is sent in place of the answer, if one is.
  var hugeBodySize: Int? {
    if case .hugeBody(let size) = replacement, delivery == nil { size } else { nil }
  }

  /// Whether the answer is sent in another way than libmicrohttpd sends it.
  var needsScript: Bool { delivery != nil || bandwidth != nil || hugeBodySize != nil }

  /// The answer in place of what the service would say, if there is one.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - port: The port of the server.
  ///   - securePort: Returns the port on which a certificate is shown; nil if it can't be opened.
  /// - Returns: The answer.
  func replacementAnswer(
    to request: PracticeRequest, port: UInt16,
    securePort: (CertificateMistake) -> UInt16?
  ) -> PracticeAnswer? {
    switch replacement {
    case nil: return nil
    case .hugeBody:
      guard hugeBodySize != nil else { return nil }
      let type = PracticeAnswer.Header(
        name: "Content-Type", value: "application/json; charset=utf-8")
      return PracticeAnswer(status: 200, headers: [type], body: [])
    case .status(let status, let retryAfter):
      return .proxyFailure(status: status, retryAfter: retryAfter)
    case .rateLimited(let seconds):
      return PracticeAPI.rateLimited(request, seconds: seconds)
    case .redirect(.loop):
      return .redirect(to: "/redirect-loop/1")
    case .redirect(.unsupported):
      return .redirect(to: "ftp://localhost/practice")
    case .redirect(.elsewhere):
      return elsewhere(request, port)
    case .redirect(.secure(let mistake)):
      guard let port = securePort(mistake) else {
        return .text(status: 501, "this libmicrohttpd can't speak TLS\n")
      }
      let place = "https://localhost:\(port)/\(PracticeRequest.elsewhere)"
      // With its method and body, as a site does that speaks TLS only.
      return .redirect(to: place + request.originForm, status: 307)
    }
  }

  /// A redirect to this server by another of its names.
  private func elsewhere(_ request: PracticeRequest, _ port: UInt16) -> PracticeAnswer {
    let isLocalhost = request.header("Host")?.lowercased().hasPrefix("localhost") == true
    let host = isLocalhost ? "127.0.0.1" : "localhost"
    return .redirect(
      to: "http://\(host):\(port)/\(PracticeRequest.elsewhere)\(request.originForm)")
  }

  /// Spoils what an answer holds, and then leaves out what was not requested of it.
  func rewrite(_ answer: inout PracticeAnswer, to request: PracticeRequest) {
    guard hugeBodySize == nil else { return }
    for rewriting in rewritings { answer.rewrite(rewriting) }
    answer.selectRange(for: request)
  }
}

extension PracticeAnswer {
  /// What stands between a service and its clients says when the service is in trouble: some
  /// HTML, not the JSON that the service itself would send.
  static func proxyFailure(status: Int, retryAfter: Int?) -> PracticeAnswer {
    let title = "\(status) \(reason(of: status))"
    var headers = [
      Header(name: "Content-Type", value: "text/html; charset=utf-8"),
      Header(name: "Cache-Control", value: "no-store"),
    ]
    if let retryAfter { headers.append(Header(name: "Retry-After", value: "\(retryAfter)")) }
    switch status {
    case 401: headers.append(Header(name: "WWW-Authenticate", value: "Basic realm=\"practice\""))
    case 405: headers.append(Header(name: "Allow", value: "GET, HEAD"))
    case 407: headers.append(Header(name: "Proxy-Authenticate", value: "Basic realm=\"practice\""))
    case 426: headers.append(Header(name: "Upgrade", value: "HTTP/2.0"))
    default: break
    }
    return PracticeAnswer(
      status: status, headers: headers,
      body: page(title, "The practice server fails this request on purpose."))
  }

  /// Sends a client on to another place.
  static func redirect(to location: String, status: Int = 302) -> PracticeAnswer {
    PracticeAnswer(
      status: status,
      headers: [
        Header(name: "Content-Type", value: "text/html; charset=utf-8"),
        Header(name: "Cache-Control", value: "no-store"),
        Header(name: "Location", value: location),
      ],
      body: page("\(status) \(reason(of: status))", "What was asked for is elsewhere."))
  }

  /// Spoils what the answer holds.
  mutating func rewrite(_ rewriting: FaultEffect.Rewriting) {
    removeHeader("ETag")
    switch rewriting {
    case .emptyBody:
      removeHeader("Content-Encoding")
      body = []
    case .page:
      removeHeader("Content-Encoding")
      setHeader("Content-Type", "text/html; charset=utf-8")
      status = 200
      body = Self.page("Welcome", "Please log in to use this network.")
    case .malformedJSON: replaceText { Array($0.prefix($0.count * 2 / 3)) }
    case .wrongTypes:
      replaceText { text in
        guard let value = try? JSONValue(parsing: text) else { return text }
        var json = JSONWriter()
        json.value(Self.withOtherTypes(value))
        return json.bytes
      }
    case .brokenGzip:
      compress()
      // Behind the header of ten bytes, and spread, so that no part can be made sense of.
      for index in stride(from: 12, to: body.count, by: 7) { body[index] ^= 0x55 }
    case .truncatedGzip:
      compress()
      body.removeLast(max(0, body.count / 2))
    }
  }

  /// The same shape, in which numbers are strings and strings are numbers.
  private static func withOtherTypes(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null: .integer(0)
    case .boolean(let flag): .string(flag ? "true" : "false")
    case .integer(let number): .string("\(number)")
    case .real, .literal: .string("\(value.double ?? 0)")
    case .string(let text): .integer(Int64(text.utf8.count))
    case .array(let elements): .array(elements.map(withOtherTypes))
    case .object(let members):
      .object(members.map { .init(name: $0.name, value: withOtherTypes($0.value)) })
    }
  }

  private mutating func replaceText(_ change: ([UInt8]) -> [UInt8]) {
    let isCompressed = self["Content-Encoding"] == "gzip"
    let text = isCompressed ? (try? Gzip.decompress(body)) ?? [] : body
    body = change(text)
    if isCompressed {
      removeHeader("Content-Encoding")
      compress()
    }
  }

  /// Compresses the body, unless it is compressed.
  mutating func compress() {
    guard self["Content-Encoding"] != "gzip", let compressed = try? Gzip.compress(body) else {
      return
    }
    body = compressed
    setHeader("Content-Encoding", "gzip")
  }

  private static func page(_ title: String, _ text: String) -> [UInt8] {
    Array(
      """
      <html>
      <head><title>\(title)</title></head>
      <body><h1>\(title)</h1><p>\(text)</p></body>
      </html>

      """.utf8)
  }
}
