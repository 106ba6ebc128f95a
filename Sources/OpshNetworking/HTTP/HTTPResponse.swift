/// The part of a response before the body.
public struct HTTPResponseHead: Sendable, Equatable {
  /// The most bytes that its lines may have together.
  public static let maximumSize: Int = 256 << 10
  /// The most bytes that a single line may have, which is libcurl's `CURL_MAX_HTTP_HEADER`.
  public static let longestLine: Int = 100 << 10

  /// The status code, usually 200…599; interim responses are never delivered.
  public let status: Int
  /// The text after the status, such as `Not Found`; empty with HTTP/2, and from a cache.
  public let reasonPhrase: String
  /// The header fields as they were received.
  public let headers: HTTPHeaders
  /// The address that answered, after redirects; it may contain secrets.
  public let url: String

  /// The number of body bytes in `Content-Length`.
  public let contentLength: Int?
  /// Whether `Content-Length` is a number of 63 bits, and the same in each field; true without the
  /// header.
  ///
  /// libcurl reads `14x` as 14, which would accept what may be half a body. With chunked encoding
  /// the header has no meaning.
  let lengthMistake: String?
  /// The proxy that answered with status 407, with secrets masked; nil where the server answered.
  var refusingProxy: String?

  /// Creates a head, for tests and other transports.
  public init(status: Int, reasonPhrase: String = "", headers: HTTPHeaders, url: String) {
    self.status = status
    self.reasonPhrase = reasonPhrase
    self.headers = headers
    self.url = url
    // Fast path for the most common value.
    if let length = headers.soleNumber(of: "Content-Length") {
      contentLength = length
      lengthMistake = nil
      return
    }
    let lengths = headers.values(of: "Content-Length")
    contentLength = lengths.first.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    lengthMistake =
      lengths.isEmpty || headers["Transfer-Encoding"] != nil ? nil : Self.mistake(in: lengths)
  }

  init(_ received: ResponseHeadParser.Head, url: String) {
    self.init(
      status: received.status, reasonPhrase: received.reasonPhrase, headers: received.headers,
      url: url)
  }

  /// What is wrong with lengths, unless all parts of all values are the same number.
  private static func mistake(in lengths: [String]) -> String? {
    let parts = lengths.flatMap { value in
      value.split(separator: ",", omittingEmptySubsequences: false).map { part in
        part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      }
    }
    guard parts.allSatisfy({ isNumber($0.utf8) }) else {
      return "its Content-Length is not a number"
    }
    guard parts.allSatisfy({ Int($0) != nil }) else {
      return "its Content-Length is too large"
    }
    return Set(parts).count <= 1 ? nil : "it has two different Content-Lengths"
  }

  private static func isNumber(_ text: Substring.UTF8View) -> Bool {
    !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// The times at which the phases of a transfer ended, counted from its start.
///
/// After redirects all but `waited` and `total` are those of the last exchange.
public struct TransferTimings: Sendable, Equatable {
  /// How long the transport had as many others as it makes at once; the times of the phases are counted
  /// from then on.
  public var waited: Duration
  /// The host's name was resolved.
  public var lookup: Duration
  /// The connection was established.
  public var connect: Duration
  /// The TLS connection was established; nil without TLS.
  public var tls: Duration?
  /// The body of the request was sent; nil for none, and for a short one, which goes out together with
  /// the headers.
  public var sent: Duration?
  /// The first byte of the response arrived; nil if none did.
  public var firstByte: Duration?
  /// The transfer ended; of a whole transfer it includes `waited` and redirects.
  public var total: Duration

  /// Creates timings, for tests and other transports.
  public init(
    waited: Duration = .zero, lookup: Duration = .zero, connect: Duration = .zero,
    tls: Duration? = nil, sent: Duration? = nil, firstByte: Duration? = nil,
    total: Duration = .zero
  ) {
    self.waited = waited
    self.lookup = lookup
    self.connect = connect
    self.tls = tls
    self.sent = sent
    self.firstByte = firstByte
    self.total = total
  }
}

/// The summary of a successful transfer.
public struct TransferSummary: Sendable, Equatable {
  /// The times of its phases.
  public var timings: TransferTimings
  /// The bytes of the body as they were on the wire, compressed if they were.
  public var bytesReceived: Int
  /// How many redirects were followed.
  public var redirectCount: Int
  /// The delegate ended the transfer, so the body is incomplete.
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

/// A complete response with its body decompressed.
public struct HTTPResponse: Sendable, Equatable {
  /// The status and headers.
  public var head: HTTPResponseHead
  /// The body without its content encoding.
  public var body: [UInt8]
  /// The times of the transfer's phases.
  public var timings: TransferTimings
  /// The bytes of the body as they were on the wire.
  public var bytesReceived: Int
  /// Whether the body is truncated: that of an error response that is too large or invalid.
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
