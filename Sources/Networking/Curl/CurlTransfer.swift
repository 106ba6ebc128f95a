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
  /// How much of the body of a redirect is read to keep the connection.
  private static let maximumDiscarded = 64 << 10

  let id: Int
  let started = ContinuousClock.now
  private(set) var request: HTTPRequest
  private var delegate: (any TransportDelegate)?
  private(set) var redirectCount = 0

  /// The time of the loop's present turn: what arrives in one turn arrives together, and each
  /// look at the clock costs as much as taking a header line.
  private let time: LoopTime
  /// Whether libcurl works on it; otherwise it waits for a place.
  var isActive = false
  /// libcurl's handle, set up for the request; a transfer that waits has one or not.
  var handle: CurlHandle?

  // What each header line reads and writes; only one thread is ever there, and in no two of these
  // at once.
  @exclusivity(unchecked) private(set) var verdict: Verdict?
  @exclusivity(unchecked) private(set) var isHeadComplete = false
  private(set) var bytesReceived = 0
  var isPaused = false
  /// Whether libcurl has come to the end of the exchange and found no fault in it.
  var isSound = false
  /// When the last byte came or went; the idle time counts from here.
  @exclusivity(unchecked) var lastActivity = ContinuousClock.now
  /// How much had been sent when the idle time was last looked at.
  var bytesSentAtLastLook = 0

  @exclusivity(unchecked) private var parser = ResponseHeadParser()
  private var discarded = 0

  init(request: HTTPRequest, time: LoopTime, delegate: any TransportDelegate) {
    self.time = time
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.request = request
    self.delegate = delegate
  }

  /// Gives up the handle of a transfer that libcurl does not work on.
  func free(_ library: CurlLibrary) {
    handle?.free(library)
    handle = nil
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
    isSound = false
    isHeadComplete = false
    bytesReceived = 0
    parser = ResponseHeadParser()
    discarded = 0
    bytesSentAtLastLook = 0
  }

  // MARK: Called back by libcurl

  /// Takes one line of a head; returns false to end the transfer.
  func receive(headerLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    lastActivity = time.now
    guard verdict == nil else { return false }
    // Lines after the body are trailers, which say nothing that we use.
    guard !isHeadComplete else { return true }
    do throws(NetworkError) {
      switch try parser.take(bytes) {
      case .more: return true
      case .complete(let status, let headers):
        isHeadComplete = true
        return try take(HTTPResponseHead(status: status, headers: headers, url: request.url))
      }
    } catch {
      return end(.failed(error))
    }
  }

  private func take(_ head: HTTPResponseHead) throws(NetworkError) -> Bool {
    guard head.hasSoundLength else { throw .badResponse("its Content-Length is not a number") }
    if let next = try Redirect.next(after: request, head: head, count: redirectCount) {
      verdict = .redirected(next)
      return true
    }
    if request.method != "HEAD", head.status != 304,
      let length = head.contentLength, length > request.maximumBodySize
    {
      throw .tooLarge
    }
    return apply(delegate?.didReceive(head: head) ?? .stop)
  }

  /// Takes a part of the body; returns how much was taken, or libcurl's sign for a pause.
  func receive(body bytes: UnsafeBufferPointer<UInt8>) -> Int {
    lastActivity = time.now
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
}

/// Holds when the present turn of a loop began; only the loop's thread touches it.
///
/// `@unchecked Sendable` because transfers carry it from their creation to that thread, and do not
/// look at it before.
final class LoopTime: @unchecked Sendable {
  @exclusivity(unchecked) var now = ContinuousClock.now
}
