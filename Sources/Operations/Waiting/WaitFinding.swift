/// One thing that keeps an operation waiting, before it is put into words.
struct WaitFinding {
  enum Subject {
    case dependency(ObservableOperation)
    case notOnQueue(ObservableOperation)
    case delay(ObservableOperation, until: Int64)
    /// One that waits until the app is in the foreground.
    case background(ObservableOperation)
    case behindBarrier(ObservableOperation)
    case barrierWaits(ObservableOperation, InspectableQueue)
    case exclusive(String, ObservableOperation)
    /// A name that is kept for one whose turn comes first.
    case reserved(String, ObservableOperation)
    case group(GroupOperation)
    /// What is in a group that cannot end before.
    case inside(GroupOperation)
    case paused(InspectableQueue)
    case widthZero(InspectableQueue)
    case full(InspectableQueue)
    case pool(InspectableQueue)
    case pace(InspectableQueue)
    case behind(ObservableOperation, InspectableQueue)
    /// One that executes, and lets some time pass before its next attempt.
    case betweenAttempts(ObservableOperation)
    /// One that executes, and lets some time pass because a server asked for it.
    case hostPause(ObservableOperation)
    /// One that executes although its work is done.
    case awaitsFinish(ObservableOperation)
    /// One that executes, and was paused at a phase or is handled there.
    case phaseHeld(ObservableOperation)
    /// One that its queue's driver never starts.
    case obstacle(ObservableOperation)
    /// One whose own code does not say, or does not announce, that it is ready.
    case readiness(ObservableOperation)
    /// One that executes, and whose body waits for others.
    case bodyWaits(ObservableOperation)
    /// Operations of which each waits for the next, and the last for the first.
    case cycle([ObservableOperation])

    /// Those whose reasons are the next to be asked for; its ``members`` are too, if it
    /// ``isAboutOthers``.
    var awaited: [ObservableOperation] {
      switch self {
      case .dependency(let operation), .behindBarrier(let operation): [operation]
      case .exclusive(_, let other), .reserved(_, let other): [other]
      case .group(let group): [group]
      case .full(let queue), .pool(let queue): queue.core.heldUpHolders
      case .bodyWaits(let operation): operation.awaitedByBody
      default: []
      }
    }

    /// Those of a queue that it is about, where they may be very many.
    var members: WaitMembers? {
      switch self {
      case .barrierWaits(let barrier, let queue):
        WaitMembers(of: queue) { member, _ in queue.core.turn(of: member) < barrier.core.epoch }
      case .inside(let group):
        WaitMembers(of: group.innerQueue) { _, _ in true }
      case .behind(let operation, let queue):
        WaitMembers(of: queue, inOrderOfStarting: true) { $0.starts(before: operation, in: $1) }
      default: nil
      }
    }

    /// Whether it says no more than that something waits for an operation; in a transaction.
    func isOnly(about operation: ObservableOperation) -> Bool {
      switch self {
      case .dependency(let other), .behindBarrier(let other): other === operation
      case .exclusive(_, let other), .reserved(_, let other): other === operation
      case .inside(let group):
        group.innerQueue.core.unfinished.count == 1 && operation.core.queue === group.innerQueue
      case .bodyWaits(let body): body.awaitedByBody.allSatisfy { $0 === operation }
      default: false
      }
    }

    /// Whether it says what the operation waits for, and not how things are on a queue.
    var isAboutOthers: Bool {
      switch self {
      case .dependency, .behindBarrier, .exclusive, .reserved, .group, .inside, .barrierWaits,
        .bodyWaits:
        true
      default: false
      }
    }
  }

  /// The same for findings that say the same.
  struct Key: Hashable {
    let code: Cause
    var object: ObjectIdentifier?
    var name = ""
  }

  let subject: Subject
  let depth: Int
  /// Where the finding stands that led to the operation whose reason this is; nil for the one that
  /// was asked about.
  let origin: Int?
  /// Whether it led to the reasons of others.
  var leadsOn = false
  /// Whether a cycle that was found says the same.
  var isToldByCycle = false

