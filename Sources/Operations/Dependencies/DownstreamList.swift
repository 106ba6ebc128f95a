/// What depends on an operation, in the order in which the dependencies were added.
///
/// The references keep nothing alive: a dependent that nothing else keeps just disappears. On a queue
/// it is kept by the queue.
///
/// They are not weak ones: with those the benchmarks `engine/fan-out/COUNT/total` and
/// `engine/layered/COUNT/total` take half as long again, because each dependent gets an allocation
/// through which every use of its count of references goes. Instead a dependent removes itself in its
/// `deinit`, under the lock of the engine, which it can do because it keeps what it depends on. So the
/// memory of every dependent found here under the lock is valid; whether its `deinit` has begun, and
/// waits for the lock, is what ``BorrowedOperation/ifAlive`` tells.
struct DownstreamList {
  /// A list in which finding a dependent and closing a gap at once would take too long: without it
  /// the benchmark `engine/fan-out/COUNT/drain` takes the square of the count.
  private final class Long {
    private static let longestScan = 64

    // Unchecked, because the lock of the engine makes overlapping access impossible.

    /// Nil for one that was removed; half of the list may be that.
    @exclusivity(unchecked) private(set) var places: [BorrowedOperation?]
    /// Where each dependent is.
    ///
    /// Nil as long as they are removed in about the order in which they were added, as most are.
    @exclusivity(unchecked) private var positions: [BorrowedOperation: Int32]?
    /// All places before this are nil.
    @exclusivity(unchecked) private var head = 0
    /// Where the last one was removed.
    @exclusivity(unchecked) private var lastGap = 0
    @exclusivity(unchecked) private var gapCount = 0

    init(_ operations: [BorrowedOperation]) {
      places = operations
    }

    func add(_ operation: BorrowedOperation) {
      positions?[operation] = Int32(places.count)
      places.append(operation)
    }

    func remove(_ operation: BorrowedOperation) {
      guard let position = position(of: operation) else { return }
      positions?[operation] = nil
      places[position] = nil
      lastGap = position
      gapCount += 1
      while head < places.count, places[head] == nil { head += 1 }
      if gapCount * 2 > places.count { closeGaps() }
    }

    private func position(of operation: BorrowedOperation) -> Int? {
      if positions == nil {
        // One thread may still run the first one while others are far ahead.
        if let position = position(of: operation, near: lastGap)
          ?? position(of: operation, near: head)
        {
          return position
        }
        findPositions()
      }
      return positions?[operation].map { Int($0) }
    }

    private func position(of operation: BorrowedOperation, near start: Int) -> Int? {
      let end = min(start + Self.longestScan, places.count)
      return (start..<end).first { places[$0] == operation }
        ?? (max(0, start - Self.longestScan)..<start).first { places[$0] == operation }
    }

    private func closeGaps() {
      places.removeAll { $0 == nil }
      (head, lastGap, gapCount) = (0, 0, 0)
      if positions != nil { findPositions() }
    }

    private func findPositions() {
      var positions: [BorrowedOperation: Int32] = [:]
      positions.reserveCapacity(places.count)
      for (position, operation) in places.enumerated() {
        if let operation { positions[operation] = Int32(position) }
      }
      self.positions = positions
    }
  }

  /// Most lists are empty or have one entry, and those take no memory of their own.
  private enum Storage {
    case none
    case one(BorrowedOperation)
    case few([BorrowedOperation])
    case many(Long)
  }

  private static let longestScan = 16

  private var storage = Storage.none

  var isEmpty: Bool {
    if case .none = storage { true } else { false }
  }

  /// How many positions there are; some may be empty.
  var count: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .few(let operations): operations.count
    case .many(let list): list.places.count
    }
  }

  /// Adds a dependent, which has to be removed before it is gone.
  mutating func append(_ operation: ObservableOperation) {
    let operation = BorrowedOperation(operation)
    switch storage {
    case .none:
      storage = .one(operation)
    case .one(let first):
      var operations: [BorrowedOperation] = []
      // The literal would have room for these two only, and be copied for the next.
      operations.reserveCapacity(4)
      operations.append(first)
      operations.append(operation)
      storage = .few(operations)
    case .few(var operations):
      // The only reference is the one here, so that the array grows in place.
      storage = .none
      operations.append(operation)
      storage =
        operations.count > Self.longestScan ? .many(Long(operations)) : .few(operations)
    case .many(let list):
      list.add(operation)
    }
  }

  mutating func remove(_ operation: ObservableOperation) {
    let operation = BorrowedOperation(operation)
    switch storage {
    case .none:
      break
    case .one(let first):
      if first == operation { storage = .none }
    case .few(var operations):
      storage = .none
      if let position = operations.firstIndex(of: operation) { operations.remove(at: position) }
      if !operations.isEmpty { storage = .few(operations) }
    case .many(let list):
      list.remove(operation)
      if list.places.isEmpty { storage = .none }
    }
  }

  /// One of them if it is alive, of which the caller must let go outside the lock.
  func operation(at position: Int) -> ObservableOperation? {
    borrowed(at: position)?.ifAlive
  }

  /// Calls `body` with each that is alive and has not finished.
  ///
  /// Those of which the caller must let go outside the lock are added to `released`.
  func forEachUnfinished(
    released: inout [AnyObject], _ body: (ObservableOperation) -> Void
  ) {
    for position in 0..<count {
      guard let operation = borrowed(at: position), !operation.isFinished else { continue }
      if operation.isKeptByQueue {
        operation.look(body)
      } else if let operation = operation.ifAlive {
        released.append(operation)
        body(operation)
      }
    }
  }

  /// How many have not finished; takes time for each.
  var unfinishedCount: Int {
    (0..<count).count { borrowed(at: $0)?.isFinished == false }
  }

  /// Those that are alive, of which the caller must let go outside the lock.
  func alive() -> [ObservableOperation] {
    (0..<count).compactMap { operation(at: $0) }
  }

  private func borrowed(at position: Int) -> BorrowedOperation? {
    switch storage {
    case .none: nil
    case .one(let operation): operation
    case .few(let operations): operations[position]
    case .many(let list): list.places[position]
    }
  }
}
