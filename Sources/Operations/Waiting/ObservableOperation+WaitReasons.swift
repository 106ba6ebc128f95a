extension ObservableOperation {
  /// How many reasons a list holds at most; those in the middle are left out.
  private static let longestList = 64
  private static let rootsKept = 16

  /// Says why it is not running now: the nearest reason first, the root last.
  ///
  /// The reasons of what it waits for are followed down to the root, across dependencies, barriers,
  /// groups, what is in them, and queues, also where that is a circle of others which wait for one
  /// another. The list is empty if it executes or has finished, and if nothing keeps it from
  /// starting at this moment.
  ///
  /// - Returns: The reasons, all seen at the same moment.
  public func waitReasons() -> [WaitReason] {
    collectReasons(Self.nearestFirst)
  }

  /// Says why it is not running now, as a tree: behind each reason those that it follows from, one
  /// deeper, and none twice.
  ///
  /// - Returns: The reasons, all seen at the same moment.
  public func waitReasonTree() -> [WaitReason] {
    collectReasons(Self.depthFirst)
  }

  /// Finds the reasons; `arrange` says which are told and in which order.
  private func collectReasons(_ arrange: ([WaitFinding]) -> [WaitFinding]) -> [WaitReason] {
    // What was found goes out of the lock with the reasons: it may have become the last reference
    // to somebody.
    let (reasons, found, groups) = log.guardedDomain {
      domain -> ([WaitReason], [WaitFinding], [ObservableOperation]) in
      let groups = core.queue?.enclosingGroups ?? []
      let found = findingsToTheRoot(within: groups, in: domain)
      return (Self.reasons(arrange(found), in: domain), found, groups)
    }
    withExtendedLifetime(groups) {}
    return reasons + WatchingOperation.reasons(found)
  }

  /// What keeps it, and those that it waits for, and so on; each finding stands behind the one that
  /// led there.
  private func findingsToTheRoot(
    within groups: [ObservableOperation], in domain: Domain
  ) -> [WaitFinding] {
    var found: [WaitFinding] = []
    var level = [(operation: self, origin: Int?.none, isCertain: true)]
    var seen: Set<Int> = [id]
    var depth = 0
    var meetsAgain = false
    var isInCircle = false
    // One that executes does not wait, also if it is a group and what is in it does.
    if core.state == .executing { return [] }
    while !level.isEmpty {
      var next: [(operation: ObservableOperation, origin: Int?, isCertain: Bool)] = []
      for (operation, origin, isCertain) in level {
        for subject in operation.findings(in: domain) {
          let place = found.count
          // What one of several ways leads back from is no circle: another may lead on.
          let closesCircles = isCertain && subject.awaitsEach
          found.append(WaitFinding(subject, depth: depth, origin: origin))
          for other in subject.waitingFor {
            if other === self {
              guard closesCircles else { continue }
              found.append(WaitFinding(.circle(operation, self), depth: depth, origin: origin))
              isInCircle = true
            } else if subject.awaitsEnd, closesCircles, groups.contains(where: { $0 === other }) {
              found.append(WaitFinding(.circle(other, self), depth: depth, origin: origin))
              isInCircle = true
            } else if seen.insert(other.id).inserted {
              found[place].leadsOn = true
              next.append((other, place, closesCircles))
            } else {
              meetsAgain = true
            }
          }
        }
      }
      level = next
      depth += 1
    }
    if meetsAgain, !isInCircle, let (last, first) = circleAhead(in: domain) {
      found.append(WaitFinding(.circle(last, first), depth: depth - 1, origin: nil))
    }
    return found
  }

  /// Looks for a circle among those that this one waits for, in a transaction.
  ///
  /// - Returns: One of its operations, and the next, for which it waits.
  private func circleAhead(
    in domain: Domain
  ) -> (ObservableOperation, ObservableOperation)? {
    // In depth first, with a stack of its own, because chains may be long.
    var path: Set<Int> = [id]
    var isDone: Set<Int> = []
    var stack = [(operation: self, left: awaited(in: domain))]
    while let operation = stack.last?.operation {
      guard let next = stack[stack.count - 1].left.popLast() else {
        stack.removeLast()
        path.remove(operation.id)
        isDone.insert(operation.id)
        continue
      }
      if path.contains(next.id) { return (operation, next) }
      guard !isDone.contains(next.id) else { continue }
      path.insert(next.id)
      stack.append((next, next.awaited(in: domain)))
    }
    return nil
  }

  /// Those whose end it waits for, in a transaction.
  private func awaited(in domain: Domain) -> [ObservableOperation] {
    findings(in: domain).filter { $0.awaitsEnd && $0.awaitsEach }.flatMap(\.waitingFor)
  }

  private static func reasons(_ told: [WaitFinding], in domain: Domain) -> [WaitReason] {
    var told = told
    if told.count > longestList {
      told = Array(told.prefix(longestList - rootsKept)) + Array(told.suffix(rootsKept))
    }
    return told.compactMap { $0.reason(in: domain) }
  }

  /// The findings in the order of their distance.
  private static func nearestFirst(_ found: [WaitFinding]) -> [WaitFinding] {
    var seen: Set<WaitFinding.Key> = []
    var distinct: [WaitFinding] = []
    // What is found more than once stands where it is nearest to the root; but what the operation
    // itself waits for is the nearest reason, whoever waits for that as well.
    for finding in found.reversed()
    where seen.insert(finding.key).inserted || (finding.depth == 0 && finding.subject.isAboutOthers)
    {
      distinct.append(finding)
    }
    return distinct.reversed()
  }

  /// The findings as a tree, each with those that follow from it behind it.
  private static func depthFirst(_ found: [WaitFinding]) -> [WaitFinding] {
    // Of those that say the same the one is told that others follow from, and else the one that is
    // nearest to the root.
    var chosen: [WaitFinding.Key: Int] = [:]
    var following: [Int?: [Int]] = [:]
    for (place, finding) in found.enumerated() {
      following[finding.origin, default: []].append(place)
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

  /// What keeps it from running, itself, in a transaction.
  private func findings(in domain: Domain) -> [WaitFinding.Subject] {
    switch core.state {
    case .finished: return []
    case .executing: return findingsWhileExecuting
    case .created: return openEdges.map { .dependency($0) } + [.notOnQueue(self)]
    case .pending, .ready: break
    }
    guard !core.isClaimed, !core.isFinishing else { return findingsInside }
    guard let queue = core.queue else {
      // It was in a group that is gone.
      return openEdges.map { .dependency($0) } + [.notOnQueue(self)]
    }
    var subjects = openEdges.map { WaitFinding.Subject.dependency($0) }
    if let extras = core.extras, extras.delayEnds > 0, !core.isReady {
      subjects.append(.delay(self, until: extras.delayEnds))
    }
    if let barrier = queue.core.barrier(before: self) {
      subjects.append(.behindBarrier(barrier))
    } else if core.extras?.isBarrier == true, !queue.core.isInTurn(self) {
      subjects.append(.barrierWaits(self, queue))
    }
    let names = exclusiveFindings(in: domain)
    // Whoever waits for a name has had its turn; for the others it is what comes next.
    if core.isParked { subjects += names + [.behind(self, queue)] }
    subjects += queueFindings(queue, isBlocked: !subjects.isEmpty, in: domain)
    return core.isParked ? subjects : subjects + names
  }

  /// The names that it needs and another one has, and the one that it waits for.
  private func exclusiveFindings(in domain: Domain) -> [WaitFinding.Subject] {
    guard let extras = core.extras, !core.isCancelled else { return [] }
    return extras.exclusiveNames.compactMap { name in
      let holder = domain.exclusives.holder(of: name)
      return holder != nil || extras.line?.name == name ? .exclusive(name, holder) : nil
    }
  }

  /// What keeps its queue from starting it; `isBlocked` says that it could not start anyway.
  private func queueFindings(
    _ queue: InspectableQueue, isBlocked: Bool, in domain: Domain
  ) -> [WaitFinding.Subject] {
    var subjects: [WaitFinding.Subject] = []
    let isFull = !isBlocked && core.isReady && queue.core.width != 0 && !queue.core.hasRoom
    if !isBlocked, core.isReady, !queue.core.isSuspended, queue.core.width != 0 {
      // It competes for a slot now.
      let isPaced = queue.core.pace > 0 && queue.core.nextStart > domain.presentTime
      if isFull || isPaced { subjects.append(.behind(self, queue)) }
      if isFull { subjects.append(.full(queue)) }
      if isPaced { subjects.append(.pace(queue)) }
    }
    if queue.core.width == 0 { subjects.append(.widthZero(queue)) }
    if queue.core.isSuspended {
      subjects.append(.paused(queue))
      // It would not start if the queue were resumed.
      if isFull { subjects.append(.full(queue)) }
    }
    if let membership = queue.core.membership, membership.isHeld, let group = membership.group {
      subjects.append(.group(group))
    }
    return subjects
  }

  /// What holds up an operation that executes.
  private var findingsWhileExecuting: [WaitFinding.Subject] {
    guard !core.isFinishing, core.extras?.attemptPause != nil else { return findingsInside }
    return [.betweenAttempts(self)]
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

  /// The dependencies that it waits for.
  private var openEdges: [ObservableOperation] {
    guard !core.isReady else { return [] }
    return core.upstream.map(\.operation).filter { $0.core.state != .finished }
  }
}