  init(_ subject: Subject, depth: Int, origin: Int?) {
    self.subject = subject
    self.depth = depth
    self.origin = origin
  }

  var key: Key {
    switch subject {
    case .dependency(let operation): Key(code: .dependency, object: .init(operation))
    case .notOnQueue(let operation): Key(code: .notOnQueue, object: .init(operation))
    case .delay(let operation, _): Key(code: .delay, object: .init(operation))
    case .background(let operation): Key(code: .background, object: .init(operation))
    case .behindBarrier(let barrier): Key(code: .barrier, object: .init(barrier))
    case .barrierWaits(let barrier, _): Key(code: .barrier, object: .init(barrier), name: "before")
    case .exclusive(let name, _), .reserved(let name, _): Key(code: .exclusive, name: name)
    case .group(let group): Key(code: .group, object: .init(group))
    case .inside(let group): Key(code: .members, object: .init(group))
    case .paused(let queue): Key(code: .queuePaused, object: .init(queue))
    case .widthZero(let queue): Key(code: .widthZero, object: .init(queue))
    case .full(let queue): Key(code: .queueFull, object: .init(queue))
    case .pool(let queue): Key(code: .threadPool, object: .init(queue))
    case .pace(let queue): Key(code: .pace, object: .init(queue))
    case .behind(let operation, _): Key(code: .higherPriority, object: .init(operation))
    case .betweenAttempts(let operation): Key(code: .backoff, object: .init(operation))
    case .hostPause(let operation): Key(code: .hostPause, object: .init(operation))
    case .awaitsFinish(let operation): Key(code: .awaitsFinish, object: .init(operation))
    case .phaseHeld(let operation): Key(code: .phaseHeld, object: .init(operation))
    case .obstacle(let operation): Key(code: .foundation, object: .init(operation))
    case .readiness(let operation): Key(code: .readiness, object: .init(operation))
    case .bodyWaits(let operation): Key(code: .bodyWaits, object: .init(operation))
    case .cycle(let operations):
      Key(code: .deadlock, object: operations.first.map(ObjectIdentifier.init))
    }
  }

  /// Puts it into words.
  ///
  /// - Parameters:
  ///   - engine: The engine of its operations.
  ///   - count: Of how many dependencies it is the first.
  /// - Returns: The reason; nil if it comes to nothing.
  func reason(in engine: OperationEngine, countingDependencies count: Int = 1) -> WaitReason? {
    var members = subject.members
    engine.guardedInPieces { members?.readPiece(in: $0) != false }
    return engine.guardedState { state in
      if let members {
        reason(naming: members.first, of: members.count, in: state)
      } else {
        reason(in: state, countingDependencies: count)
      }
    }
  }

  /// Puts it into words that it is about certain operations of a queue, in a transaction.
  ///
  /// - Parameters:
  ///   - first: The first few of the operations.
  ///   - count: How many there are.
  ///   - state: What the lock guards.
  /// - Returns: The reason; nil if there are none.
  func reason(
    naming first: [ObservableOperation], of count: Int, in state: EngineState
  ) -> WaitReason? {
    let who = Wording.list(first.map(name), count: count)
    let few = first.first.map { fewWords($0, count) } ?? "nothing"
    switch subject {
    case .barrierWaits(let barrier, let queue):
      return reason(
        .barrier, first, count: count, queue,
        "barrier '\(name(barrier))' waits for \(who), added before it",
        "waits for \(few), added before it")
    case .inside(let group):
      return reason(
        .members, first, count: count, group.innerQueue,
        "group '\(name(group))' waits for \(who) in it",
        "waits for \(few) in it" + (group.staysOpen ? ", open" : ""))
    case .behind(let operation, let queue):
      guard count > 0 else { return nil }
      let what =
        operation.core.isBlocked
        ? state.exclusives.busyName(for: operation).map { "'\($0)' " } : nil
      let verb = (what == nil ? "start" : "get") + (count == 1 ? "s" : "") + " \(what ?? "")first"
      return reason(
        .higherPriority, first, count: count, queue, "\(who) \(verb)", "\(few) \(verb)")
    default:
      return nil
    }
  }

