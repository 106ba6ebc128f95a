import CCurl
import Foundation
import Synchronization

/// Holds one request on its way through the engine.
///
/// `@unchecked Sendable` because whoever created it hands it to the engine's thread and does not
/// touch it again; from then on only that thread reads and writes it.
final class CurlTransfer: @unchecked Sendable {
  /// What our own code decided about the exchange, whatever libcurl then says of it.
  enum Verdict {
    case failed(NetworkError)
    case stopped
    case redirected(HTTPRequest)
  }

  private static let counter = Atomic<Int>(0)
  /// All header lines together; libcurl's own limit reports itself as something else.
  private static let maximumHeaderSize = 256 << 10
  /// How much of the body of a redirect is read to keep the connection.
  private static let maximumDiscarded = 64 << 10

  let id: Int
  let started = ContinuousClock.now
  private(set) var request: HTTPRequest
  private var delegate: (any TransportDelegate)?
  private(set) var redirectCount = 0

  /// libcurl's handle while the transfer is active.
  var handle: UnsafeMutableRawPointer?
  /// What has to live as long as the handle is in use.
  var resources = CurlResources()

  private(set) var verdict: Verdict?
  private(set) var isHeadComplete = false
  private(set) var bytesReceived = 0
  var isPaused = false
  /// When the last byte came or went; the idle time counts from here.
  var lastActivity = ContinuousClock.now
  /// How much had been sent when the idle time was last looked at.
  var bytesSentAtLastLook = 0

  private var status: Int?
  private var headers = HTTPHeaders()
  private var headerSize = 0
  private var discarded = 0

  init(request: HTTPRequest, delegate: any TransportDelegate) {
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.request = request
    self.delegate = delegate
  }

  var deadline: ContinuousClock.Instant? { request.timeout.map { started + $0 } }

  /// Tells the delegate of the end; the engine calls it once.
  func complete(_ result: Result<TransferSummary, NetworkError>) {
    let delegate = self.delegate
    self.delegate = nil
    delegate?.didComplete(result)
  }

  /// Makes everything as it was before the first exchange, for the next one.
  func begin(redirectedTo next: HTTPRequest) {
    request = next
    redirectCount += 1
    verdict = nil
    isHeadComplete = false
    bytesReceived = 0
    status = nil
    headers = HTTPHeaders()
    headerSize = 0
    discarded = 0
    bytesSentAtLastLook = 0
  }

  // MARK: Called back by libcurl

  /// Takes one line of a head; returns false to end the transfer.
  func receive(headerLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    lastActivity = .now
    guard verdict == nil else { return false }
    // Lines after the body are trailers, which say nothing that we use.
    guard !isHeadComplete else { return true }
    headerSize += bytes.count
    guard headerSize <= Self.maximumHeaderSize else { return end(.failed(.tooLarge)) }

    var line = bytes[...]
    while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
    if line.isEmpty { return headEnded() }
    // By bytes, for this is done several times for each request: characters would cost more than
    // all the rest.
    if status == nil || line.starts(with: "HTTP/".utf8) {
      return statusLine(String(decoding: line, as: UTF8.self))
    }
    if let first = line.first, first == 0x20 || first == 0x09 {
      headers.continueReceived(trimmed(line))
      return true
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      return end(.failed(.badResponse("a header line has no colon")))
    }
    headers.appendReceived(trimmed(line[..<colon]), trimmed(line[(colon + 1)...]))
    return true
  }

  private func statusLine(_ text: String) -> Bool {
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, text.hasPrefix("HTTP/"), words[1].utf8.count == 3,
      let code = Int(words[1]), code >= 100
    else { return end(.failed(.badResponse("its first line is not a status line"))) }
    status = code
    headers = HTTPHeaders()
    return true
  }

  private func headEnded() -> Bool {
    guard let status else {
      return end(.failed(.badResponse("it begins without a status line")))
    }
    if status < 200 {
      // An interim response: the real one follows. 101 would end HTTP, which nobody asked for.
      guard status != 101 else {
        return end(.failed(.badResponse("it changes to another protocol unasked")))
      }
      self.status = nil
      return true
    }
    isHeadComplete = true
    let head = HTTPResponseHead(status: status, headers: headers, url: request.url)
    guard head.hasSoundLength else {
      return end(.failed(.badResponse("its Content-Length is not a number")))
    }
    do {
      if let next = try Redirect.next(after: request, head: head, count: redirectCount) {
        verdict = .redirected(next)
        return true
      }
    } catch {
      return end(.failed(error))
    }
    if request.method != "HEAD", status != 304,
      let length = head.contentLength, length > request.maximumBodySize
    {
      return end(.failed(.tooLarge))
    }
    return apply(delegate?.didReceive(head: head) ?? .stop)
  }

  /// Takes a part of the body; returns how much was taken, or libcurl's sign for a pause.
  func receive(body bytes: UnsafeBufferPointer<UInt8>) -> Int {
    lastActivity = .now
    switch verdict {
    case .redirected:
      discarded += bytes.count
      return discarded <= Self.maximumDiscarded ? bytes.count : 0
    case .failed, .stopped: return 0
    case nil: break
    }
    // libcurl then keeps these bytes and stops reading, which stops the sender.
    guard !isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
    guard isHeadComplete else {
      _ = end(.failed(.badResponse("its body comes before the end of its headers")))
      return 0
    }
    guard bytes.count <= request.maximumBodySize - bytesReceived else {
      _ = end(.failed(.tooLarge))
      return 0
    }
    bytesReceived += bytes.count
    guard !bytes.isEmpty else { return 0 }
    return apply(delegate?.didReceive(chunk: Array(bytes)) ?? .stop) ? bytes.count : 0
  }

  private func apply(_ disposition: TransferDisposition) -> Bool {
    switch disposition {
    case .proceed: return true
    case .pause:
      isPaused = true
      return true
    case .stop: return end(.stopped)
    }
  }

  private func end(_ verdict: Verdict) -> Bool {
    self.verdict = verdict
    return false
  }

  private func trimmed(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var rest = text
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return String(decoding: rest, as: UTF8.self)
  }
}

/// Owns the C memory that libcurl uses during one exchange.
struct CurlResources {
  var headerList: UnsafeMutablePointer<curl_slist>?
  var body: UnsafeMutableRawBufferPointer?
  var errorText: UnsafeMutablePointer<CChar>?

  mutating func free(_ library: CurlLibrary) {
    if let headerList { library.functions.slist_free_all(headerList) }
    body?.deallocate()
    errorText?.deallocate()
    self = CurlResources()
  }
}
