/// Looks for what keeps an operation waiting, level by level, down to the root.
///
/// It does so in pieces of ``longestPiece`` steps, for each of which the lock is held: a hundred
/// thousand dependencies, or operations before a barrier, would hold up everything else for half a
/// second. It keeps every operation that it meets until it is released itself, outside the lock.
struct WaitSearch {
  /// How many operations and dependencies are looked at while the lock is held once.
  static let longestPiece = 1024

  private struct Visit {
    let operation: ObservableOperation
    let depth: Int
    /// The finding that led there.
    let origin: Int?
  }

  private let subject: ObservableOperation
  /// What was found; each finding follows the one that led to it.
  private(set) var found: [WaitFinding] = []
  /// For each finding, which of the visits came to it.
  private var visitOfFinding: [Int] = []
  /// The operations to look at, the nearest first, and the one that is looked at.
  private var visits: [Visit] = []
  private var index = 0
  private var cursor: WaitCursor
  private var seen: Set<Int>
  /// Whether operations may wait for one another: something was met twice, or a group that ends only
  /// after its operations.
  private(set) var mayHaveCycle = false
  private var hasBegun = false
  /// How many steps the longest piece took.
  private(set) var longestPieceTaken = 0

  init(for operation: ObservableOperation) {
    subject = operation
    cursor = WaitCursor(operation)
    seen = [operation.id]
  }

  /// Continues the search, in a transaction; returns whether it is over.
  mutating func continueSearch(in state: EngineState) -> Bool {
    var steps = 0
    defer { longestPieceTaken = max(longestPieceTaken, steps) }
    if !hasBegun { begin() }
    while index < visits.count {
      guard steps < Self.longestPiece else { return false }
      switch cursor.step(&steps, limit: Self.longestPiece, in: state) {
      case .finding(let finding):
        let visit = visits[index]
        found.append(WaitFinding(finding, depth: visit.depth, origin: visit.origin))
        visitOfFinding.append(index)
      case .awaited(let other): add(awaited: other)
      case .nothing: break
      case .end:
        index += 1
        if index < visits.count { cursor = WaitCursor(visits[index].operation) }
      }
    }
    return true
  }

  private mutating func begin() {
    hasBegun = true
    // A group that executes does not wait, though its operations do.
    guard
      subject.core.state != .executing || !(subject is GroupOperation)
        || subject.core.extras?.finishWait != nil
    else { return }
    visits = [Visit(operation: subject, depth: 0, origin: nil)]
  }

  /// Adds one that the last finding waits for to those to look at.
  private mutating func add(awaited other: ObservableOperation) {
    guard seen.insert(other.id).inserted else { return mayHaveCycle = true }
    if other is GroupOperation { mayHaveCycle = true }
    let origin = found.count - 1
    found[origin].leadsOn = true
    visits.append(
      Visit(operation: other, depth: visits[index].depth + 1, origin: origin))
  }

  /// Adds that operations wait for one another, in a transaction; the search is over.
  ///
  /// - Parameter cycle: Operations of which each waits for the next, and the last for the first.
  mutating func add(cycle: [ObservableOperation]) {
    for (place, visit) in visitOfFinding.enumerated() where visits[visit].operation === cycle.last {
      guard let first = cycle.first, !found[place].leadsOn else { continue }
      found[place].isToldByCycle = found[place].subject.isOnly(about: first)
    }
    let visit = visits.first { $0.operation === cycle.last } ?? visits.last
    found.append(WaitFinding(.cycle(cycle), depth: visit?.depth ?? 0, origin: visit?.origin))
  }
}
