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

    /// Those whose reasons are the next to be asked for; its ``members`` are too, if it
    /// ``isAboutOthers``.
    var awaited: [ObservableOperation] {
      switch self {
      case .dependency(let operation), .behindBarrier(let operation): [operation]
      case .exclusive(_, let holder): holder.map { [$0] } ?? []
      case .group(let group): [group]
      case .full(let queue): queue.core.heldUpHolders
      default: []
      }
    }

    /// Those of a queue that it is about, where they may be very many.
    var members: WaitMembers? {
      switch self {
      case .barrierWaits(let barrier, let queue):
        WaitMembers(of: queue) { queue.core.turn(of: $0) < barrier.core.epoch }
      case .inside(let group):
        WaitMembers(of: group.innerQueue) { _ in true }
      case .behind(let operation, let queue):
        WaitMembers(of: queue, inOrderOfStarting: true) { $0.starts(before: operation) }
      default: nil
      }
    }

    /// Whether another operation is among those that are waited for, in a transaction.
    func waits(for other: ObservableOperation) -> Bool {
      switch self {
      case .barrierWaits(let barrier, let queue):
        other.core.queue === queue && queue.core.turn(of: other) < barrier.core.epoch
      case .inside(let group): other.core.queue === group.innerQueue
      default: awaited.contains { $0 === other }
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
  /// Whether it turned out not to be so.
  var isForgotten = false

  init(_ subject: Subject, depth: Int, origin: Int?) {
    self.subject = subject
    self.depth = depth
    self.origin = origin
  }

  var isCircle: Bool { if case .circle = subject { true } else { false } }

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

  /// Puts it into words; nil if it comes to nothing.
  func reason(in log: EventLog) -> WaitReason? {
    var members = subject.members
    log.guardedInPieces { _ in members?.readPiece() != false }
    return log.guardedDomain { domain in
      if let members { reason(of: members) } else { reason(in: domain) }
    }
  }

  /// Puts it into words that it is about certain operations of a queue, in a transaction.
  private func reason(of members: WaitMembers) -> WaitReason? {
    let names = members.first.map(name)
    let who = Wording.list(names, count: members.count)
    switch subject {
    case .barrierWaits(let barrier, let queue):
      return reason(
        .barrier, names, queue, "barrier '\(name(barrier))' waits for \(who), added before it")
    case .inside(let group):
      return reason(
        .dependency, names, group.innerQueue, "group '\(name(group))' waits for \(who) in it")
    case .behind(let operation, let queue):
      guard members.count > 0 else { return nil }
      let what = operation.core.isParked ? operation.core.extras?.line.map { "'\($0.name)' " } : nil
      let verb = (what == nil ? "start" : "get") + (members.count == 1 ? "s" : "")
      return reason(.higherPriority, names, queue, "\(who) \(verb) \(what ?? "")first")
    default:
      return nil
    }
  }

  private func reason(in domain: Domain) -> WaitReason? {
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
    case .exclusive(let name, let holder):
      let holders = holder.map { [self.name($0)] } ?? []
      let text = holder.map { "'\(name)' is held by '\(self.name($0))'" } ?? "waits for '\(name)'"
      return reason(.exclusive, holders, holder?.core.queue, text)
    case .group(let group):
      return about(.group, group, "group '\(name(group))' has not begun")
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
    case .paused, .widthZero, .full, .pace:
      return queueReason(in: domain)
    case .barrierWaits, .inside, .behind:
      return nil
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
    default:
      return nil
    }
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
