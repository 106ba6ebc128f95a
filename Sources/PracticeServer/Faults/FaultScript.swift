/// How an answer is sent, step by step: as it should be, or as a fault spoils it.
///
/// `SocketPlayer` plays a script on a socket, `InProcessExchange` on a clock of the program's. After
/// the last step the connection is closed, unless the answer is whole and the player keeps it.
struct FaultScript {
  /// One thing to do.
  enum Step: Equatable {
    /// Sends bytes of the head.
    case head([UInt8])
    /// Sends bytes of the body.
    case body([UInt8])
    /// Sends one byte again and again.
    case fill(UInt8, count: Int)
    /// Sends a body slowly.
    case drip([UInt8], perSecond: Int)
    /// Sends nothing for so many nanoseconds; nil until the client leaves.
    case wait(UInt64?)
    /// Resets the connection.
    case reset
    /// Closes a connection on which another request was answered.
    case close
  }

  let steps: [Step]
  /// The status that is sent, if anything is.
  let status: Int?

  /// Writes the script of an answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - method: The request's method.
  ///   - decision: What goes wrong.
  ///   - closes: Whether the head says that a whole answer ends the connection.
  init(_ answer: PracticeAnswer, method: String, decision: FaultDecision, closes: Bool = true) {
    let writer = Writer(answer, method: method, closes: closes || decision.delivery != nil)
    if let size = decision.hugeBodySize {
      steps = writer.hugeBody(size)
    } else if let delivery = decision.delivery {
      steps = writer.spoilt(by: delivery)
    } else {
      steps = writer.whole(perSecond: decision.bandwidth)
    }
    let isSilent = steps.isEmpty || steps == [.reset] || steps == [.close]
    status = isSilent ? nil : answer.status
  }

  private struct Writer {
    private let answer: PracticeAnswer
    private let closes: Bool
    private let hasBody: Bool
    /// What is sent after the head: nothing for HEAD and for statuses that have no body.
    private let body: [UInt8]

    init(_ answer: PracticeAnswer, method: String, closes: Bool) {
      self.answer = answer
      self.closes = closes
      hasBody = method != "HEAD" && answer.status != 204 && answer.status != 304
      body = hasBody ? answer.body : []
    }

    func whole(perSecond bandwidth: Int?) -> [Step] {
      [head(), bandwidth.map { .drip(body, perSecond: $0) } ?? .body(body)]
    }

    /// A page of JSON with one very long item.
    func hugeBody(_ size: Int) -> [Step] {
      let (beginning, end) = (Array(#"{"items":[""#.utf8), Array(#""],"has_more":false}"#.utf8))
      let filling = max(0, size - beginning.count - end.count)
      let head = head(length: "\(filling + beginning.count + end.count)")
      guard hasBody else { return [head] }
      return [head, .body(beginning), .fill(UInt8(ascii: "x"), count: filling), .body(end)]
    }

    func spoilt(by delivery: FaultDecision.Delivery) -> [Step] {
      let half = Array(body.prefix(body.count / 2))
      let rest = Array(body.dropFirst(half.count))
      let whole = [head(), .body(body)]
      // Where there is no body, one is promised that does not come.
      let promising = head(length: "\(max(answer.body.count, 2))")
      switch delivery.kind {
      case .stall: return [.wait(delivery.duration)] + whole
      case .stallInHeaders:
        let bytes = headBytes(length: "\(answer.body.count)")
        let (start, end) = (bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2))
        return [.head(Array(start)), .wait(delivery.duration), .head(Array(end)), .body(body)]
      case .stallInBody: return [promising, .body(half), .wait(delivery.duration), .body(rest)]
      case .dropBeforeHeaders: return []
      case .staleConnection: return [.close]
      // The last header is cut too, so that no reader takes the head for complete.
      case .dropInHeaders:
        return [.head(headBytes(length: "\(answer.body.count)").dropLast(9))]
      case .dropAfterHeaders: return [promising]
      case .truncatedBody: return [promising, .body(half)]
      case .reset: return [.reset]
      // Time for the client to read: a reset throws away what it has not read.
      case .resetInBody: return [promising, .body(half), .wait(50_000_000), .reset]
      case .wrongLength: return [head(length: "\(max(0, body.count - 10))"), .body(body)]
      case .badLength: return [head(length: "\(body.count)x"), .body(body)]
      case .brokenChunk:
        return [head(length: nil), .body(chunk(half) + Array("zz\r\n".utf8) + rest)]
      case .truncatedChunks: return [head(length: nil), .body(chunk(half))]
      case .badStatusLine:
        return [head(statusLine: "HTTP/1.1 everything is well"), .body(body)]
      case .badHeader: return [head(extra: "this line has no colon\r\n"), .body(body)]
      case .hugeHeader:
        let rest = headBytes(length: "\(answer.body.count)").drop { $0 != UInt8(ascii: "\n") }
        return [
          .head(Array("\(statusLine)\r\nX-Huge: ".utf8)),
          .fill(UInt8(ascii: "x"), count: delivery.size ?? 1_000_000),
          .head([UInt8(ascii: "\r")] + rest), .body(body),
        ]
      case .slowDrip: return [head(), .drip(body, perSecond: max(1, delivery.size ?? 100))]
      }
    }

    private var statusLine: String {
      "HTTP/1.1 \(answer.status) \(PracticeAnswer.reason(of: answer.status))"
    }

    private func head(statusLine: String? = nil, extra: String = "") -> Step {
      .head(headBytes(length: "\(answer.body.count)", statusLine: statusLine, extra: extra))
    }

    private func head(length: String?) -> Step { .head(headBytes(length: length)) }

    /// The head with the blank line at its end.
    ///
    /// - Parameters:
    ///   - length: The `Content-Length`, or nil for a body in chunks.
    ///   - statusLine: Another status line than the right one.
    ///   - extra: A further line.
    /// - Returns: The bytes.
    private func headBytes(
      length: String?, statusLine: String? = nil, extra: String = ""
    ) -> [UInt8] {
      var head = (statusLine ?? self.statusLine) + "\r\n"
      for header in answer.headers { head += "\(header.name): \(header.value)\r\n" }
      head += extra
      if answer.status != 204 {
        head += length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
      }
      return Array((head + (closes ? "Connection: close\r\n" : "") + "\r\n").utf8)
    }

    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
      guard !bytes.isEmpty else { return [] }
      return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
  }
}
