/// What depends on an operation, in the order in which the dependencies were added.
///
/// The references keep nothing alive: a dependent that nobody keeps just disappears. On a queue it
/// is kept by the queue.
///
/// They are not weak ones, which would cost each dependent an allocation and a way round to its count
/// of references. Instead a dependent strikes itself off in its `deinit`, under the lock of
/// the log, and it can do so because it keeps what it depends on. So whoever holds the lock finds
/// only dependents here whose memory is still theirs; that the `deinit` of one has begun, and waits
/// for the lock, is what ``BorrowedOperation/ifAlive`` tells.
struct DownstreamList {
  private struct Entry {
    /// Nil for one that was struck off.
    var operation: BorrowedOperation?
    /// Rises from entry to entry, except at the highest number, and among those that were there
    /// before the list was long: theirs is 0.
    let serial: UInt32
  }

  /// A list in which finding a dependent and closing a gap at once would take too long.
  private final class Long {
    // Unchecked, because the lock of the log makes overlapping access impossible.
    @exclusivity(unchecked) var entries: [Entry]
    /// How many entries were struck off.
    @exclusivity(unchecked) var gaps = 0

    init(_ operations: [BorrowedOperation]) {
      entries = operations.map { Entry(operation: $0, serial: 0) }
    }

    func add(_ operation: BorrowedOperation, _ lastSerial: UInt32) -> UInt32 {
      let serial = min((entries.last?.serial ?? 0) + 1, lastSerial)
      entries.append(Entry(operation: operation, serial: serial))
      return serial
    }

    /// Strikes a dependent off; half of the list may be gaps.
    func remove(_ operation: BorrowedOperation, serial: UInt32) {
      guard let position = position(of: operation, serial: serial) else { return }
      entries[position].operation = nil
      gaps += 1
      guard gaps * 2 > entries.count else { return }
      entries.removeAll { $0.operation == nil }
      gaps = 0
    }

    private func position(of operation: BorrowedOperation, serial: UInt32) -> Int? {
      guard let last = entries.last else { return nil }
      // Mostly the serials have no gaps: operations end in about the order of their serials, so that
      // the gaps that were closed were at the front.
      let guess = entries.count - 1 - Int(last.serial) + Int(serial)
      if entries.indices.contains(guess), entries[guess].operation == operation { return guess }
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = low + (high - low) / 2
        if entries[middle].serial < serial { low = middle + 1 } else { high = middle }
      }
      // At the beginning several entries have the same, and where serials have come to their end.
      return entries[low...].firstIndex { $0.operation == operation }
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
    case .many(let list): list.entries.count
    }
  }

  /// Adds a dependent, which has to be struck off before it is gone.
  ///
  /// - Parameters:
  ///   - operation: The dependent.
  ///   - lastSerial: Where serials come to their end.
  /// - Returns: By what it is found again in a long list; 0 in a short one.
  mutating func append(
    _ operation: ObservableOperation, lastSerial: UInt32 = DependencyEdge.lastSerial
  ) -> UInt32 {
    let operation = BorrowedOperation(operation)
    switch storage {
    case .none:
      storage = .one(operation)
      return 0
    case .one(let first):
      var operations: [BorrowedOperation] = []
      // The literal would have room for these two only, and be copied for the next.
      operations.reserveCapacity(4)
      operations.append(first)
      operations.append(operation)
      storage = .few(operations)
      return 0
    case .few(var operations):
      // The only reference is the one here, so that the array grows in place.
      storage = .none
      operations.append(operation)
      storage =
        operations.count > Self.longestScan ? .many(Long(operations)) : .few(operations)
      return 0
    case .many(let list):
      return list.add(operation, lastSerial)
    }
  }

  /// Strikes a dependent off that was added with that serial.
  mutating func remove(_ operation: ObservableOperation, serial: UInt32) {
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
      list.remove(operation, serial: serial)
      if list.entries.isEmpty { storage = .none }
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
    case .many(let list): list.entries[position].operation
    }
  }
}
