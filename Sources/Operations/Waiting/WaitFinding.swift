/// One thing that keeps an operation waiting, before it is put into words.
struct WaitFinding {
  enum Subject {
    case dependency(ObservableOperation)
    case notOnQueue(ObservableOperation)
    case delay(ObservableOperation, until: Int64)
    case behindBarrier(ObservableOperation)
    case barrierWaits(ObservableOperation, InspectableQueue)
    case exclusive(String, ObservableOperation?)
    case group(GroupOperation)
    /// What is in a group that cannot end before.
    case inside(GroupOperation)
    case paused(InspectableQueue)
    case widthZero(InspectableQueue)
    case full(InspectableQueue)
    case pace(InspectableQueue)
    case behind(ObservableOperation, InspectableQueue)
    /// One that executes, and lets some time pass before its next attempt.
    case betweenAttempts(ObservableOperation)
    /// One that waits for another, which waits for it.
    case circle(ObservableOperation, ObservableOperation)

    /// Whose reasons are the next to be asked for.
    var waitingFor: [ObservableOperation] {
      switch self {
      case .dependency(let operation), .behindBarrier(let operation): [operation]
      case .exclusive(_, let holder): holder.map { [$0] } ?? []
      case .group(let group): [group]
      case .barrierWaits(let barrier, let queue): queue.core.unfinished(before: barrier)
      case .inside(let group): group.innerQueue.core.operations
      case .full(let queue): queue.core.heldUpHolders
      case .notOnQueue, .delay, .paused, .widthZero, .pace, .behind, .betweenAttempts, .circle: []
      }
    }

    /// Whether it says what the operation waits for, and not how things are on a queue.
    var isAboutOthers: Bool {
      switch self {
      case .dependency, .behindBarrier, .exclusive, .group, .inside, .barrierWaits: true
      default: false
      }
    }

    /// Whether those are waited for until they end, and not only until they begin.
    var awaitsEnd: Bool {
      if case .group = self { false } else { true }
    }

    /// Whether each of those is waited for: of several slots one is enough, whichever it is.
    var awaitsEach: Bool {
      if case .full(let queue) = self { queue.core.takenSlots == 1 } else { true }
    }
  }

  /// The same for findings that say the same.
  struct Key: Hashable {
    let code: WaitReason.Code
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

  init(_ subject: Subject, depth: Int, origin: Int?) {
    self.subject = subject
    self.depth = depth
    self.origin = origin
  }

  /// The same finding with another place for the one that led to it.
  func moved(to origin: Int?) -> WaitFinding {
    var finding = WaitFinding(subject, depth: depth, origin: origin)
    finding.leadsOn = leadsOn
    return finding
  }

  var key: Key {
    switch subject {
    case .dependency(let operation): Key(code: .dependency, object: .init(operation))
    case .notOnQueue(let operation): Key(code: .notOnQueue, object: .init(operation))
    case .delay(let operation, _): Key(code: .delay, object: .init(operation))
    case .behindBarrier(let barrier): Key(code: .barrier, object: .init(barrier))
    case .barrierWaits(let barrier, _): Key(code: .barrier, object: .init(barrier), name: "before")
    case .exclusive(let name, _): Key(code: .exclusive, name: name)
    case .group(let group): Key(code: .group, object: .init(group))
    case .inside(let group): Key(code: .dependency, object: .init(group), name: "inside")
    case .paused(let queue): Key(code: .queuePaused, object: .init(queue))
    case .widthZero(let queue): Key(code: .widthZero, object: .init(queue))
    case .full(let queue): Key(code: .queueFull, object: .init(queue))
    case .pace(let queue): Key(code: .pace, object: .init(queue))
    case .behind(let operation, _): Key(code: .higherPriority, object: .init(operation))
    case .betweenAttempts(let operation): Key(code: .pause, object: .init(operation))
    case .circle: Key(code: .deadlock)
    }
  }

