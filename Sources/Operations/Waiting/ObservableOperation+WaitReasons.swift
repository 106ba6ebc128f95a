extension ObservableOperation {
  /// How many reasons a list holds at most; those in the middle are left out.
  private static let longestList = 64
  private static let rootsKept = 16

  /// Says why it is not running now: the nearest reason first, the root last.
  ///
  /// The reasons are followed down to the root, across dependencies, barriers, groups, their
  /// operations, bodies that wait, queues, and cycles of operations that wait for each other. The list is
  /// empty if the operation has finished, if it executes and neither pauses nor waits in its body, and
  /// if nothing keeps it from starting at this moment.
  ///
  /// If there are very many operations to examine, the lock is released in between: then the reasons
  /// may be of slightly different moments. A whole cycle is of one moment.
  ///
  /// - Returns: The reasons.
  public func waitReasons() -> [WaitReason] {
    collectReasons(Self.nearestFirst)
  }

  /// Says why it is not running now, as a tree: each reason is followed by its own reasons, one
  /// level deeper; none is listed twice.
  ///
  /// - Returns: The reasons, seen as ``waitReasons()`` sees them.
  public func waitReasonTree() -> [WaitReason] {
    collectReasons(Self.depthFirst)
  }

  /// Finds the reasons; `arrange` selects and orders them.
  private func collectReasons(_ arrange: ([WaitFinding]) -> [WaitFinding]) -> [WaitReason] {
    let search = searchReasons()
    var told = arrange(search.found)
    if told.count > Self.longestList {
      let roots = told.suffix(Self.rootsKept)
      told = Array(told.prefix(Self.longestList - Self.rootsKept)) + Array(roots)
    }
    // One by one, for some look at all that is on a queue.
    let reasons = told.compactMap { $0.reason(in: engine) }
    return reasons + WatchingOperation.reasons(search.found)
  }

  /// Finds the reasons down to the root; releases the lock between pieces of the search.
  ///
  /// - Parameter pause: Called between two pieces.
  /// - Returns: The search, which is over.
  func searchReasons(betweenPieces pause: () -> Void = {}) -> WaitSearch {
    var search = WaitSearch(for: self)
    engine.guardedInPieces(betweenPieces: pause) { search.continueSearch(in: $0) }
    if search.mayHaveCycle {
      var cycles = CycleSearch()
      if let cycle = cycles.cycle(from: self) {
        engine.guardedState { _ in search.add(cycle: cycle) }
      }
    }
    return search
  }

  /// The findings ordered by their distance from the operation, each once.
  private static func nearestFirst(_ found: [WaitFinding]) -> [WaitFinding] {
    var found = found.filter { !$0.isToldByCycle }
    // What is found more than once stands where it is nearest to the root; but what the operation
    // itself waits for comes first, unless it is the root, and in any case counts as its own.
    var place: [WaitFinding.Key: Int] = [:]
    for (index, finding) in found.enumerated().reversed() {
      let isOwn = finding.depth == 0 && finding.subject.isAboutOthers
      guard let last = place[finding.key] else {
        place[finding.key] = index
        continue
      }
      guard isOwn else { continue }
      if last < found.count - 1 { place[finding.key] = index } else { found[last] = finding }
    }
    return found.enumerated().filter { place[$1.key] == $0 }.map(\.element)
  }

  /// The findings as a tree, depth first: each one before those that follow from it.
  private static func depthFirst(_ found: [WaitFinding]) -> [WaitFinding] {
    // Of those that say the same the one is told that others follow from, and else the one that is
    // nearest to the root.
    var chosen: [WaitFinding.Key: Int] = [:]
    var following: [Int?: [Int]] = [:]
    for (place, finding) in found.enumerated() {
      following[finding.origin, default: []].append(place)
      if finding.isToldByCycle { continue }
      if let other = chosen[finding.key], found[other].leadsOn { continue }
      chosen[finding.key] = place
    }
    var ordered: [WaitFinding] = []
    // With a stack of its own, because chains may be long.
    var open = Array((following[nil] ?? []).reversed())
    while let place = open.popLast() {
      if chosen[found[place].key] == place { ordered.append(found[place]) }
      open += (following[place] ?? []).reversed()
    }
    return ordered
  }

  /// Whether dependencies that have not finished are among what keeps it, in a transaction.
  var isKeptByDependencies: Bool {
    switch core.state {
    case .finished, .executing: false
    case .created: !core.isReady
    case .pending, .ready: !core.isReady && !core.isClaimed && !core.isFinishing
    }
  }

  /// What keeps it from running, its dependencies apart, in a transaction.
  func otherFindings(in state: EngineState) -> [WaitFinding.Subject] {
    switch core.state {
    case .finished: return []
    case .executing: return findingsWhileExecuting
    case .created: return [.notOnQueue(self)]
    case .pending, .ready: break
    }
    guard !core.isClaimed, !core.isFinishing else { return findingsInside }
    guard let queue = core.queue else {
      // It was in a group that is gone.
      return [.notOnQueue(self)]
    }
    if core.obstacle != nil { return [.obstacle(self)] }
    if core.extras?.defects.lacksReadiness == true, !core.isReady { return [.readiness(self)] }
    var subjects: [WaitFinding.Subject] = []
    if let extras = core.extras, extras.delayEnds > 0, !core.isReady {
      subjects.append(.delay(self, until: extras.delayEnds))
    }
    if core.extras?.awaitsForeground == true, !core.isReady { subjects.append(.background(self)) }
    if let barrier = queue.core.barrier(before: self) {
      subjects.append(.behindBarrier(barrier))
    } else if core.extras?.isBarrier == true, !queue.core.isInTurn(self) {
      subjects.append(.barrierWaits(self, queue))
    }
    subjects += queueFindings(queue, isBlocked: !subjects.isEmpty, in: state)
    subjects += exclusiveFindings(in: state)
    if core.isBlocked { subjects.append(.behind(self, queue)) }
    return subjects
  }

  /// The names that it needs and that another one has, or has reserved.
  private func exclusiveFindings(in state: EngineState) -> [WaitFinding.Subject] {
    guard !core.isCancelled else { return [] }
    return exclusiveNamesInTransaction.compactMap { name in
      if let holder = state.exclusives.holder(of: name) { return .exclusive(name, holder) }
      return state.exclusives.reserver(of: name, before: self).map { .reserved(name, $0) }
    }
  }

  /// What keeps its queue from starting it; `isBlocked` says that it could not start anyway.
  private func queueFindings(
    _ queue: InspectableQueue, isBlocked: Bool, in state: EngineState
  ) -> [WaitFinding.Subject] {
    var subjects: [WaitFinding.Subject] = []
    // Until its turn has come, taken slots and the pace make no difference.
    let hasTurn = !isBlocked && core.isReady
    for cause in queue.core.blockers(at: state.presentTime) {
      let isOfTurn = cause == .queueFull || cause == .threadPool || cause == .pace
      guard hasTurn || !isOfTurn, let subject = WaitFinding.Subject(cause, of: queue) else {
        continue
      }
      // It competes for a slot now, unless a name was not free when it had its turn.
      if isOfTurn, subjects.isEmpty, !core.isBlocked { subjects.append(.behind(self, queue)) }
      subjects.append(subject)
    }
    // When its delay is over it will need a slot, and nothing frees one.
    let isJammed =
      !core.isReady && (core.extras?.delayEnds ?? 0) > 0 && queue.core.width > 0
      && !queue.core.hasRoom && queue.core.isHeldUp
    if isJammed { subjects.append(.full(queue)) }
    return subjects
  }

  /// What holds up an operation that executes.
  private var findingsWhileExecuting: [WaitFinding.Subject] {
    guard !core.isFinishing, let extras = core.extras else { return findingsInside }
    if extras.attemptPause != nil { return [.betweenAttempts(self)] }
    if isInHostPause { return [.hostPause(self)] }
    if extras.finishWait != nil { return [finishFinding] }
    return awaitedByBody.isEmpty ? findingsInside : [.bodyWaits(self)]
  }

  /// Whether it holds a slot and nothing works on it at present; in a transaction.
  var isHeldUp: Bool {
    switch core.state {
    case .executing: !findingsWhileExecuting.isEmpty
    // A group that was cancelled before it began ends when all that is in it has.
    case .pending, .ready: core.isClaimed && !findingsInside.isEmpty
    case .created, .finished: false
    }
  }

  /// What keeps a group from ending that has begun, or is about to end without having run.
  ///
  /// As long as something in it works, that is all there is to wait for.
  private var findingsInside: [WaitFinding.Subject] {
    guard let group = self as? GroupOperation, !group.innerQueue.core.isEmpty,
      group.innerQueue.core.membership?.isHeld == false, !group.innerQueue.core.isWorking
    else { return [] }
    return [.inside(group)]
  }
}