  private func reason(
    in state: EngineState, countingDependencies count: Int
  ) -> WaitReason? {
    switch subject {
    case .dependency(let other):
      let known = other.core.state.rawValue + (other.core.isCancelled ? ", cancelled" : "")
      let isForeign = other.core.extras?.isForeign == true
      let what = isForeign ? "a Foundation operation" : "which is \(known)"
      return reason(
        .dependency, [other], count: count, other.core.queue,
        "waits for '\(name(other))', \(what)", "waits for \(fewWords(other, count))")
    case .notOnQueue(let other):
      return about(
        .notOnQueue, other, "'\(name(other))' is on no queue, so nothing will start it",
        "is on no queue")
    case .delay(let other, let end):
      let left = "may become ready in \(timeLeft(until: end, in: state))"
      return about(.delay, other, "'\(name(other))' \(left)", left)
    case .background(let other):
      return about(
        .background, other, "the app is in the background, and '\(name(other))' is not essential",
        "app in the background")
    case .behindBarrier(let barrier):
      return about(
        .barrier, barrier, "comes after barrier '\(name(barrier))'",
        "comes after barrier \(name(barrier))")
    case .exclusive(let name, let holder):
      return about(
        .exclusive, holder, "'\(name)' is held by '\(self.name(holder))'",
        "'\(name)' is held by \(self.name(holder))")
    case .reserved(let name, let other):
      return about(
        .exclusive, other, "'\(name)' is reserved for '\(self.name(other))', whose turn is first",
        "'\(name)' is reserved for \(self.name(other))")
    case .group(let group):
      return about(
        .group, group, "group '\(name(group))' has not begun",
        "group \(name(group)) has not begun")
    case .betweenAttempts(let other):
      return other.pauseInTransaction(at: state.presentTime).map {
        let pause =
          "pauses: \($0.code), attempt \($0.attempt) of \($0.limit) follows in "
          + Wording.duration($0.remaining)
        return about(.backoff, other, "'\(name(other))' \(pause)", pause)
      }
    case .hostPause(let other):
      return other.hostPauseText(in: state).map {
        about(.hostPause, other, "'\(name(other))' \($0)", $0)
      }
    case .awaitsFinish(let other), .phaseHeld(let other):
      return other.core.extras?.finishWait.map {
        about(
          key.code, other, Wording.finishWait($0, of: other),
          Wording.fewWords(of: $0, of: other))
      }
    case .obstacle(let other):
      return other.core.obstacle.map {
        about(.foundation, other, $0, "Foundation never starts it")
      }
    case .readiness(let other):
      let isSilent = other.core.extras?.defects.contains(.silentReady) == true
      let words =
        isSilent
        ? "says isReady = true, but sent no KVO for it, so the queue does not know"
        : "never says isReady = true: its own condition stays false"
      return about(
        .readiness, other, "'\(name(other))' \(words)",
        isSilent ? "sent no KVO for isReady" : "never says isReady")
    case .bodyWaits(let body):
      let others = body.awaitedByBody
      guard let first = others.first else { return nil }
      return reason(
        .bodyWaits, others, body.core.queue,
        "the body of '\(name(body))' waits for \(Wording.list(others.map(name)))",
        "its body waits for \(fewWords(first, others.count))")
    case .cycle(let operations):
      guard let first = operations.first, let last = operations.last else { return nil }
      return WaitReason(
        code: .deadlock, operations: operations, subject: [name(last)], count: operations.count,
        queue: last.core.queue,
        text: "'\(name(last))' waits for '\(name(first))', so neither will ever finish",
        short: "waits in a cycle", depth: depth)
    case .paused(let queue):
      return about(.queuePaused, queue, "is paused", "is paused")
    case .widthZero(let queue):
      return about(.widthZero, queue, "has width 0 and starts nothing", "has width 0")
    case .full(let queue):
      let holders = queue.core.slots.compactMap { $0 }
      let slots = queue.core.width == 1 ? "slot" : "\(queue.core.width) slots"
      let verb = holders.count == 1 ? "holds" : "hold"
      return reason(
        .queueFull, holders, queue,
        "queue '\(queue.core.name)' is full: \(Wording.list(holders.map(name))) \(verb) its \(slots)",
        "\(queue.core.name) is full")
    case .pool(let queue):
      let holders = queue.core.holdersOfPool
      let threads = holders.count == 1 ? "only thread" : "\(holders.count) threads"
      return reason(
        .threadPool, holders, queue,
        "a slot is free, but the \(threads) of Foundation's pool \(holders.count == 1 ? "is" : "are") "
          + "held by \(Wording.list(holders.map(name)))", "no thread is free in Foundation's pool")
    case .pace(let queue):
      let left = timeLeft(until: queue.core.nextStart, in: state)
      return about(.pace, queue, "starts the next one in \(left)", "keeps its pace")
    case .barrierWaits, .inside, .behind:
      return nil
    }
  }

