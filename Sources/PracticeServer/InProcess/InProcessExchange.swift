import OpshLocking
public import OpshSupport

/// A request that the practice server answers without a socket, and the answer, step by step.
///
/// A client plays the steps and waits where they say so, by the clock that the server was given. It
/// gets the bytes that a socket would carry, also those that a fault spoils.
public final class InProcessExchange: @unchecked Sendable {
  // @unchecked because the request looks its headers up in a constant list, which its type can't say.

  private struct Progress {
    var isWaiting = false
    var record: Int?
    /// Whether the answer has begun.
    var isAnswering = false
    /// How many bytes of the body have been given.
    var sent = 0
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
  /// - Parameters:
  ///   - bytes: How many bytes of the body have arrived.
  ///   - isCut: Whether the client has ended it before the answer was complete.
  public func end(bytes: Int, isCut: Bool = false) {
    let (before, isFirst) = progress.withLock { progress -> (Progress, Bool) in
      let before = progress
      progress.hasEnded = true
      progress.isWaiting = false
      return (before, !before.hasEnded)
    }
    guard isFirst, let admission = before.admission, let record = before.record else { return }
    if before.isWaiting { state.countWaiting(-1) }
    // Whatever is sent past the library ends the connection.
    if before.isAnswering, !isCut, !admission.decision.needsScript, !request.connection.isSecure {
      server.keepConnection()
    }
    state.countSent(bytes: bytes)
    state.endLog(record, bytes: bytes, isCut: isCut)
  }

  private func arrive() -> [ExchangeStep] {
    let admission = state.admit(request)
    let delay = admission.decision.delay
    progress.withLock { progress in
      progress.admission = admission
      progress.isWaiting = delay > 0
    }
    guard delay > 0 else { return answer(admission) }
    state.countWaiting(1)
    log(
      admission, status: nil, .held(by: Fault.Kind.latency.name, until: admission.arrival + delay))
    return [.wait(.nanoseconds(Int64(delay))), .then { self.answer(admission) }]
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
    progress.withLock { $0.isAnswering = true }
    log(admission, status: script.status, admission.decision.stage(at: state.monotonic()))
    return script.exchangeSteps { self.note(sent: $0) }
  }

  private func log(_ admission: Admission, status: Int?, _ stage: RequestLog.Stage) {
    let number = state.log(
      request, as: progress.withLock { $0.record }, admission, status: status, stage)
    progress.withLock { $0.record = number }
  }

  private func note(sent count: Int) {
    let (record, sent) = progress.withLock { progress in
      progress.sent += count
      return (progress.record, progress.sent)
    }
    if let record { state.noteInLog(record, sent: sent) }
  }
}
