import OpshSupport

extension FaultScript {
  /// Called with the number of bytes of the body that have come.
  typealias Counting = @Sendable (Int) -> Void

  /// The script as a client of this process sees it: what comes, and when.
  ///
  /// - Parameter count: Receives the number of bytes of each further part of the body.
  /// - Returns: The steps of the exchange.
  func exchangeSteps(counting count: @escaping Counting) -> [ExchangeStep] {
    steps.flatMap { Self.exchangeSteps(of: $0, count) }
  }

  /// How many bytes come at once, and what the next ones take.
  private static let pieceSize = 64 << 10
  private static let pieceTime = Duration.microseconds(500)
  /// How often bytes come that are sent slowly.
  private static let slowStep = Duration.milliseconds(20)

  private static func exchangeSteps(of step: Step, _ count: @escaping Counting) -> [ExchangeStep] {
    switch step {
    case .head(let bytes): [.bytes(bytes)]
    case .body(let bytes): pieces(bytes, count)
    case .fill(let byte, let size): fill(byte, size, count)
    case .drip(let bytes, let rate): slowly(bytes, perSecond: rate, count)
    case .wait(let time): [.wait(time.map { .nanoseconds(Int64(clamping: $0)) })]
    case .reset: [.reset]
    case .close: [.stale]
    }
  }

  private static func pieces(
    _ bytes: [UInt8], _ count: @escaping Counting, from position: Int = 0
  ) -> [ExchangeStep] {
    guard position < bytes.count else { return [] }
    let end = min(bytes.count, position + pieceSize)
    let wait = position == 0 ? [] : [ExchangeStep.wait(pieceTime)]
    return wait + [
      part(Array(bytes[position..<end]), count), .then { pieces(bytes, count, from: end) },
    ]
  }

  private static func fill(
    _ byte: UInt8, _ total: Int, _ count: @escaping Counting
  ) -> [ExchangeStep] {
    guard total > 0 else { return [] }
    let size = min(total, pieceSize)
    return [
      .wait(pieceTime), part([UInt8](repeating: byte, count: size), count),
      .then { fill(byte, total - size, count) },
    ]
  }

  private static func part(_ bytes: [UInt8], _ count: @escaping Counting) -> ExchangeStep {
    .then {
      count(bytes.count)
      return [.bytes(bytes)]
    }
  }

  private static func slowly(
    _ bytes: [UInt8], perSecond rate: Int, _ count: @escaping Counting, from position: Int = 0
  ) -> [ExchangeStep] {
    guard position < bytes.count else { return [] }
    let size = min(bytes.count - position, max(1, rate / 50))
    // At most a day, so that one byte in a century does not overflow.
    let time =
      rate >= 50
      ? slowStep : .nanoseconds(Int64(min(1e9 / Double(rate), 86_400e9).rounded(.up)))
    return [
      .wait(time), part(Array(bytes[position..<position + size]), count),
      .then { slowly(bytes, perSecond: rate, count, from: position + size) },
    ]
  }
}
