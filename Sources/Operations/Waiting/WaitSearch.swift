/// Looks for what keeps an operation waiting, level by level, down to the root.
///
/// It does so in pieces of ``longestPiece`` steps, for each of which the lock is held: a hundred
/// thousand dependencies would hold up everything else for half a second. Whatever it comes across
/// it keeps until it goes away itself, outside the lock.
struct WaitSearch {
  /// How many operations and dependencies are looked at while the lock is held once.
  static let longestPiece = 1024

  private struct Visit {
    let operation: ObservableOperation
    let origin: Int?
    let isCertain: Bool
  }

  private let subject: ObservableOperation
  private var groups: [ObservableOperation] = []
  /// What was found; each finding stands behind the one that led there.
  private(set) var found: [WaitFinding] = []
  private var level: [Visit] = []
  private var next: [Visit] = []
  private var earlierLevels: [[Visit]] = []
  /// The operation of the level that is looked at, and which of its dependencies is next; nil when
  /// all of them have been.
  private var index = 0
  private var edge: Int? = 0
  private var hasOpenEdges = false
  private var seen: Set<Int>
  private var depth = 0
  private var meetsAgain = false
  private var hasBegun = false
  private var circleSearch: CircleSearch?
  private(set) var hasCircle = false
  /// How many steps the longest piece took.
  private(set) var longestPieceTaken = 0

  init(for operation: ObservableOperation) {
    subject = operation
    seen = [operation.id]
  }

  /// Goes on with the search, in a transaction.
  ///
  /// - Returns: Whether it is over.
  mutating func continueSearch(in domain: Domain) -> Bool {
    var steps = 0
    defer { longestPieceTaken = max(longestPieceTaken, steps) }
    if !hasBegun { begin() }
    while !level.isEmpty {
      guard steps < Self.longestPiece else { return false }
      if index == level.count {
        earlierLevels.append(level)
        (level, next, index, edge) = (next, [], 0, 0)
        depth += 1
      } else if edge != nil {
        lookAtEdges(&steps, in: domain)
      } else {
        lookAtRest(&steps, in: domain)
      }
    }
    return continueWithCircle(&steps, in: domain)
  }

  private mutating func begin() {
    hasBegun = true
    groups = subject.core.queue?.enclosingGroups ?? []
    // One that executes does not wait, also if it is a group and what is in it does.
    guard subject.core.state != .executing else { return }
    level = [Visit(operation: subject, origin: nil, isCertain: true)]
  }

  private mutating func lookAtEdges(_ steps: inout Int, in domain: Domain) {
    let visit = level[index]
    let start = edge ?? 0
    if start == 0 { hasOpenEdges = false }
    steps += 1
    guard visit.operation.isKeptByDependencies else {
      edge = nil
      return
    }
    let count = visit.operation.core.upstream.count
    let end = min(start + Self.longestPiece - steps + 1, count)
    for position in start..<max(start, end) {
      let other = visit.operation.core.upstream[position].operation
      guard other.core.state != .finished else { continue }
      hasOpenEdges = true
      add(.dependency(other), of: visit)
    }
    steps += max(0, end - start)
    edge = end < count ? end : nil
  }

  private mutating func lookAtRest(_ steps: inout Int, in domain: Domain) {
    let visit = level[index]
    for subject in visit.operation.findings(besidesEdges: hasOpenEdges, in: domain) {
      steps += add(subject, of: visit)
    }
    steps += 1
    (index, edge) = (index + 1, 0)
  }

  /// Adds a finding, and those who are waited for to the next level.
  ///
  /// - Returns: How many those are.
  @discardableResult
  private mutating func add(_ finding: WaitFinding.Subject, of visit: Visit) -> Int {
    let place = found.count
    // What one of several ways leads back from is no circle: another may lead on.
    let closesCircles = visit.isCertain && finding.awaitsEach
    found.append(WaitFinding(finding, depth: depth, origin: visit.origin))
    let others = finding.waitingFor
    for other in others {
      if other === subject {
        guard closesCircles else { continue }
        addCircle(.circle(visit.operation, subject), origin: visit.origin)
      } else if finding.awaitsEnd, closesCircles, groups.contains(where: { $0 === other }) {
        addCircle(.circle(other, subject), origin: visit.origin)
      } else if seen.insert(other.id).inserted {
        found[place].leadsOn = true
        next.append(Visit(operation: other, origin: place, isCertain: closesCircles))
      } else {
        meetsAgain = true
      }
    }
    return others.count
  }

  private mutating func addCircle(_ circle: WaitFinding.Subject, origin: Int?) {
    found.append(WaitFinding(circle, depth: depth, origin: origin))
    hasCircle = true
  }

  /// Looks for a circle of others, if several ways lead to some of them.
  private mutating func continueWithCircle(_ steps: inout Int, in domain: Domain) -> Bool {
    guard meetsAgain, !hasCircle else { return true }
    var search = circleSearch ?? CircleSearch(from: subject, in: domain)
    // Taken out, so that it is changed in place.
    circleSearch = nil
    let isOver = search.continueSearch(&steps, limit: Self.longestPiece, in: domain)
    if isOver, let (last, first) = search.circle {
      found.append(WaitFinding(.circle(last, first), depth: depth - 1, origin: nil))
      hasCircle = true
    }
    circleSearch = search
    return isOver
  }

  /// Forgets circles of which it is not certain that all of one was there at the same moment.
  mutating func forgetCircles() {
    let kept = found.filter { if case .circle = $0.subject { false } else { true } }
    // The places that findings name have moved only if there was something to forget.
    guard kept.count < found.count else { return }
    var places: [Int: Int] = [:]
    var count = 0
    for (place, finding) in found.enumerated() {
      if case .circle = finding.subject { continue }
      places[place] = count
      count += 1
    }
    found = kept.map { $0.moved(to: $0.origin.flatMap { places[$0] }) }
    hasCircle = false
  }
}

/// Looks for a circle among those that an operation waits for, in depth first, with a stack of its
/// own, because chains may be long.
private struct CircleSearch {
  private var path: Set<Int>
  private var isDone: Set<Int> = []
  private var stack: [(operation: ObservableOperation, left: [ObservableOperation])]
  private var visited: [ObservableOperation] = []
  /// One of its operations, and the next, for which it waits.
  private(set) var circle: (ObservableOperation, ObservableOperation)?

  init(from operation: ObservableOperation, in domain: Domain) {
    path = [operation.id]
    stack = [(operation, Self.awaited(by: operation, in: domain))]
  }

  /// Goes on, in a transaction; returns whether the search is over.
  mutating func continueSearch(_ steps: inout Int, limit: Int, in domain: Domain) -> Bool {
    while let operation = stack.last?.operation {
      guard steps < limit else { return false }
      steps += 1
      guard let next = stack[stack.count - 1].left.popLast() else {
        visited.append(operation)
        stack.removeLast()
        path.remove(operation.id)
        isDone.insert(operation.id)
        continue
      }
      visited.append(next)
      if path.contains(next.id) {
        circle = (operation, next)
        return true
      }
      guard !isDone.contains(next.id) else { continue }
      path.insert(next.id)
      let left = Self.awaited(by: next, in: domain)
      steps += left.count
      stack.append((next, left))
    }
    return true
  }

  /// Those whose end an operation waits for.
  private static func awaited(
    by operation: ObservableOperation, in domain: Domain
  ) -> [ObservableOperation] {
    operation.findings(in: domain).filter { $0.awaitsEnd && $0.awaitsEach }.flatMap(\.waitingFor)
  }
}
