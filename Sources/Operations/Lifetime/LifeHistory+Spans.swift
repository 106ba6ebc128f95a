extension LifeHistory {
  /// What the life of an operation went to, from the time it was added up to its end or the present,
  /// in order and without gaps.
  ///
  /// It takes time in proportion to what happened on its queue while it waited.
  ///
  /// - Parameter id: The number of the operation.
  /// - Returns: The stretches; none for one that was never added, or whose beginning the log no
  ///   longer has.
  public func spans(of id: Int) -> [LifeSpan] {
    guard let life = lives[id], let added = life.added else { return [] }
    var spans = SpanList(start: added)
    let end = life.finished ?? now
    addPending(of: life, until: life.ready ?? life.started ?? end, to: &spans)
    if let ready = life.ready { addReady(of: life, ready, until: life.started ?? end, to: &spans) }
    if life.started != nil { addExecuting(of: life, until: end, to: &spans) }
    return spans.spans
  }

  // MARK: Dependencies

  /// The times in which dependencies kept an operation, in order, within a time.
  ///
  /// Of several at once, the time is owed to the one that was met last: the others made no
  /// difference. After its cancellation none of them counts.
  private func dependencies(
    of life: OperationLife, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
  ) -> [(id: Int, start: ContinuousClock.Instant, end: ContinuousClock.Instant)] {
    var limit = min(end, life.cancelled ?? end)
    var found: [(id: Int, start: ContinuousClock.Instant, end: ContinuousClock.Instant)] = []
    while limit > start {
      let last = life.edges.filter { $0.added < limit }.map { edge in
        let met = min(lives[edge.id]?.finished ?? limit, edge.removed ?? limit, limit)
        return (id: edge.id, start: max(edge.added, start), end: met)
      }.filter { $0.end > $0.start }.max { $0.end < $1.end }
      guard let last else { break }
      found.append(last)
      limit = last.start
    }
    return found.reversed()
  }

  // MARK: Pending

  private func addPending(
    of life: OperationLife, until end: ContinuousClock.Instant, to spans: inout SpanList
  ) {
    let other = life.hasDelay ? Cause.delay : .starting
    for wait in dependencies(of: life, from: spans.position, to: end) {
      spans.add(other, until: wait.start)
      spans.add(.dependency, until: wait.end, culprit: wait.id)
    }
    spans.add(other, until: end)
  }

  // MARK: Ready

  private func addReady(
    of life: OperationLife, _ ready: ContinuousClock.Instant, until end: ContinuousClock.Instant,
    to spans: inout SpanList
  ) {
    guard let queue = life.queueID.flatMap({ queues[$0] }) else {
      return spans.add(.starting, until: end)
    }
    // A ready operation may get another dependency, which keeps it as before.
    for wait in dependencies(of: life, from: ready, to: end) {
      addReady(of: life, on: queue, from: spans.position, until: wait.start, to: &spans)
      spans.add(.dependency, until: wait.end, culprit: wait.id)
    }
    addReady(of: life, on: queue, from: spans.position, until: end, to: &spans)
  }

  private func addReady(
    of life: OperationLife, on queue: QueueConditions, from start: ContinuousClock.Instant,
    until end: ContinuousClock.Instant, to spans: inout SpanList
  ) {
    guard start < end else { return }
    // What `why` names first: it would not start if the queue had room.
    if let barrier = barrier(before: life, on: queue) {
      spans.add(.barrier, until: min(barrier.end, end), culprit: barrier.id)
    }
    for part in queue.parts(from: max(start, spans.position), to: end) {
      switch part.condition {
      case .full:
        addFull(of: life, on: queue, from: part.start, until: part.end, to: &spans)
      case .notBegun:
        spans.add(.group, until: part.end, culprit: queue.group)
      case .paused, .widthZero:
        spans.add(part.condition.cause ?? .starting, until: part.end)
      case .free, .paced:
        addFree(of: life, or: part.condition.cause ?? .starting, until: part.end, to: &spans)
      }
    }
  }

  /// Adds a stretch in which the queue was full: owed to the operation that made room at its end, or,
  /// while none has, to one that still has its slot.
  private func addFull(
    of life: OperationLife, on queue: QueueConditions, from start: ContinuousClock.Instant,
    until end: ContinuousClock.Instant, to spans: inout SpanList
  ) {
    let lasts = end >= now && life.started == nil && life.finished == nil
    if !lasts, let ending = queue.lastEnd(before: end, except: life.id) {
      if ending.time >= start { return spans.add(.queueFull, until: end, culprit: ending.id) }
      // It became ready while the slot that it got was handed over.
      if end == life.started, end - ending.time < QueueConditions.longestHandover {
        return spans.add(.starting, until: end)
      }
    }
    let holders = queue.executing.filter { id in
      lives[id]?.started.map { $0 < end } ?? false
    }
    spans.add(.queueFull, until: end, culprit: holders.min())
  }

  /// Adds a stretch in which the queue had room.
  private func addFree(
    of life: OperationLife, or other: Cause, until end: ContinuousClock.Instant,
    to spans: inout SpanList
  ) {
    for holder in holders(before: life, until: end) where holder.end > spans.position {
      spans.add(other, until: holder.start)
      spans.add(.exclusive, until: min(holder.end, end), culprit: holder.id)
    }
    spans.add(other, until: end)
  }

  /// What an operation has to wait for because of a barrier, and until when.
  private func barrier(
    before life: OperationLife, on queue: QueueConditions
  ) -> (id: Int, end: ContinuousClock.Instant)? {
    let others =
      life.isBarrier ? queue.members.prefix(life.turn) : queue.barriers[...]
    return others.filter { (lives[$0]?.turn ?? 0) < life.turn }
      .map { (id: $0, end: lives[$0]?.finished ?? now) }.max { $0.end < $1.end }
  }

  /// How many of the operations that had a name before are looked at.
  private static let lastHolders = 64

  /// The operations that had one of its names before it, in the order in which they let it go.
  private func holders(
    before life: OperationLife, until end: ContinuousClock.Instant
  ) -> [(id: Int, start: ContinuousClock.Instant, end: ContinuousClock.Instant)] {
    life.exclusiveNames.flatMap { name in
      holders[name, default: []].prefix { $0 != life.id }.suffix(Self.lastHolders).compactMap {
        id in
        lives[id].flatMap { other in
          other.started.map { (id: id, start: $0, end: min(other.finished ?? now, end)) }
        }
      }
    }.filter { $0.start < end }.sorted { $0.end < $1.end }
  }

  // MARK: Executing

  private func addExecuting(
    of life: OperationLife, until end: ContinuousClock.Instant, to spans: inout SpanList
  ) {
    let members = members(of: life.id)
    let lastMember = members.compactMap { lives[$0] }
      .max { $0.finished ?? now < $1.finished ?? now }?.id
    let work = isGroup(life.id) ? Cause.members : .work
    var (cause, culprit) = (work, lastMember)
    for change in life.changes {
      spans.add(cause, until: min(change.time, end), culprit: culprit)
      cause = change.cause == .work ? work : change.cause
      culprit = change.cause == .work ? lastMember : change.culprit
    }
    spans.add(cause, until: end, culprit: culprit)
  }
}

/// Stretches that follow one another without gaps.
private struct SpanList {
  private(set) var spans: [LifeSpan] = []
  private(set) var position: ContinuousClock.Instant

  init(start: ContinuousClock.Instant) { position = start }

  /// Adds what lasts from the end of the last one to a time; nothing if that is not later.
  mutating func add(
    _ cause: Cause, until end: ContinuousClock.Instant, culprit: Int? = nil
  ) {
    guard end > position else { return }
    let start: ContinuousClock.Instant
    if let last = spans.last, last.cause == cause, last.culprit == culprit {
      start = last.start
      spans.removeLast()
    } else {
      start = position
    }
    spans.append(LifeSpan(cause: cause, start: start, end: end, culprit: culprit))
    position = end
  }
}
