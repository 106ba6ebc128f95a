/// Holds what a server sends before the body.
public struct HTTPResponseHead: Sendable, Equatable {
  /// The status code, 200…599 as a rule; interim ones are never delivered.
  public let status: Int
  /// The header fields as they were received.
  public let headers: HTTPHeaders
  /// The address that answered, after redirects; it may hold secrets.
  public let url: String

  /// The number of body bytes that the server announced.
  public let contentLength: Int?
  /// Whether the length, if one is named, is a number, and the same each time it is named.
  ///
  /// libcurl takes `14x` for 14, which would make a success of what may be half a body. Where
  /// chunks say how long the body is, the header has no meaning.
  let hasSoundLength: Bool

  /// Creates a head, for tests and other transports.
  public init(status: Int, headers: HTTPHeaders, url: String) {
    self.status = status
    self.headers = headers
    self.url = url
    // What nearly every answer says is known at a glance.
    if let length = headers.soleNumber(of: "Content-Length") {
      contentLength = length
      hasSoundLength = true
      return
    }
    let lengths = headers.values(of: "Content-Length")
    contentLength = lengths.first.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    hasSoundLength =
      lengths.isEmpty || headers["Transfer-Encoding"] != nil || Self.areSame(lengths)
  }

  /// Whether all parts of all values are the same number.
  private static func areSame(_ lengths: [String]) -> Bool {
    let parts = lengths.flatMap { value in
      value.split(separator: ",", omittingEmptySubsequences: false).map { part in
        part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      }
    }
    return Set(parts).count <= 1 && parts.allSatisfy { isNumber($0.utf8) }
  }

  private static func isNumber(_ text: Substring.UTF8View) -> Bool {
    !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// Tells when the parts of a transfer were done, each counted from its start.
///
/// After redirects all but `total` are those of the last exchange.
public struct TransferTimings: Sendable, Equatable {
  /// The host's name was resolved.
  public var lookup: Duration
  /// The connection stood.
  public var connect: Duration
  /// The secure connection stood; nil without TLS.
  public var tls: Duration?
  /// The first byte of the response arrived.
  public var firstByte: Duration
  /// Everything was done, waiting for a free connection and redirects included.
  public var total: Duration

  /// Creates timings, for tests and other transports.
  public init(
    lookup: Duration = .zero, connect: Duration = .zero, tls: Duration? = nil,
    firstByte: Duration = .zero, total: Duration = .zero
  ) {
    self.lookup = lookup
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
  }
}

/// Sums up a transfer that ended well.
public struct TransferSummary: Sendable, Equatable {
  /// When its parts were done.
  public var timings: TransferTimings
  /// The bytes of the body as they were on the wire, compressed if they were.
  public var bytesReceived: Int
  /// How many redirects were followed.
  public var redirectCount: Int
  /// The delegate wanted no more, so the body is not whole.
  public var wasStopped: Bool

  /// Creates a summary, for tests and other transports.
  public init(
    timings: TransferTimings = TransferTimings(), bytesReceived: Int = 0, redirectCount: Int = 0,
    wasStopped: Bool = false
  ) {
    self.timings = timings
    self.bytesReceived = bytesReceived
    self.redirectCount = redirectCount
    self.wasStopped = wasStopped
  }
}

/// Holds a whole response with its body decompressed.
public struct HTTPResponse: Sendable, Equatable {
  /// What came before the body.
  public var head: HTTPResponseHead
  /// The body without its content encoding.
  public var body: [UInt8]
  /// When the parts of the transfer were done.
  public var timings: TransferTimings
  /// The bytes of the body as they were on the wire.
  public var bytesReceived: Int
  /// Whether only the beginning of the body was kept: that of a refusal that is too large or broken.
  public var isTruncated: Bool = false

  /// Creates a response, for tests and other transports.
  public init(
    head: HTTPResponseHead, body: [UInt8], timings: TransferTimings = TransferTimings(),
    bytesReceived: Int? = nil
  ) {
    self.head = head
    self.body = body
    self.timings = timings
    self.bytesReceived = bytesReceived ?? body.count
  }
}
