import OpshHTTPServing

/// What the practice server remembers of a connection's current request.
final class PracticeExchange {
  /// What the request has come to.
  enum Phase {
    /// A request is awaited or still arriving.
    case receiving
    /// The request is complete and its answer held back.
    case delayed(PendingAnswer)
    /// The answer is being sent.
    case answering
    /// The answer is being sent without libmicrohttpd.
    case sending(SocketPlayer)
  }

  /// A request that is decided and not yet answered.
  struct PendingAnswer {
    var request: PracticeRequest
    var admission: Admission
  }

  var phase: Phase = .receiving
  /// The record of the request that is not finished yet.
  var openRecord: Int?
  /// How many bytes of the body were sent, if that is not known from the start.
  var sentBytes = 0
  /// Whether the client has left before the end of the answer.
  var isCut = false

  /// Makes it ready for the next request of its connection.
  func begin() {
    phase = .receiving
    openRecord = nil
    (sentBytes, isCut) = (0, false)
  }
}

@available(*, unavailable)
extension PracticeExchange: Sendable {}

extension HTTPConnection {
  /// What the practice server remembers of the current request.
  var exchange: PracticeExchange {
    if let exchange = attachment as? PracticeExchange { return exchange }
    let exchange = PracticeExchange()
    attachment = exchange
    return exchange
  }
}
