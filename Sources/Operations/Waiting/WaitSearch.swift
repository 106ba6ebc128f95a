/// Looks for what keeps an operation waiting, level by level, down to the root.
///
/// It does so in pieces of ``longestPiece`` steps, for each of which the lock is held: a hundred
/// thousand dependencies, or operations before a barrier, would hold up everything else for half a
/// second. Whatever it comes across it keeps until it goes away itself, outside the lock.
struct WaitSearch {
  /// How many operations and dependencies are looked at while the lock is held once.
  static let longestPiece = 1024

  private struct Visit {
    let operation: ObservableOperation
    let depth: Int
    /// The finding that led there, and the visit that had it.
    let origin: Int?
    let previous: Int?
    let isCertain: Bool
  }

  /// A circle, by the finding that says so and the operations of which each waits for the next, and
  /// the last for the first.
  private struct Circle {
    let place: Int
    let visit: Int?
    /// Those after the ones that lead to the visit.
    let rest: [ObservableOperation]
  }

  private let subject: ObservableOperation
  private var groups: [ObservableOperation] = []
  /// What was found; each finding stands behind the one that led there.
  private(set) var found: [WaitFinding] = []
  /// The operations to look at, the nearest first, and the one that is looked at.
  private var visits: [Visit] = []
  private var index = 0
  private var cursor: WaitCursor
  /// Where the last finding stands, and whether what it waits for closes circles.
  private var place = 0
  private var closesCircles = false
  private var seen: Set<Int>
  private var meetsAgain = false
  private var hasBegun = false
  private var circleSearch: CircleSearch?
  private var circles: [Circle] = []
  /// How many steps the longest piece took.
  private(set) var longestPieceTaken = 0

  init(for operation: ObservableOperation) {
    subject = operation
    cursor = WaitCursor(operation)
    seen = [operation.id]
  }

  var hasCircle: Bool { !circles.isEmpty }

  /// Goes on with the search, in a transaction.
  ///
  /// - Returns: Whether it is over.
  mutating func continueSearch(in domain: Domain) -> Bool {
    var steps = 0
    defer { longestPieceTaken = max(longestPieceTaken, steps) }
    if !hasBegun { begin() }
    while index < visits.count {
      guard steps < Self.longestPiece else { return false }
      switch cursor.step(&steps, limit: Self.longestPiece, in: domain) {
      case .finding(let finding): add(finding)
      case .awaited(let other): add(awaited: other)
      case .nothing: break
      case .end:
        index += 1
        if index < visits.count { cursor = WaitCursor(visits[index].operation) }
      }
    }
    return continueWithCircle(&steps, in: domain)
  }

  private mutating func begin() {
    hasBegun = true
    groups = subject.core.queue?.enclosingGroups ?? []
    // One that executes does not wait, also if it is a group and what is in it does.
    guard subject.core.state != .executing else { return }
    visits = [
      Visit(operation: subject, depth: 0, origin: nil, previous: nil, isCertain: true)
    ]
  }

  private mutating func add(_ finding: WaitFinding.Subject) {
    let visit = visits[index]
    // What one of several ways leads back from is no circle: another may lead on.
    closesCircles = visit.isCertain && finding.awaitsEach
    place = found.count
    found.append(WaitFinding(finding, depth: visit.depth, origin: visit.origin))
  }

  /// Adds one that the last finding waits for to those to look at.
  private mutating func add(awaited other: ObservableOperation) {
    let visit = visits[index]
    if other === subject {
      if closesCircles { addCircle(.circle(visit.operation, subject), rest: []) }
    } else if closesCircles, found[place].subject.awaitsEnd,
      groups.contains(where: { $0 === other })
    {
      addCircle(.circle(other, subject), rest: [other])
    } else if seen.insert(other.id).inserted {
      found[place].leadsOn = true
      visits.append(
        Visit(
          operation: other, depth: visit.depth + 1, origin: place, previous: index,
          isCertain: closesCircles))
    } else {
      meetsAgain = true
    }
  }

