import OpshLocking
public import OpshSupport

/// A request that the practice server answers without a socket, and the answer, step by step.
///
/// A client plays the steps and waits where they say so, by the clock that the server was given. It
/// gets the bytes that a socket would carry, also those that a fault spoils.
public final class InProcessExchange: @unchecked Sendable {
  // @unchecked because the request looks its headers up in a constant list, which its type can't say.

  private struct Progress {
    var arrival: UInt64 = 0
    var isWaiting = false
    var record: Int?
    var admission: Admission?
    var hasEnded = false
  }

  /// What it takes to reach a server that does nothing else.
  static let travelTime = Duration.milliseconds(1)

  private let request: PracticeRequest
  private let server: InProcessServer
  private let port: UInt16
  private let progress = Locked(Progress())

  init(_ request: PracticeRequest, server: InProcessServer, port: UInt16) {
    self.request = request
    self.server = server
    self.port = port
  }

  private var state: ServerState { server.state }

  /// The steps, from the sending of the request on.
  public var steps: [ExchangeStep] { [.wait(Self.travelTime), .then { self.arrive() }] }

  /// Notes that it is over, whichever way that came about; to be called once.
  ///
  /// - Parameter bytes: How many bytes of the body have arrived.
  public func end(bytes: Int) {
    let (before, isFirst) = progress.withLock { progress -> (Progress, Bool) in
      let before = progress
      progress.hasEnded = true
      progress.isWaiting = false
      return (before, !before.hasEnded)
    }
    guard isFirst, let admission = before.admission else { return }
    if before.isWaiting { state.countWaiting(-1) }
    // Whatever is sent past the library ends the connection.
    if before.record != nil, !admission.decision.needsScript, !request.connection.isSecure {
      server.keepConnection()
    }
    let record = before.record ?? begin(admission, status: nil)
    state.countSent(bytes: bytes)
    state.endLog(record, arrival: before.arrival, bytes: bytes)
  }

  private func arrive() -> [ExchangeStep] {
    let admission = state.admit(request)
    let now = state.monotonic()
    progress.withLock { progress in
      progress.arrival = now
      progress.admission = admission
      progress.isWaiting = admission.decision.delay > 0
    }
    guard admission.decision.delay > 0 else { return answer(admission) }
    state.countWaiting(1)
    return [.wait(.nanoseconds(Int64(admission.decision.delay))), .then { self.answer(admission) }]
  }

  private func answer(_ admission: Admission) -> [ExchangeStep] {
    let wasWaiting = progress.withLock { progress in
      defer { progress.isWaiting = false }
      return progress.isWaiting
    }
    if wasWaiting { state.countWaiting(-1) }
    var answer = server.answer(request, admission: admission, port: port)
    admission.decision.rewrite(&answer, to: request)
    answer.headers.insert(state.dateHeader, at: 0)
    let script = FaultScript(
      answer, method: request.method, decision: admission.decision, closes: false)
    let record = begin(admission, status: script.status)
    progress.withLock { $0.record = record }
    return script.exchangeSteps()
  }

  private func begin(_ admission: Admission, status: Int?) -> Int {
    state.log(
      request, arrival: progress.withLock { $0.arrival }, faults: admission.decision.names,
      status: status, bytes: nil)
  }
}
