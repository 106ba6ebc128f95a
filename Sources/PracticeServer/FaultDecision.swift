/// What goes wrong with one request.
struct FaultDecision: Sendable, Equatable {
  enum Outcome: Sendable, Equatable {
    case answer
    case fail(status: Int, retryAfter: Int?)
    case drop(Place)
  }

  /// Where a connection is closed.
  enum Place: Sendable, Equatable {
    case beforeHeaders
    case insideHeaders
    case insideBody
  }

  var outcome: Outcome = .answer
  /// How long the answer is held back, in nanoseconds.
  var delay: UInt64 = 0
  /// How many bytes of the body are sent in a second, if there is a limit.
  var bandwidth: Int?

  /// Decides that nothing goes wrong.
  init() {}

  /// Decides about one request.
  ///
  /// Every request draws the same number of random values whatever the faults are, from a
  /// generator of its own. So a change of one fault does not move the decisions about another.
  ///
  /// - Parameters:
  ///   - faults: The faults at the time of arrival.
  ///   - seed: The server's seed.
  ///   - number: How many requests were decided before this one.
  init(faults: Faults, seed: UInt64, number: UInt64) {
    var random = RandomSource(seed: seed, stream: number &+ 1)
    let jitter = random.unit()
    let drop = random.unit() * 100
    let place = random.unit()
    let headers = random.unit() * 100
    let body = random.unit() * 100
    let fail = random.unit() * 100

    if drop < faults.dropPercent {
      outcome = .drop(place < 0.6 ? .beforeHeaders : place < 0.8 ? .insideHeaders : .insideBody)
    } else if headers < faults.closeInHeadersPercent {
      outcome = .drop(.insideHeaders)
    } else if body < faults.closeInBodyPercent {
      outcome = .drop(.insideBody)
    } else if fail < faults.failPercent {
      let status = (200...599).contains(faults.failStatus) ? faults.failStatus : 503
      outcome = .fail(status: status, retryAfter: faults.retryAfter)
    }
    let varied = Double(faults.jitter.boundedNanoseconds) * jitter
    delay = faults.latency.boundedNanoseconds + UInt64(varied)
    bandwidth = faults.bandwidth.map { max(1, $0) }
  }
}

extension Duration {
  /// The duration in nanoseconds, at least none and at most a day.
  ///
  /// The bound keeps sums far from overflow; nobody waits longer for an answer.
  var boundedNanoseconds: UInt64 {
    let bounded = min(max(self, .zero), .seconds(86_400)).components
    return UInt64(bounded.seconds) * 1_000_000_000 + UInt64(bounded.attoseconds / 1_000_000_000)
  }
}
