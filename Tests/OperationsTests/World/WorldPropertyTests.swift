import Foundation
import Testing

@testable import Operations

/// The log tells everything that decides what runs, and what keeps each operation from running.
///
/// `OPSH_WORLD=session:123` takes the session of one seed alone.
@Suite(.timeLimit(.minutes(15))) struct WorldPropertyTests {
  @Test("After each transaction of a random session, the fold of the log equals the engine")
  func sessions() throws {
    let began = ContinuousClock.now
    let seeds = StressLevel.seeds(of: "session", variable: "OPSH_WORLD", 150, long: 1_000)
    var (looks, events, causes): (Int, Set<String>, Set<Cause>) = (0, [], [])
    var failures = 0
    for seed in seeds where failures < 5 {
      var watch: WorldWatch?
      let session = WorldSession(seed: seed) { session in
        let looker = watch ?? WorldWatch(session)
        watch = looker
        return looker.look()
      }
      let hasEnded = try session.run()
      guard let watch else { continue }
      guard watch.problems.isEmpty, hasEnded else {
        Issue.record(
          """
          OPSH_WORLD=session:\(seed)
          \((watch.problems + (hasEnded ? [] : session.rest)).joined(separator: "\n"))
          \(session.history.suffix(25).joined(separator: "\n"))
          """)
        failures += 1
        continue
      }
      looks += watch.looks
      causes.formUnion(watch.causes)
      for change in session.engine.log.changes(from: 0, limit: .max).changes {
        events.insert(String("\(change.event)".prefix { $0.isLetter }))
      }
    }
    guard seeds.count > 1, failures == 0 else { return }
    #expect(looks > 50 * seeds.count)
    // Otherwise the sessions are too tame to prove anything; under the sanitizer they are too few.
    let areMany = seeds.count >= 100
    let untold = areMany ? Self.events.subtracting(events) : []
    #expect(untold.isEmpty, "no session has an event of \(untold.sorted())")
    let unseen = areMany ? Self.causes.subtracting(causes) : []
    #expect(unseen.isEmpty, "no session has the cause \(unseen.map(\.rawValue).sorted())")
    StressLevel.check(seeds.count, of: seeds.count, since: began, seen: ["looks": looks])
  }

  private static let events: Set<String> = [
    "width", "group", "suspended", "pace", "step", "priority", "quality", "dependency", "barrier",
    "exclusiveNames", "setAside", "startDelay", "delayEnded", "awaited", "pause", "claimed",
    "began",
    "stopped", "renamed", "timeLimit", "nextAttempt", "attempt", "finishWait", "expecting",
    "hostPause", "open", "phase", "awaitsForeground", "defects", "poolHolders",
  ]
  private static let causes: Set<Cause> = [
    .notOnQueue, .dependency, .delay, .background, .barrier, .group, .queuePaused, .widthZero,
    .queueFull, .higherPriority, .threadPool, .pace, .exclusive, .deadlock, .bodyWaits, .backoff,
    .awaitsFinish, .phaseHeld, .readiness,
    .members,
  ]
}

/// Compares an engine with the fold of its log, and the spans of lives with the reasons.
private final class WorldWatch {
  private let session: WorldSession
  private let fold: WorldFold
  private let account: LifeAccount
  private var position = LogPosition()
  private(set) var problems: [String] = []
  private(set) var looks = 0
  private(set) var causes: Set<Cause> = []
  /// Whose reasons are asked for in each look: to ask all of them takes too long.
  private var turn = 0

  init(_ session: WorldSession) {
    self.session = session
    fold = WorldFold(of: session.engine.log)
    account = LifeAccount(of: session.engine.log, until: session.engine.now)
  }

