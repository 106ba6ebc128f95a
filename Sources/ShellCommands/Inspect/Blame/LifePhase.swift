import Networking
import Operations

/// A stretch of an operation's life as `blame` shows it: with the work of a request told apart into
/// the phases of its transfer.
struct LifePhase: Equatable {
  /// What the time went to; the code is that of `--json`.
  enum Kind: Hashable {
    case cause(LifeSpan.Cause)
    case lookup, connect, tls, firstByte, body

    var code: String {
      switch self {
      case .cause(let cause): cause.rawValue
      case .lookup: "lookup"
      case .connect: "connect"
      case .tls: "tls"
      case .firstByte: "first-byte"
      case .body: "body"
      }
    }

    /// Whether the operation worked, and did not wait for something else.
    var isWork: Bool {
      switch self {
      case .cause(let cause): cause == .work
      default: true
      }
    }
  }

  let kind: Kind
  let start: ContinuousClock.Instant
  let end: ContinuousClock.Instant
  /// The number of the operation that the time is owed to, if it is one.
  let culprit: Int?

  var duration: Duration { end - start }

  /// The phases of an operation, in order and without gaps.
  ///
  /// - Parameters:
  ///   - operation: The operation; of a request the phases of its last transfer are told apart.
  ///   - history: The lives of all operations.
  /// - Returns: The phases.
  static func phases(of operation: ObservableOperation, in history: LifeHistory) -> [LifePhase] {
    let timings = operation.networkMetrics?.timings
    let spans = history.spans(of: operation.id)
    let transfer = timings == nil ? nil : spans.lastIndex { $0.cause == .work }
    return spans.enumerated().flatMap { index, span in
      guard let timings, index == transfer else { return [LifePhase(span)] }
      return LifePhase.phases(of: span, timings)
    }
  }

  private init(_ span: LifeSpan) {
    (kind, start, end) = (.cause(span.cause), span.start, span.end)
    culprit = span.culprit
  }

  private init(_ kind: Kind, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
    (self.kind, self.start, self.end, culprit) = (kind, start, end, nil)
  }

  /// The work of the last attempt: the phases of its transfer, and what the operation does with the
  /// response.
  private static func phases(of span: LifeSpan, _ timings: TransferTimings) -> [LifePhase] {
    let ends: [(Kind, Duration)] = [
      (.lookup, timings.lookup), (.connect, timings.connect),
      (.tls, timings.tls ?? timings.connect), (.firstByte, timings.firstByte),
      (.body, timings.total), (.cause(.work), span.duration),
    ]
    var phases: [LifePhase] = []
    var position = span.start
    for (kind, time) in ends {
      let end = min(span.end, span.start + time)
      guard end > position else { continue }
      phases.append(LifePhase(kind, from: position, to: end))
      position = end
    }
    return phases
  }
}
