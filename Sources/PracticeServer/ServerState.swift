import OpshHTTPServing
import OpshLocking
import OpshSupport

/// What the threads of a program and the server's own thread share.
final class ServerState: Sendable {
  private struct Content {
    var faults = Faults()
    var seed: UInt64
    /// Changes when what clients have written is to be forgotten.
    var generation = 0
    /// How often each request has been decided since the seed was set, by its identity.
    var decided: [UInt64: UInt64] = [:]
    var usedQuota = 0
    var usedQuotaWithKey = 0
    var limits = ClientLimits()
    var statistics = PracticeServer.Statistics()
    var log = RequestLog()
    var nextReader: UInt64 = 0
  }

  private let content: Locked<Content>
  /// Returns the present time.
  ///
  /// In a type of its own: a function that is the value of a generic type is wrapped once more by
  /// each access, until calling it overflows the stack.
  private struct Clock {
    var read: (@Sendable () -> UInt64)?
  }

  /// The present time in nanoseconds since 1970, where it is not that of ``paced``.
  private let clock = Locked(Clock())
  /// What the server goes by otherwise: a session may slow it down.
  let paced: PacedClock
  /// The ports on which certificates with a mistake are shown.
  private let securePorts = Locked<[CertificateMistake: UInt16]>([:])
  /// The handlers that are called when the log changes.
  private let readers = Locked<[UInt64: @Sendable () -> Void]>([:])
  /// The maximum number of different requests that are counted; then the counts are reset.
  private static let countedRequests = 20_000

  init(seed: UInt64, paced: PacedClock = PacedClock()) {
    self.paced = paced
    content = Locked(Content(seed: seed))
  }

  func setClock(_ clock: (@Sendable () -> UInt64)?) {
    self.clock.withLock { $0.read = clock }
  }

  /// Nanoseconds of the monotonic clock.
  func monotonic() -> UInt64 { clock.withLock { $0.read }?() ?? UInt64(paced.nanoseconds()) }

  /// Nanoseconds since 1970.
  func wall() -> UInt64 {
    clock.withLock { $0.read }?() ?? wallNanoseconds() - UInt64(paced.lag)
  }

  /// The header `Date` at this moment.
  var dateHeader: PracticeAnswer.Header {
    PracticeAnswer.Header(
      name: "Date", value: HTTPDate.text(secondsSince1970: Int(wall() / 1_000_000_000)))
  }

  var faults: Faults { content.withLock { $0.faults } }

  var seed: UInt64 { content.withLock { $0.seed } }

  var statistics: PracticeServer.Statistics { content.withLock { $0.statistics } }

  /// Puts new faults in place of the expected ones; returns whether the faults were still the
  /// expected ones.
  func exchangeFaults(_ expected: Faults, for faults: Faults) -> Bool {
    content.withLock { content in
      guard content.faults == expected else { return false }
      content.faults = faults
      return true
    }
  }

  func setFaults(_ faults: Faults) {
    content.withLock { $0.faults = faults }
  }

  /// Takes another seed, begins its sequence of decisions, and forgets what clients have written.
  func setSeed(_ seed: UInt64) {
    content.withLock { content in
      content.seed = seed
      content.decided = [:]
      content.generation += 1
    }
  }

  func reset() {
    content.withLock { content in
      let (log, generation) = (content.log, content.generation)
      let (waiting, nextReader) = (content.statistics.waiting, content.nextReader)
      content = Content(seed: 1)
      content.nextReader = nextReader
      // The log goes on, so that a cursor into it stays good.
      content.log = log
      content.generation = generation + 1
      content.statistics.waiting = waiting
    }
  }

  func securePort(of mistake: CertificateMistake) -> UInt16? {
    securePorts.withLock { $0[mistake] }
  }

  func noteSecurePort(_ port: UInt16, of mistake: CertificateMistake) {
    securePorts.withLock { $0[mistake] = port }
  }

  func forgetSecurePorts() {
    securePorts.withLock { $0 = [:] }
  }

  // MARK: Requests

  /// Counts a request and decides what goes wrong with it; returns what is settled about the
  /// request from now on.
  func admit(_ request: PracticeRequest) -> Admission {
    let isImitated = request.route.isImitated
    let pattern = request.route.pattern
    let identity = isImitated ? request.identity : 0
    let (faults, seed, generation, occurrence) = content.withLock { content in
      content.statistics.requests += 1
      content.statistics.routes[pattern, default: 0] += 1
      var occurrence: UInt64 = 0
      if isImitated {
        if content.decided.count >= Self.countedRequests { content.decided.removeAll() }
        occurrence = content.decided[identity, default: 0]
        content.decided[identity] = occurrence &+ 1
      }
      let faults = content.faults
      if isImitated, !faults.rows.isEmpty { content.faults.count(request) }
      return (faults, content.seed, content.generation, occurrence)
    }
    var admission = Admission(seed: seed, generation: generation, arrival: monotonic())
    guard isImitated else { return admission }
    admission.decision = FaultDecision(
      faults: faults, seed: seed, number: identity &+ occurrence &* 0x9E37_79B9_7F4A_7C15,
      request: request)
    if !admission.decision.names.isEmpty { count(admission.decision) }
    return admission
  }

