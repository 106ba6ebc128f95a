/// Puts an answer into bytes, spoilt in the way that a fault asks for.
struct RawAnswer {
  private let answer: PracticeAnswer
  /// What is sent after the headers: nothing for HEAD and for statuses that have no body.
  private let body: [UInt8]

  init(_ answer: PracticeAnswer, method: String) {
    self.answer = answer
    let hasBody = method != "HEAD" && answer.status != 204 && answer.status != 304
    body = hasBody ? answer.body : []
  }

  /// The steps of sending the answer as it should be.
  var steps: [RawTransfer.Step] { [.send(head() + body)] }

  /// The steps of sending it as a fault wants.
  func steps(_ delivery: FaultDecision.Delivery) -> [RawTransfer.Step] {
    let half = Array(body.prefix(body.count / 2))
    let rest = Array(body.dropFirst(half.count))
    // Where there is no body, one is promised that does not come.
    let promised = max(answer.body.count, 2)
    switch delivery.kind {
    case .stall: return stall(after: [], then: head() + body, delivery)
    case .stallInHeaders:
      let whole = head()
      let cut = whole.count / 2
      return stall(after: Array(whole[..<cut]), then: whole[cut...] + body, delivery)
    case .stallInBody:
      return stall(after: head(length: "\(promised)") + half, then: rest, delivery)
    case .dropBeforeHeaders: return []
    // The last header is cut, so that not even the status line's reader can be content.
    case .dropInHeaders: return [.send(Array(head().dropLast(9)))]
    case .dropAfterHeaders: return [.send(head(length: "\(promised)"))]
    case .truncatedBody: return [.send(head(length: "\(promised)") + half)]
    case .reset: return [.reset]
    case .resetInBody:
      // Time for the client to read: a reset throws away what it has not.
      return [.send(head(length: "\(promised)") + half), .hold(50_000_000), .reset]
    case .wrongLength: return [.send(head(length: "\(max(0, body.count - 10))") + body)]
    case .badLength: return [.send(head(length: "\(body.count)x") + body)]
    case .brokenChunk:
      return [.send(head(length: nil) + chunk(half) + Array("zz\r\n".utf8) + rest)]
    case .truncatedChunks: return [.send(head(length: nil) + chunk(half))]
    case .badStatusLine:
      return [.send(head(statusLine: "HTTP/1.1 everything is well") + body)]
    case .badHeader: return [.send(head(extra: "this line has no colon\r\n") + body)]
    case .hugeHeader:
      let start =
        "HTTP/1.1 \(answer.status) \(PracticeAnswer.reason(of: answer.status))\r\nX-Huge: "
      let end = Array("\r\n".utf8) + head().drop { $0 != UInt8(ascii: "\n") }.dropFirst()
      return [
        .send(Array(start.utf8)),
        .fill(UInt8(ascii: "x"), count: delivery.size ?? 1_000_000),
        .send(end + body),
      ]
    case .slowDrip:
      return [.send(head()), .drip(body, perSecond: max(1, delivery.size ?? 100))]
    }
  }

  private func stall(
    after beginning: [UInt8], then rest: some Sequence<UInt8>, _ delivery: FaultDecision.Delivery
  ) -> [RawTransfer.Step] {
    let start: [RawTransfer.Step] = [.send(beginning), .hold(delivery.duration)]
    return delivery.duration == nil ? start : start + [.send(Array(rest))]
  }

  private func head() -> [UInt8] { head(length: "\(answer.body.count)") }

  /// The head as bytes, with the blank line at its end.
  ///
  /// - Parameters:
  ///   - length: The `Content-Length`, or nil for a body in chunks.
  ///   - statusLine: Another status line than the right one.
  ///   - extra: A further line.
  /// - Returns: The bytes.
  private func head(
    length: String?, statusLine: String? = nil, extra: String = ""
  ) -> [UInt8] {
    let right = "HTTP/1.1 \(answer.status) \(PracticeAnswer.reason(of: answer.status))"
    var head = (statusLine ?? right) + "\r\n"
    for header in answer.headers { head += "\(header.name): \(header.value)\r\n" }
    head += extra
    if let length {
      if answer.status != 204 { head += "Content-Length: \(length)\r\n" }
    } else {
      head += "Transfer-Encoding: chunked\r\n"
    }
    return Array((head + "Connection: close\r\n\r\n").utf8)
  }

  private func head(statusLine: String) -> [UInt8] {
    head(length: "\(answer.body.count)", statusLine: statusLine)
  }

  private func head(extra: String) -> [UInt8] {
    head(length: "\(answer.body.count)", extra: extra)
  }

  private func chunk(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }
}
