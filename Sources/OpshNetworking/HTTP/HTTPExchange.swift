public import Foundation

/// One request as it was sent, and the head of its response: a redirect or a challenge makes several
/// of one attempt.
public struct HTTPExchange: Sendable, Equatable {
  /// The longest head of a response that is kept.
  static let longestHead = 16 << 10

  private let request: Request
  /// The status; nil if no response came.
  public let status: Int?
  /// The text after the status, such as `Not Found`; empty if there was none.
  public let reasonPhrase: String
  /// The headers of the response, which may hold secrets.
  private let received: HTTPHeaders
  /// How many headers of the response are not kept, because there are too many.
  public let droppedHeaders: Int
  /// The version, such as `HTTP/1.1`; nil before an answer.
  public let version: String?
  /// The address of the server or of the proxy, such as `127.0.0.1:8080`; nil without a connection,
  /// and in this process.
  public let peer: String?
  /// The TLS connection; nil without one.
  public let tls: TLSSession?
  /// The times of its phases, from the start of this exchange.
  public let timings: TransferTimings
  /// How many bytes of the body of the response came, as they were on the wire.
  public let bytesReceived: Int
  /// How many bytes they are without their content encoding; nil for as many.
  public internal(set) var bytesExpanded: Int?
  /// Whether the request was sent; otherwise the connection failed first.
  public let wasSent: Bool
  /// Whether the transport has not reported its end yet, so that the connection and the times of
  /// the phases are not known.
  public let isUnderWay: Bool

  private enum Request: Equatable {
    /// One of this process, whose texts are made when they are read.
    case sent(
      method: String, address: WebAddress, headers: HTTPHeaders, body: SentBody?, toProxy: Bool)
    /// One of a recording.
    case recorded(
      method: String, line: String, url: String, headers: HTTPHeaders, bodySize: Int?)
  }

  init(
    request: HTTPRequest, head: HTTPResponseHead?, version: String?, peer: String?,
    tls: TLSSession? = nil, timings: TransferTimings, bytesReceived: Int, wasSent: Bool,
    toProxy: Bool = false, isUnderWay: Bool = false
  ) {
    self.request = .sent(
      method: request.method, address: request.address, headers: request.headers,
      body: SentBody(of: request), toProxy: toProxy)
    status = head?.status
    reasonPhrase = head?.reasonPhrase ?? ""
    self.bytesReceived = bytesReceived
    let headers = head?.headers ?? HTTPHeaders()
    if headers.size > Self.longestHead {
      var room = Self.longestHead
      let fields = headers.fields
      let kept = fields.prefix { field in
        room -= field.name.utf8.count + field.value.utf8.count
        return room >= 0
      }
      received = HTTPHeaders(received: kept.map { ($0.name, $0.value) })
      droppedHeaders = fields.count - kept.count
    } else {
      received = headers
      droppedHeaders = 0
    }
    self.version = version
    self.peer = peer
    self.tls = tls
    self.timings = timings
    self.wasSent = wasSent
    self.isUnderWay = isUnderWay
  }

  /// Creates an exchange from the texts of one that was recorded.
  public init(
    method: String, requestLine: String, url: String, sent: HTTPHeaders?, bodySize: Int?,
    status: Int?, reasonPhrase: String, received: HTTPHeaders, droppedHeaders: Int,
    version: String?, peer: String?, tls: TLSSession?,
    timings: TransferTimings, bytesReceived: Int, bytesExpanded: Int?, isUnderWay: Bool
  ) {
    self.isUnderWay = isUnderWay
    request = .recorded(
      method: method, line: requestLine, url: url, headers: sent ?? HTTPHeaders(),
      bodySize: bodySize)
    self.reasonPhrase = reasonPhrase
    self.bytesReceived = bytesReceived
    self.bytesExpanded = bytesExpanded
    wasSent = sent != nil
    self.status = status
    self.received = received
    self.droppedHeaders = droppedHeaders
    self.version = version
    self.peer = peer
    self.tls = tls
    self.timings = timings
  }

  /// How many bytes it keeps, without what it shares with the request.
  var size: Int { received.size + reasonPhrase.utf8.count + 220 }