  /// Looks at everything; returns whether nothing is wrong.
  func look() -> Bool {
    let engine = session.engine
    // Reading to the end has the next entry call again.
    _ = engine.log.entries(from: engine.log.count, limit: 1)
    var end = LogPosition.Limit.end
    do throws(WorldFold.Mismatch) {
      for event in engine.log.batch(from: &position, to: &end) { try fold.apply(event) }
    } catch {
      problems.append("an event that cannot follow: \(error.message)")
      return report()
    }
    fold.engine.virtualClock.skip(to: engine.now)
    // What has just begun lasts for a moment.
    account.update(until: latest + .nanoseconds(1))
    looks += 1
    for operation in session.operations { compare(operation) }
    for queue in session.queues { compare(queue) }
    let (live, past) = (engine.waitingBodyCount, fold.engine.waitingBodyCount)
    if live != past { problems.append("\(live) bodies wait, folded: \(past)") }
    for case let group as GroupOperation in session.operations { compare(group.innerQueue) }
    let waiting = session.operations.filter { $0.state != .finished }
    for _ in 0..<min(3, waiting.count) {
      turn += 1
      compareReasons(of: waiting[turn % waiting.count])
    }
    return problems.isEmpty || report()
  }

  /// The present time; of several events of one transaction the last may be later.
  private var latest: ContinuousClock.Instant {
    let log = session.engine.log
    let times =
      log.entries(from: log.count - 1, limit: 1).entries.map(\.time)
      + log.changes(from: log.changeCount - 1, limit: 1).changes.map(\.time)
    return times.reduce(session.engine.now) { max($0, $1) }
  }

  /// Adds where it is to what is wrong; returns that something is.
  private func report() -> Bool {
    let log = session.engine.log
    problems.insert("after entry \(log.count - 1), change \(log.changeCount - 1):", at: 0)
    for entry in log.entries(from: max(0, log.count - 4), limit: 4).entries {
      problems.append(
        "  entry \(entry.operation.id) \(entry.event) \(entry.from)-\(entry.to) \(entry.reason)")
    }
    for change in log.changes(from: max(0, log.changeCount - 6), limit: 6).changes {
      problems.append("  change before \(change.position): \(change.subject) \(change.event)")
    }
    return false
  }

  private func compare(_ operation: ObservableOperation) {
    // One of which the log does not tell is as it was created.
    guard let folded = fold.operations[operation.id] else {
      if Facts(operation) != Facts(untold) { problems.append("\(operation.id): not in the log") }
      return
    }
    let (live, past) = (Facts(operation), Facts(folded))
    if live != past { problems.append("\(operation.id): \(live)\nfolded: \(past)") }
  }

  private lazy var untold = ObservableOperation(engine: fold.engine)

  private func compare(_ queue: InspectableQueue) {
    guard let folded = try? fold.queue(queue.id) else {
      return problems.append("queue \(queue.id): not in the log")
    }
    let (live, past) = (QueueFacts(queue), QueueFacts(folded))
    if live != past { problems.append("\(queue.name): \(live)\nfolded: \(past)") }
  }

  private func compareReasons(of operation: ObservableOperation) {
    let reasons = operation.waitReasons()
    causes.formUnion(reasons.map(\.code))
    guard let folded = fold.operations[operation.id] else { return }
    let (live, past) = (
      ["\(operation.canFinish)"] + reasons.map(Self.words),
      ["\(folded.canFinish)"] + folded.waitReasons().map(Self.words)
    )
    if live != past {
      problems.append("\(operation.id): because of \(live)\nfolded: \(past)")
    }
    compareSpan(of: operation)
  }

  private static func words(_ reason: WaitReason) -> String {
    "\(reason.depth) \(reason.code.rawValue): \(reason.text)"
  }

  /// Compares the cause of the present span with the first of the operation's own reasons.
  private func compareSpan(of operation: ObservableOperation) {
    guard let span = account.spans(of: operation.id).last else { return }
    let own = operation.searchReasons().found.filter { $0.depth == 0 }.map(\.key.code)
    let first = own.first { $0 != .higherPriority }
    // While something in a group works, the group itself has no reasons.
    let works =
      operation.state == .executing || operation is GroupOperation && span.cause == .members
    let expected: Cause? = works ? first : first ?? .starting
    if span.cause == .hostPause, expected == .backoff { return }
    // Until all is settled, one whose turn it is has not been set aside for its name.
    if span.cause == .starting, expected == .exclusive, !operation.isSetAside { return }
    // Nothing tells that the pace lets something start before it does.
    if span.cause == .pace, expected == .starting { return }
    if let expected, span.cause != expected {
      problems.append(
        "\(operation.id): its span says \(span.cause), its reasons \(own)")
    }
  }
}

