import OpshSupport

extension FaultScript {
  /// The script as a client of this process sees it: what comes, and when.
  func exchangeSteps() -> [ExchangeStep] { steps.flatMap(Self.exchangeSteps) }

  /// How many bytes come at once, and what the next ones take.
  private static let pieceSize = 64 << 10
  private static let pieceTime = Duration.microseconds(500)
  /// How often bytes come that are sent slowly.
  private static let slowStep = Duration.milliseconds(20)

  private static func exchangeSteps(of step: Step) -> [ExchangeStep] {
    switch step {
    case .head(let bytes): [.bytes(bytes)]
    case .body(let bytes): pieces(bytes)
    case .fill(let byte, let count): fill(byte, count)
    case .drip(let bytes, let rate): slowly(bytes, perSecond: rate)
    case .wait(let time): [.wait(time.map { .nanoseconds(Int64(clamping: $0)) })]
    case .reset: [.reset]
    case .close: [.stale]
    }
  }

  private static func pieces(
    _ bytes: [UInt8], from position: Int = 0
  ) -> [ExchangeStep] {
    guard position < bytes.count else { return [] }
    let end = min(bytes.count, position + pieceSize)
    let wait = position == 0 ? [] : [ExchangeStep.wait(pieceTime)]
    return wait + [.bytes(Array(bytes[position..<end])), .then { pieces(bytes, from: end) }]
  }

  private static func fill(_ byte: UInt8, _ count: Int) -> [ExchangeStep] {
    guard count > 0 else { return [] }
    let size = min(count, pieceSize)
    return [
      .wait(pieceTime), .bytes([UInt8](repeating: byte, count: size)),
      .then { fill(byte, count - size) },
    ]
  }

  private static func slowly(
    _ bytes: [UInt8], perSecond rate: Int, from position: Int = 0
  ) -> [ExchangeStep] {
    guard position < bytes.count else { return [] }
    let count = min(bytes.count - position, max(1, rate / 50))
    // At most a day, so that one byte in a century does not overflow.
    let time =
      rate >= 50
      ? slowStep : .nanoseconds(Int64(min(1e9 / Double(rate), 86_400e9).rounded(.up)))
    return [
      .wait(time), .bytes(Array(bytes[position..<position + count])),
      .then { slowly(bytes, perSecond: rate, from: position + count) },
    ]
  }
}
