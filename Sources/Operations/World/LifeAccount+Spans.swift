extension LifeAccount {
  /// What the life of an operation went to, from the time it was added up to its end or the present,
  /// in order and without gaps.
  ///
  /// It takes time in proportion to what happened on its queue while it was ready.
  ///
  /// - Parameter id: The number of the operation.
  /// - Returns: The stretches; none for one that was never added, or whose beginning the log no
  ///   longer has.
  public func spans(of id: Int) -> [LifeSpan] {
    guard let life = lives[id] else { return [] }
    let end = life.finished > 0 ? life.finished : presentTime
    var spans = SpanList(start: fold.engine.start, at: life.added)
    for part in life.track.parts(from: life.added, to: end) {
      if let cause = part.stretch.cause {
        let culprit = part.stretch.culprit ?? (part.end == end ? present(cause, of: id) : nil)
        spans.add(cause, until: part.end, culprit: culprit)
      } else {
        addReady(id, life, from: part.start, until: part.end, to: &spans)
      }
    }
    spans.add(.starting, until: end)
    return spans.spans
  }

  /// The operation that the present blocker of an operation is owed to, as long as its end has not told.
  private func present(_ cause: Cause, of id: Int) -> Int? {
    guard let operation = fold.operations[id], lives[id]?.finished == 0 else { return nil }
    switch cause {
    case .dependency:
      return operation.upstream.first { $0.operation.state != .finished }?.operation.id
    case .members: return (operation as? GroupOperation)?.operations.first?.id
    default: return nil
    }
  }

  /// Adds a stretch in which nothing kept an operation but its queue or its names.
  private func addReady(
    _ id: Int, _ life: Life, from start: Int64, until end: Int64, to spans: inout SpanList
  ) {
    guard let queue = life.queue.flatMap({ queues[$0] }) else {
      return spans.add(.starting, until: end)
    }
    for part in queue.track.parts(from: start, to: end) {
      switch part.stretch.cause {
      case nil: spans.add(.starting, until: part.end)
      case .queueFull: addFull(id, life, queue, from: part.start, until: part.end, to: &spans)
      case let cause?: spans.add(cause, until: part.end, culprit: part.stretch.culprit)
      }
    }
  }

  /// Adds a stretch in which the queue was full: owed to the operation that held the slot and gave it
  /// back at the end, or, while none has, to one that still holds a slot.
  private func addFull(
    _ id: Int, _ life: Life, _ queue: QueueLife, from start: Int64, until end: Int64,
    to spans: inout SpanList
  ) {
    let lasts = end >= presentTime && life.finished == 0
    if !lasts, let ending = queue.lastEnd(before: end, except: id) {
      if ending.time >= start { return spans.add(.queueFull, until: end, culprit: ending.id) }
      // It became ready while the slot that it got was handed over.
      if end - ending.time < Self.longestHandover { return spans.add(.starting, until: end) }
    }
    let holder = life.queue.flatMap { fold.queues[$0] }?.holder(except: id)
    spans.add(.queueFull, until: end, culprit: holder)
  }
}

extension LifeAccount.QueueLife {
  /// The operation that gave a slot back last before a time, or at it, other than one.
  fileprivate func lastEnd(before time: Int64, except id: Int) -> (time: Int64, id: Int)? {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].time > time { high = middle } else { low = middle + 1 }
    }
    return ends[..<low].last { $0.id != id }
  }
}

extension InspectableQueue {
  /// The number of an operation that holds a slot, other than one.
  fileprivate func holder(except id: Int) -> Int? {
    read { $0.slots.lazy.compactMap { $0?.id }.first { $0 != id } }
  }
}

/// Stretches that follow one another without gaps.
private struct SpanList {
  private(set) var spans: [LifeSpan] = []
  private(set) var position: Int64
  private let start: EngineStart

  init(start: EngineStart, at position: Int64) { (self.start, self.position) = (start, position) }

  /// Adds what lasts from the end of the last one to a time; nothing if that is not later.
  mutating func add(_ cause: Cause, until end: Int64, culprit: Int? = nil) {
    guard end > position else { return }
    var from = start.instant(at: position)
    if let last = spans.last, last.cause == cause, last.culprit == culprit {
      from = last.start
      spans.removeLast()
    }
    spans.append(
      LifeSpan(cause: cause, start: from, end: start.instant(at: end), culprit: culprit))
    position = end
  }
}