/// What decides about an operation.
private struct Facts: Equatable {
  let state: OperationState
  let isReady, isCancelled, isClaimed, isFinishing, isBlocked, isBarrier: Bool
  let slot, unmet: Int32
  let order, attempts: Int
  let priority: Operation.QueuePriority
  let finishWait: FinishWait?
  let phase: PhaseProgress?
  let awaited: [Int]
  let names: [String]
  let isExpecting, isBetweenAttempts, isPausing: Bool
  let qualities: [QualityOfService]
  let timeLimit: Int64?
  let members: [Int]?
  let membership: [Bool?]
  let upstream: [Int]
  let name: String
  let delayEnds: Int64
  let outcome: String?
  let cancellation: String?
  let times: [Int64]

  init(_ operation: ObservableOperation) {
    self = operation.engine.guarded { Facts(inTransaction: operation) }
  }

  private init(inTransaction operation: ObservableOperation) {
    state = operation.core.state
    isReady = operation.core.isReady
    isCancelled = operation.core.isCancelled
    isClaimed = operation.core.isClaimed
    isFinishing = operation.core.isFinishing
    isBlocked = operation.core.isBlocked
    isBarrier = operation.core.extras?.isBarrier == true
    slot = operation.core.slot
    unmet = operation.core.unmet
    order = operation.core.order
    attempts = operation.core.attempts
    priority = operation.core.priority
    qualities = [operation.core.quality, operation.core.startQuality]
    let extras = operation.core.extras
    finishWait = extras?.finishWait
    phase = extras?.phase
    awaited = extras?.awaited.map(\.id) ?? []
    names = extras?.exclusiveNames ?? []
    isExpecting = extras?.isExpecting == true
    isBetweenAttempts = extras?.attemptPause != nil
    isPausing = extras?.pauses.last?.end == 0
    timeLimit = extras?.timeLimit
    let inner = (operation as? GroupOperation)?.innerQueue.core
    members = inner?.operations.map(\.id)
    membership = [inner?.membership?.isHeld, inner?.membership?.isClosed]
    upstream = operation.core.upstream.map(\.operation.id)
    name = operation.core.givenName ?? ""
    delayEnds = operation.core.extras?.delayEnds ?? 0
    outcome = operation.core.outcome.map { "\($0)" }
    cancellation = operation.core.ending == .cancelled ? operation.cancellationText : nil
    let times = operation.core.times
    self.times = [
      times.pending, times.ready, times.executing, times.finished, times.cancelled,
    ]
  }
}

/// What decides about a queue.
private struct QueueFacts: Equatable {
  let width: Int
  let isSuspended: Bool
  let pace, nextStart: Int64
  let quality, effectiveQuality: QualityOfService
  /// How many are pending, ready, executing, finished, and wait for names.
  let counts: [Int]
  let slots: [Int?]
  let order: [Int]

  init(_ queue: InspectableQueue) {
    let core = queue.core
    (width, isSuspended, pace, nextStart, quality, counts, slots) = queue.engine.guarded {
      (
        core.width, core.isSuspended, core.pace, core.nextStart, core.quality,
        [core.pending, core.readyCount, core.executing, core.finished, core.blockedCount]
          + core.poolHolders,
        core.slots.map { $0?.id }
      )
    }
    effectiveQuality = queue.effectiveQualityOfService
    order = queue.predictedOrder().map(\.id)
  }
}

extension ObservableOperation {
  /// Whether it waits for its exclusive names outside of the order of starting.
  fileprivate var isSetAside: Bool { engine.guarded { core.isBlocked } }
}
