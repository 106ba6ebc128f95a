/// What kept the ready operations of a queue from starting, over time.
struct QueueConditions {
  /// What applies to all ready operations of the queue.
  enum Condition {
    case notBegun, paused, widthZero, full
    /// It had room, and its pace may have kept it from starting one.
    case paced
    /// It had room.
    case free

    var cause: Cause? {
      switch self {
      case .notBegun: .group
      case .paused: .queuePaused
      case .widthZero: .widthZero
      case .full: .queueFull
      case .paced: .pace
      case .free: nil
      }
    }
  }

  /// A condition since a time, until the next one.
  struct Stretch {
    let start: ContinuousClock.Instant
    let condition: Condition
    /// Whether an operation could have started at once when it began.
    let couldStart: Bool
  }

  /// A slot that stays free longer was not wanted, or its successor was kept by something else.
  static let longestHandover = Duration.milliseconds(10)

  var width = -1
  var isSuspended = false
  var hasPace = false
  /// The number of the group whose queue it is.
  var group: Int?
  var groupHasBegun = false
  private(set) var executing: Set<Int> = []
  private var readyCount = 0
  private(set) var stretches: [Stretch] = []
  /// Which operations finished, in order.
  private(set) var ends: [(time: ContinuousClock.Instant, id: Int)] = []
  /// The operations in the order of adding.
  private(set) var members: [Int] = []
  private(set) var barriers: [Int] = []

  private var condition: Condition {
    if group != nil, !groupHasBegun { return .notBegun }
    if isSuspended { return .paused }
    if width == 0 { return .widthZero }
    if width > 0, executing.count >= width { return .full }
    return hasPace ? .paced : .free
  }

  /// Notes an operation that was added; returns its place.
  mutating func add(_ id: Int, isBarrier: Bool) -> Int {
    members.append(id)
    if isBarrier { barriers.append(id) }
    return members.count - 1
  }

  /// Notes a transition of an operation of the queue.
  mutating func pass(
    _ id: Int, from: OperationState, to: OperationState, at time: ContinuousClock.Instant
  ) {
    let hadReady = readyCount > 0
    if from == .ready { readyCount -= 1 }
    if to == .ready { readyCount += 1 }
    if from == .executing { executing.remove(id) }
    if to == .executing { executing.insert(id) }
    if to == .finished { ends.append((time, id)) }
    // Between the end of one operation and the start of the next, its slot is handed over.
    if to == .executing, let last = stretches.last, last.condition == .free,
      last.couldStart, time - last.start < Self.longestHandover,
      stretches.dropLast().last?.condition == .full
    {
      stretches.removeLast()
    }
    update(at: time, hadReady: hadReady)
  }

  /// Begins a stretch if the condition is another one now.
  mutating func update(at time: ContinuousClock.Instant, hadReady: Bool? = nil) {
    let condition = condition
    guard stretches.last?.condition != condition else { return }
    stretches.append(
      Stretch(
        start: time, condition: condition, couldStart: hadReady ?? (readyCount > 0)))
  }

  /// The conditions from one time to another, in order and without gaps.
  func parts(
    from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
  ) -> [(condition: Condition, start: ContinuousClock.Instant, end: ContinuousClock.Instant)] {
    let first = max(0, stretches.firstIndex(after: start) { $0.start } - 1)
    var parts: [(Condition, ContinuousClock.Instant, ContinuousClock.Instant)] = []
    var position = start
    for index in first..<max(first, stretches.count) where position < end {
      let isLast = index + 1 == stretches.count
      let partEnd = isLast ? end : min(end, stretches[index + 1].start)
      guard partEnd > position else { continue }
      parts.append((stretches[index].condition, position, partEnd))
      position = partEnd
    }
    if position < end { parts.append((.free, position, end)) }
    return parts
  }

  /// The operation that finished last before a time, or at it, other than one that finished then.
  func lastEnd(
    before time: ContinuousClock.Instant, except id: Int
  ) -> (time: ContinuousClock.Instant, id: Int)? {
    let index = ends.firstIndex(after: time) { $0.time }
    return ends[..<index].last { $0.id != id }
  }
}

extension Array {
  /// The index of the first element whose time is later, in an array sorted by time.
  ///
  /// It is the count if there is none, and takes logarithmic time.
  func firstIndex(
    after time: ContinuousClock.Instant, _ key: (Element) -> ContinuousClock.Instant
  ) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key(self[middle]) > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