  /// Puts it into words, in a transaction; nil if it comes to nothing.
  func reason(in domain: Domain) -> WaitReason? {
    switch subject {
    case .dependency(let other as WatchingOperation):
      return about(.dependency, other, "waits for '\(name(other))', an operation of Foundation's")
    case .dependency(let other):
      let state = other.core.state.rawValue + (other.core.isCancelled ? ", cancelled" : "")
      return about(.dependency, other, "waits for '\(name(other))', which is \(state)")
    case .notOnQueue(let other):
      return about(
        .notOnQueue, other, "'\(name(other))' is on no queue, so nothing will start it")
    case .delay(let other, let end):
      let left = Duration.nanoseconds(max(0, end - domain.presentTime))
      return about(
        .delay, other, "'\(name(other))' may become ready in \(Wording.duration(left))")
    case .behindBarrier(let barrier):
      return about(.barrier, barrier, "comes after barrier '\(name(barrier))'")
    case .barrierWaits(let barrier, let queue):
      let names = queue.core.unfinished(before: barrier).map(name)
      return reason(
        .barrier, names, queue,
        "barrier '\(name(barrier))' waits for \(Wording.list(names)), added before it")
    case .exclusive(let name, let holder):
      let holders = holder.map { [self.name($0)] } ?? []
      let text = holder.map { "'\(name)' is held by '\(self.name($0))'" } ?? "waits for '\(name)'"
      return reason(.exclusive, holders, holder?.core.queue, text)
    case .group(let group):
      return about(.group, group, "group '\(name(group))' has not begun")
    case .inside(let group):
      let inside = group.innerQueue.core.operations
      let names = inside.prefix(Wording.longestList).map(name)
      return reason(
        .dependency, names, group.innerQueue,
        "group '\(name(group))' waits for \(Wording.list(names, count: inside.count)) in it")
    case .betweenAttempts(let other):
      return other.pauseInTransaction(at: domain.presentTime).map {
        about(
          .pause, other,
          "'\(name(other))' pauses: \($0.code), attempt \($0.attempt) of \($0.limit) follows in "
            + Wording.duration($0.remaining))
      }
    case .circle(let last, let first):
      return about(
        .deadlock, last,
        "'\(name(last))' waits for '\(name(first))', so neither will ever finish")
    case .paused, .widthZero, .full, .pace, .behind:
      return queueReason(in: domain)
    }
  }

  private func queueReason(in domain: Domain) -> WaitReason? {
    switch subject {
    case .paused(let queue):
      return reason(
        .queuePaused, [queue.core.name], queue, "queue '\(queue.core.name)' is paused")
    case .widthZero(let queue):
      return reason(
        .widthZero, [queue.core.name], queue,
        "queue '\(queue.core.name)' has width 0 and starts nothing")
    case .full(let queue):
      let holders = queue.core.slots.compactMap { $0.map(name) }
      let slots = queue.core.width == 1 ? "slot" : "\(queue.core.width) slots"
      let verb = holders.count == 1 ? "holds" : "hold"
      return reason(
        .queueFull, holders, queue,
        "queue '\(queue.core.name)' is full: \(Wording.list(holders)) \(verb) its \(slots)")
    case .pace(let queue):
      let left = Duration.nanoseconds(max(0, queue.core.nextStart - domain.presentTime))
      return reason(
        .pace, [queue.core.name], queue,
        "queue '\(queue.core.name)' starts the next one in \(Wording.duration(left))")
    case .behind(let operation, let queue):
      return behind(operation, on: queue)
    default:
      return nil
    }
  }

  /// Says who starts before a ready operation, or gets the name before it that it waits for, if
  /// anybody does.
  private func behind(
    _ operation: ObservableOperation, on queue: InspectableQueue
  ) -> WaitReason? {
    let place = Rank(operation)
    let awaited = operation.core.isParked ? operation.core.extras?.line?.name : nil
    // The first few of them in order: they may be a million, and only those are named.
    var first: [Rank] = []
    var count = 0
    queue.core.roster.forEach { other in
      let rank = Rank(other)
      guard rank < place,
        awaited == nil
          ? other.core.isStartable
          : other.core.isParked && other.core.extras?.line?.name == awaited
      else { return }
      count += 1
      if first.count == Wording.longestList {
        guard let last = first.last, rank < last else { return }
        first.removeLast()
      }
      first.insert(rank, at: first.firstIndex { rank < $0 } ?? first.endIndex)
    }
    guard count > 0 else { return nil }
    let names = first.map { name($0.operation) }
    let who = Wording.list(names, count: count)
    let verb = awaited == nil ? "start" : "get"
    let what = awaited.map { "'\($0)' " } ?? ""
    return reason(
      .higherPriority, names, queue, "\(who) \(verb)\(count == 1 ? "s" : "") \(what)first")
  }

  private func name(_ operation: ObservableOperation) -> String {
    operation.identityInTransaction.name
  }

  private func about(
    _ code: WaitReason.Code, _ operation: ObservableOperation, _ text: String
  ) -> WaitReason {
    reason(code, [name(operation)], operation.core.queue, text)
  }

  private func reason(
    _ code: WaitReason.Code, _ subject: [String], _ queue: InspectableQueue?, _ text: String
  ) -> WaitReason {
    WaitReason(code: code, subject: subject, queue: queue?.core.name, text: text, depth: depth)
  }
}
