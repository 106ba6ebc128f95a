/// The operations of a queue that a finding is about, looked at a few at a time: they may be a
/// hundred thousand.
struct WaitMembers {
  private let queue: InspectableQueue
  private let isMember: (ObservableOperation, EngineState) -> Bool
  private let isInOrder: Bool
  private var place = 0
  private var generation: Int?
  /// The first few of those that were found, and how many were.
  private(set) var first: [ObservableOperation] = []
  private(set) var count = 0

  /// Creates a search for members on a queue.
  ///
  /// - Parameters:
  ///   - queue: The queue whose unfinished operations are looked at.
  ///   - isInOrder: Whether the first ones are those that start first, not those added first.
  ///   - isMember: Whether an operation is a member; called in a transaction.
  init(
    of queue: InspectableQueue, inOrderOfStarting isInOrder: Bool = false,
    where isMember: @escaping (ObservableOperation, EngineState) -> Bool
  ) {
    self.queue = queue
    self.isInOrder = isInOrder
    self.isMember = isMember
  }

  /// Goes to the next member, in a transaction.
  ///
  /// - Parameters:
  ///   - steps: How many operations were looked at while the lock is held; it is counted up.
  ///   - limit: How many may be.
  ///   - state: What the lock guards.
  /// - Returns: The member; nil if there is none up to the limit, and no further one below it.
  mutating func next(
    _ steps: inout Int, limit: Int, in state: EngineState
  ) -> ObservableOperation? {
    let unfinished = queue.core.unfinished
    // When operations have moved to other places, some may have moved to where it has been.
    if generation != unfinished.generation {
      (generation, place, first, count) = (unfinished.generation, 0, [], 0)
    }
    while place < unfinished.placeCount, steps < limit {
      let candidate = unfinished[place]
      place += 1
      steps += 1
      guard let candidate, isMember(candidate, state) else { continue }
      count += 1
      note(candidate)
      return candidate
    }
    return nil
  }

  /// Goes on to the end, or as far as the lock may be held, in a transaction; returns whether that
  /// was the end.
  mutating func readPiece(in state: EngineState) -> Bool {
    var steps = 0
    while next(&steps, limit: WaitSearch.longestPiece, in: state) != nil {}
    return steps < WaitSearch.longestPiece
  }

  /// Keeps the first few, and only those, because only those are named.
  private mutating func note(_ member: ObservableOperation) {
    guard isInOrder else {
      if first.count < Wording.longestList { first.append(member) }
      return
    }
    let rank = Rank(member)
    if first.count == Wording.longestList {
      guard let last = first.last, rank < Rank(last) else { return }
      first.removeLast()
    }
    first.insert(member, at: first.firstIndex { rank < Rank($0) } ?? first.endIndex)
  }
}

extension ObservableOperation {
  /// Whether it starts before a ready operation of the same queue, or gets the exclusive name before
  /// it that both wait for; in a transaction.
  func starts(before other: ObservableOperation, in state: EngineState) -> Bool {
    guard Rank(self) < Rank(other) else { return false }
    guard other.core.isBlocked else { return couldStart(in: state) }
    guard core.isBlocked, let name = state.exclusives.busyName(for: other) else { return false }
    return exclusiveNamesInTransaction.contains(name)
  }

  /// Whether it would start if it were its turn, in a transaction: one that needs a name which is not
  /// free is passed over, unless it was cancelled.
  func couldStart(in state: EngineState) -> Bool {
    core.isStartable
      && (core.isCancelled || state.exclusives.unavailableName(for: self) == nil)
  }
}