  private func count(_ decision: FaultDecision) {
    content.withLock { content in
      if decision.replacement != nil { content.statistics.failuresInjected += 1 }
      if decision.delivery?.kind.losesConnection == true { content.statistics.dropsInjected += 1 }
      for name in decision.names { content.statistics.faults[name, default: 0] += 1 }
    }
  }

  /// Takes one request from the day's quota.
  ///
  /// - Parameter hasKey: Whether the request named an application's key.
  /// - Returns: The quota; `wasExhausted` tells that nothing was left to take.
  func takeQuota(hasKey: Bool) -> Quota {
    content.withLock { content in
      let maximum = hasKey ? Quota.withKey : Quota.withoutKey
      let used = hasKey ? content.usedQuotaWithKey : content.usedQuota
      let nowUsed = min(used + 1, maximum)
      if hasKey { content.usedQuotaWithKey = nowUsed } else { content.usedQuota = nowUsed }
      return Quota(
        maximum: maximum, remaining: maximum - nowUsed, wasExhausted: used == maximum)
    }
  }

  /// Gives access to what clients are not allowed for a time.
  func withLimits<Result>(_ body: (inout ClientLimits) -> Result) -> Result {
    content.withLock { body(&$0.limits) }
  }

  func countConnection() {
    content.withLock { $0.statistics.connections += 1 }
  }

  func countSent(bytes: Int) {
    content.withLock { $0.statistics.bytesSent += bytes }
  }

  /// Counts requests whose answer is held back.
  func countWaiting(_ change: Int) {
    content.withLock { $0.statistics.waiting += change }
  }

  // MARK: Log

  /// Writes a request into the log, or what has happened to it since it was written.
  ///
  /// It is done before the answer is sent, so that a client that has its answer finds it there.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - number: The number of its entry; nil if it has none yet.
  ///   - admission: What was decided about it.
  ///   - status: The status that is sent, if anything is.
  ///   - bytes: How much of the body is sent.
  ///   - stage: What happens to it.
  /// - Returns: The number of its entry.
  func log(
    _ request: PracticeRequest, as number: Int?, _ admission: Admission, status: Int?,
    bytes: Int = 0, _ stage: RequestLog.Stage
  ) -> Int {
    let now = monotonic()
    func fill(_ entry: inout RequestLog.Entry) {
      entry.status = status
      entry.bytes = bytes
      entry.nanoseconds = now - min(now, admission.arrival)
      entry.stage = stage
    }
    if let number {
      content.withLock { $0.log.update(number, fill) }
      notifyReaders()
      return number
    }
    var entry = RequestLog.Entry(
      time: wall(), method: String(request.method.prefix(20)), target: MaskedTarget(request.target))
    entry.faults = admission.decision.names
    entry.arrival = admission.arrival
    fill(&entry)
    entry.time -= min(entry.time, entry.nanoseconds)
    let added = content.withLock { $0.log.append(entry) }
    notifyReaders()
    return added
  }

  /// Notes in the log how much of a body was sent by now.
  func noteInLog(_ number: Int, sent bytes: Int) {
    content.withLock { content in content.log.update(number) { $0.bytes = bytes } }
  }

  /// Notes in the log how much of a body was sent until its end.
  ///
  /// - Parameters:
  ///   - number: The number of the entry.
  ///   - bytes: How many bytes were sent.
  ///   - isCut: Whether the client has closed the connection before the end of the answer.
  func endLog(_ number: Int, bytes: Int, isCut: Bool) {
    let now = monotonic()
    content.withLock { content in
      content.log.update(number) { entry in
        entry.bytes = bytes
        entry.status = entry.shownStatus(now: now)
        entry.nanoseconds = now - min(now, entry.arrival)
        entry.stage = isCut ? .cut : .ended
      }
    }
    notifyReaders()
  }

  private func notifyReaders() {
    // Called without the lock: a reader may well read the log.
    for reader in readers.withLock({ Array($0.values) }) { reader() }
  }

  /// Adds a handler that is called after each change of the log, on the server's own thread;
  /// returns what `removeReader(_:)` takes.
  func addReader(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    let key = content.withLock { content in
      content.nextReader += 1
      return content.nextReader
    }
    readers.withLock { $0[key] = body }
    return key
  }

  func removeReader(_ key: UInt64) {
    readers.withLock { _ = $0.removeValue(forKey: key) }
  }

  /// The number of the newest record.
  var lastRecord: Int { content.withLock { $0.log.last } }

  func records(after cursor: Int, limit: Int) -> RequestLogBatch {
    let (first, entries, missed) = content.withLock {
      $0.log.entries(after: cursor, limit: limit)
    }
    let now = monotonic()
    let records = entries.enumerated().map {
      RequestRecord(number: first + $0, entry: $1, now: now)
    }
    return RequestLogBatch(records: records, cursor: first + entries.count - 1, missed: missed)
  }
}

/// What was decided about a request on its arrival.
struct Admission: Sendable {
  var decision = FaultDecision()
  var seed: UInt64
  var generation: Int
  /// When it came, by the monotonic clock.
  var arrival: UInt64
}

/// How many requests a client may still make on this day.
struct Quota: Sendable {
  static let withoutKey = 300
  static let withKey = 10_000

  var maximum: Int
  var remaining: Int
  var wasExhausted: Bool
}
