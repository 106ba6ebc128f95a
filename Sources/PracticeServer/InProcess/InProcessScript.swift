/// An answer as the steps in which a client sees it, spoilt in the way that a fault asks for.
///
/// It is to `RawAnswer`, which writes bytes into a socket, what a client's library makes of them.
struct InProcessScript {
  typealias Step = InProcessExchange.Step

  /// What is sent as the status, if anything is.
  let status: Int?
  let steps: [Step]

  /// How much of a body comes at once, and what the next part takes.
  private static let pieceSize = 64 << 10
  private static let pieceTime = Duration.microseconds(500)
  /// How often a part of a body comes that is sent slowly.
  private static let slowStep = Duration.milliseconds(20)
  /// The longest line of a head that clients take.
  private static let longestHeaderLine = 100 << 10

  private init(status: Int?, steps: [Step]) {
    self.status = status
    self.steps = steps
  }

  init(
    _ answer: PracticeAnswer, method: String, delivery: FaultDecision.Delivery?, bandwidth: Int?,
    date: String
  ) {
    let hasBody = method != "HEAD" && answer.status != 204 && answer.status != 304
    let body = hasBody ? answer.body : []
    func head(length: String?, extra: [(name: String, value: String)] = []) -> Step {
      var headers = [(name: "Date", value: date)]
      headers += answer.headers.map { ($0.name, $0.value) } + extra
      if answer.status != 204 {
        headers.append(length.map { ("Content-Length", $0) } ?? ("Transfer-Encoding", "chunked"))
      }
      return .head(status: answer.status, headers: headers)
    }
    let sound = head(length: "\(answer.body.count)")
    guard let delivery else {
      let rest = bandwidth.map { Self.slowly(body, perSecond: $0, from: 0) } ?? Self.pieces(body)
      self.init(status: answer.status, steps: [sound] + rest)
      return
    }
    let half = Array(body.prefix(body.count / 2))
    // Where there is no body, one is promised that does not come.
    let promising = head(length: "\(max(answer.body.count, 2))")
    let pause = Step.wait(delivery.duration.map { .nanoseconds(Int64(clamping: $0)) })
    var status: Int? = answer.status
    let steps: [Step]
    switch delivery.kind {
    case .stall, .stallInHeaders:
      steps = [pause, sound] + Self.pieces(body)
    case .stallInBody:
      steps = [promising] + Self.pieces(half) + [pause] + Self.pieces(Array(body[half.count...]))
    case .dropBeforeHeaders, .reset:
      status = nil
      steps = [.failure(.connectionLost)]
    case .dropInHeaders:
      steps = [.failure(.connectionLost)]
    case .dropAfterHeaders:
      steps = [promising, .failure(.connectionLost)]
    case .truncatedBody:
      steps = [promising] + Self.pieces(half) + [.failure(.connectionLost)]
    case .resetInBody:
      steps =
        [promising] + Self.pieces(half) + [.wait(.milliseconds(50)), .failure(.connectionLost)]
    case .wrongLength:
      let length = max(0, body.count - 10)
      steps = [head(length: "\(length)")] + Self.pieces(Array(body.prefix(length)))
    case .badLength:
      steps = [head(length: "\(body.count)x")] + Self.pieces(body)
    case .brokenChunk:
      steps =
        [head(length: nil)] + Self.pieces(half)
        + [.failure(.badResponse("the length of a chunk of its body is no number"))]
    case .truncatedChunks:
      steps = [head(length: nil)] + Self.pieces(half) + [.failure(.connectionLost)]
    case .badStatusLine:
      steps = [.failure(.badResponse("its first line is not a status line"))]
    case .badHeader:
      steps = [.failure(.badResponse("a header line has no colon"))]
    case .hugeHeader:
      let size = delivery.size ?? 1_000_000
      if size > Self.longestHeaderLine {
        steps = [.failure(.hugeHeader)]
      } else {
        let line = (name: "X-Huge", value: String(repeating: "x", count: size))
        steps = [head(length: "\(answer.body.count)", extra: [line])] + Self.pieces(body)
      }
    case .slowDrip:
      steps = [sound] + Self.slowly(body, perSecond: max(1, delivery.size ?? 100), from: 0)
    }
    self.init(status: status, steps: steps)
  }

  /// A page of JSON with one very long item, made as it is sent.
  static func hugeBody(_ size: Int, isSent: Bool, date: String) -> InProcessScript {
    let (beginning, end) = (Array(#"{"items":[""#.utf8), Array(#""],"has_more":false}"#.utf8))
    let filling = max(0, size - beginning.count - end.count)
    let head = Step.head(
      status: 200,
      headers: [
        ("Date", date), ("Content-Type", "application/json; charset=utf-8"),
        ("Content-Length", "\(filling + beginning.count + end.count)"),
      ])
    guard isSent else { return InProcessScript(status: 200, steps: [head]) }
    return InProcessScript(
      status: 200, steps: [head, .body(beginning)] + fill(filling, then: [.body(end)]))
  }

  private static func fill(_ count: Int, then rest: [Step]) -> [Step] {
    guard count > 0 else { return rest }
    let size = min(count, pieceSize)
    return [
      .wait(pieceTime), .body([UInt8](repeating: UInt8(ascii: "x"), count: size)),
      .then { fill(count - size, then: rest) },
    ]
  }

  private static func pieces(_ body: [UInt8], from position: Int = 0) -> [Step] {
    guard position < body.count else { return [] }
    let end = min(body.count, position + pieceSize)
    let piece = Step.body(Array(body[position..<end]))
    let wait = position == 0 ? [] : [Step.wait(pieceTime)]
    return wait + [piece, .then { pieces(body, from: end) }]
  }

  /// A body of which so many bytes come in a second.
  private static func slowly(_ body: [UInt8], perSecond rate: Int, from position: Int) -> [Step] {
    guard position < body.count else { return [] }
    let rate = max(1, rate)
    let count = min(body.count - position, max(1, rate / 50))
    // A day at most, so that one byte a century does not overflow.
    let time =
      rate >= 50
      ? slowStep : .nanoseconds(Int64(min(1e9 / Double(rate), 86_400e9).rounded(.up)))
    return [
      .wait(time), .body(Array(body[position..<position + count])),
      .then { slowly(body, perSecond: rate, from: position + count) },
    ]
  }
}