  private mutating func addCircle(_ finding: WaitFinding.Subject, rest: [ObservableOperation]) {
    circles.append(Circle(place: found.count, visit: index, rest: rest))
    let visit = visits[index]
    found.append(WaitFinding(finding, depth: visit.depth, origin: visit.origin))
  }

  /// Looks for a circle of others, if several ways lead to some of them.
  private mutating func continueWithCircle(_ steps: inout Int, in domain: Domain) -> Bool {
    guard meetsAgain, !hasCircle else { return true }
    var search = circleSearch ?? CircleSearch(from: subject)
    // Taken out, so that it is changed in place.
    circleSearch = nil
    let isOver = search.continueSearch(&steps, limit: Self.longestPiece, in: domain)
    if isOver, let first = search.circle.first, let last = search.circle.last {
      circles.append(Circle(place: found.count, visit: nil, rest: search.circle))
      found.append(
        WaitFinding(.circle(last, first), depth: visits.last?.depth ?? 0, origin: nil))
    }
    circleSearch = search
    return isOver
  }

  /// Forgets the circles of which not all is there at this moment, in a transaction for each.
  ///
  /// A circle is one only if all of it is there at the same moment; one that is there stays.
  ///
  /// - Parameter log: The log of the operations.
  mutating func confirmCircles(in log: EventLog) {
    circles = circles.filter { circle in
      let path = operations(of: circle)
      return log.guardedDomain { domain in
        zip(path, path.dropFirst() + path.prefix(1)).allSatisfy { operation, next in
          operation.waits(for: next, in: domain)
        }
      }
    }
    for place in found.indices where found[place].isCircle {
      found[place].isForgotten = !circles.contains { $0.place == place }
    }
  }

  private func operations(of circle: Circle) -> [ObservableOperation] {
    var path: [ObservableOperation] = []
    var next = circle.visit
    while let place = next {
      path.append(visits[place].operation)
      next = visits[place].previous
    }
    return path.reversed() + circle.rest
  }
}

/// Looks for a circle among those that an operation waits for, in depth first, with a stack of its
/// own, because chains may be long.
private struct CircleSearch {
  private struct Level {
    var cursor: WaitCursor
    /// Whether those that the last finding waits for are waited for until each has ended.
    var isMeant = false
  }

  private var path: Set<Int>
  private var isDone: Set<Int> = []
  private var stack: [Level]
  /// What was looked at, which goes away with the search.
  private var done: [Level] = []
  private var visited: [ObservableOperation] = []
  /// Operations of which each waits for the next, and the last for the first; none if there is no
  /// circle.
  private(set) var circle: [ObservableOperation] = []

  init(from operation: ObservableOperation) {
    path = [operation.id]
    stack = [Level(cursor: WaitCursor(operation))]
  }

  /// Goes on, in a transaction; returns whether the search is over.
  mutating func continueSearch(_ steps: inout Int, limit: Int, in domain: Domain) -> Bool {
    while let top = stack.indices.last {
      guard steps < limit else { return false }
      switch stack[top].cursor.step(&steps, limit: limit, in: domain) {
      case .finding(let finding):
        stack[top].isMeant = finding.awaitsEnd && finding.awaitsEach
      case .awaited(let next):
        visited.append(next)
        if stack[top].isMeant, visit(next) { return true }
      case .nothing:
        break
      case .end:
        let id = stack[top].cursor.operation.id
        done.append(stack.removeLast())
        path.remove(id)
        isDone.insert(id)
      }
    }
    return true
  }

  /// Goes one deeper; returns whether that closes a circle.
  private mutating func visit(_ next: ObservableOperation) -> Bool {
    if path.contains(next.id) {
      let operations = stack.map(\.cursor.operation)
      circle = Array(operations.drop { $0 !== next })
      return true
    }
    guard !isDone.contains(next.id) else { return false }
    path.insert(next.id)
    stack.append(Level(cursor: WaitCursor(next)))
    return false
  }
}