  private func timeLeft(until time: Int64, in state: EngineState) -> String {
    Wording.duration(.nanoseconds(max(0, time - state.presentTime)))
  }

  private func name(_ operation: ObservableOperation) -> String {
    operation.identityInTransaction.name
  }

  /// The first one of several, with the number of the others.
  private func fewWords(_ first: ObservableOperation, _ count: Int) -> String {
    name(first) + (count > 1 ? " and \(count - 1) more" : "")
  }

  private func about(
    _ code: Cause, _ operation: ObservableOperation, _ text: String, _ short: String
  ) -> WaitReason {
    reason(code, [operation], operation.core.queue, text, short)
  }

  private func about(
    _ code: Cause, _ queue: InspectableQueue, _ words: String, _ few: String
  ) -> WaitReason {
    WaitReason(
      code: code, operations: [], subject: [queue.core.name], count: 0, queue: queue,
      text: "queue '\(queue.core.name)' \(words)", short: "\(queue.core.name) \(few)", depth: depth)
  }

  private func reason(
    _ code: Cause, _ operations: [ObservableOperation], count: Int? = nil,
    _ queue: InspectableQueue?, _ text: String, _ short: String
  ) -> WaitReason {
    WaitReason(
      code: code, operations: operations, subject: operations.map(name),
      count: count ?? operations.count, queue: queue, text: text, short: short, depth: depth)
  }
}

extension ObservableOperation {
  /// Whether it pauses because a server asked for it, in a transaction.
  var isInHostPause: Bool {
    guard core.state == .executing, !core.isFinishing, let extras = core.extras,
      extras.attemptPause == nil
    else { return false }
    return extras.pauses.last?.end == 0
  }

  /// The pause that a server asked for, and what follows it, in a transaction; nil for none.
  fileprivate func hostPauseText(in state: EngineState) -> String? {
    guard isInHostPause, let extras = core.extras, let pause = extras.pauses.last else {
      return nil
    }
    // What is read from a recording tells only what was said at its beginning.
    guard pause.due > 0 else { return pause.reason }
    let limit = extras.timeLimit.map { core.times.executing.addingClamped($0) } ?? .max
    let left = Wording.duration(
      .nanoseconds(max(0, min(pause.due, limit) - state.presentTime)))
    // The beginning says how long it is, of which only what is left matters now.
    let why = pause.reason.firstRange(of: ": ").map { pause.reason[$0.upperBound...] }
    return "pauses: \(why ?? pause.reason[...])"
      + (limit < pause.due
        ? ", and the time limit ends it in \(left), before the request"
        : ", the request follows in \(left)")
  }
}