  /// The method.
  public var method: String {
    switch request {
    case .sent(let method, _, _, _, _), .recorded(let method, _, _, _, _): method
    }
  }

  /// The address with every secret masked.
  public var url: String {
    switch request {
    case .sent(_, let address, _, _, _): address.maskedText
    case .recorded(_, _, let url, _, _): url
    }
  }

  /// The request line, with every secret masked.
  public var requestLine: String {
    switch request {
    case .sent(let method, let address, _, _, let toProxy):
      let target =
        toProxy ? url : String(Substring(url.utf8.dropFirst(address.lengthBeforePath)))
      // A server of an older version is asked by 1.1 as well.
      let sent = version == "HTTP/1.0" ? nil : version
      return "\(method) \(target) \(sent ?? "HTTP/1.1")"
    case .recorded(_, let line, _, _, _): return line
    }
  }

  /// The status line.
  public var statusLine: String? {
    status.map { status in
      "\(version ?? "HTTP/1.1") \(status)" + (reasonPhrase.isEmpty ? "" : " " + reasonPhrase)
    }
  }

  /// How many bytes the body of the request has; nil without one.
  public var sentBodySize: Int? {
    switch request {
    case .sent(_, _, _, let body, _): body?.size
    case .recorded(_, _, _, _, let size): size
    }
  }

  /// What the body of the request says, with the secrets masked that have a name; nil without one,
  /// for one that came from a file, of another type than forms and JSON, or too long, and for one that
  /// was recorded.
  public var sentBody: SentBody.Content? {
    guard case .sent(_, _, let headers, let body, _) = request else { return nil }
    return body?.content(type: headers["Content-Type"] ?? "")
  }

  /// The headers as they were sent, with those of the transport; secrets are masked.
  ///
  /// None if nothing was sent.
  public var sentHeaders: [(name: String, value: String)] {
    switch request {
    case .recorded(_, _, _, let headers, _):
      return headers.fields.map { ($0.name, $0.shownValue) }
    case .sent where !wasSent: return []
    case .sent(_, let address, let headers, let body, let toProxy):
      var fields = [(name: "Host", value: address.host + (address.port.map { ":\($0)" } ?? ""))]
      let isLocal = peer == nil
      // libcurl adds these.
      if !isLocal, headers["Accept"] == nil { fields.append(("Accept", "*/*")) }
      fields += headers.fields.map { ($0.name, $0.shownValue) }
      if toProxy { fields.append(("Proxy-Connection", "Keep-Alive")) }
      if !isLocal, let body { fields.append(("Content-Length", String(body.size))) }
      return fields
    }
  }

  /// The headers of the response as they came; secrets are masked.
  public var receivedHeaders: [(name: String, value: String)] {
    received.fields.map { ($0.name, $0.shownValue) }
  }
}

/// A TLS connection.
public final class TLSSession: Sendable, Equatable {
  /// The version, such as `TLSv1.3`.
  public let version: String
  /// The cipher, such as `TLS_AES_256_GCM_SHA384`.
  public let cipher: String
  /// The certificate of the server; nil if it had none.
  public let certificate: Certificate?

  /// A certificate, as far as a reader wants to know.
  public struct Certificate: Sendable, Equatable {
    /// The common name of its owner; empty without one.
    public let subject: String
    /// The common name of its issuer, and the issuer's organization; empty without either.
    public let issuer: String
    /// From when on it is valid.
    public let validFrom: Date
    /// Until when it is valid.
    public let validUntil: Date

    /// Creates the description of a certificate.
    public init(subject: String, issuer: String, validFrom: Date, validUntil: Date) {
      self.subject = subject
      self.issuer = issuer
      self.validFrom = validFrom
      self.validUntil = validUntil
    }
  }

  /// Creates the description of a connection.
  public init(version: String, cipher: String, certificate: Certificate?) {
    self.version = version
    self.cipher = cipher
    self.certificate = certificate
  }

  /// Returns whether two are connections of the same kind with the same server.
  public static func == (first: TLSSession, second: TLSSession) -> Bool {
    first === second
      || first.version == second.version && first.cipher == second.cipher
        && first.certificate == second.certificate
  }
}
