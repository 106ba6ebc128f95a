import Locking

/// One request that the practice server answers without a socket, and what comes of it, step by step.
///
/// Whoever carries the steps out waits where they say so, by whatever clock the server was given.
/// What a fault does to a connection is a step too: the client's own code sees what a socket would
/// have made of it.
public final class InProcessExchange: @unchecked Sendable {
  // @unchecked because the request looks its headers up in a constant list, which its type can't say.

  /// One thing that the client sees, or a time in which it sees nothing.
  public enum Step: Sendable {
    /// Nothing comes for so long; nil until the client gives up.
    case wait(Duration?)
    /// The head of the answer.
    case head(status: Int, headers: [(name: String, value: String)])
    /// A part of the body.
    case body([UInt8])
    /// The exchange breaks off.
    case failure(Failure)
    /// What follows is decided when its time has come.
    case then(@Sendable () -> [Step])
  }

  /// How an exchange breaks off.
  public enum Failure: Sendable, Equatable {
    /// The connection is lost.
    case connectionLost
    /// What was sent is no HTTP; the text says why.
    case badResponse(String)
    /// A line of the head is longer than clients bear.
    case hugeHeader
  }

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
  public var steps: [Step] { [.wait(Self.travelTime), .then { self.arrive() }] }

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
    let record = before.record ?? begin(admission, status: nil)
    state.countSent(bytes: bytes)
    let now = state.monotonic()
    state.updateLog(record) { entry in
      entry.bytes = bytes
      entry.nanoseconds = now - before.arrival
      entry.isFinished = true
    }
  }

  private func arrive() -> [Step] {
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

  private func answer(_ admission: Admission) -> [Step] {
    let wasWaiting = progress.withLock { progress in
      defer { progress.isWaiting = false }
      return progress.isWaiting
    }
    if wasWaiting { state.countWaiting(-1) }
    let decision = admission.decision
    let script: InProcessScript
    if case .hugeBody(let size) = decision.replacement, decision.delivery == nil {
      script = .hugeBody(size, isSent: request.method != "HEAD", date: server.httpDate)
    } else {
      var answer = server.answer(request, admission: admission, port: port)
      for rewriting in decision.rewritings { answer.rewrite(rewriting) }
      script = InProcessScript(
        answer, method: request.method, delivery: decision.delivery,
        bandwidth: decision.bandwidth, date: server.httpDate)
    }
    let record = begin(admission, status: script.status)
    progress.withLock { $0.record = record }
    return script.steps
  }

  private func begin(_ admission: Admission, status: Int?) -> Int {
    var entry = RequestLog.Entry(
      time: state.wall(), method: String(request.method.prefix(20)),
      target: MaskedTarget(request.target))
    entry.status = status
    entry.faults = admission.decision.names
    entry.nanoseconds = state.monotonic() - progress.withLock { $0.arrival }
    // The time of arrival, also of an answer that was held back.
    entry.time -= min(entry.time, entry.nanoseconds)
    return state.log(entry)
  }
}
