@testable import Operations

/// Operations with dependencies among them, and beside them what the engine should know, kept and
/// searched in the simplest way.
///
/// Nothing is on a queue: operations are started by hand, so that each step ends before the next.
struct DependencyModel {
  let engine: OperationEngine
  /// By number; nil once it was let go.
  private(set) var operations: [Quick?] = []
  /// What each waits for, and what waits for each.
  private(set) var upstream: [Set<Int>] = []
  private var downstream: [Set<Int>] = []
  private var isFinished: [Bool] = []

  init(engine: OperationEngine, count: Int = 0) {
    self.engine = engine
    for _ in 0..<count { grow() }
  }

  var count: Int { operations.count }

  func name(_ number: Int) -> String { "op-\(number)" }

  mutating func grow() {
    let operation = Quick(name: name(count), engine: engine)
    operations.append(operation)
    upstream.append([])
    downstream.append([])
    isFinished.append(false)
  }

  /// What making the one wait for the other must throw.
  enum Expectation: Equatable {
    case accepted, selfDependency, cycle, tooLate
  }

  func expectation(_ dependent: Int, on other: Int) -> Expectation {
    if dependent == other { return .selfDependency }
    if reaches(dependent, other) { return .cycle }
    return isFinished[dependent] ? .tooLate : .accepted
  }

  /// Whether the second waits for the first, over however many unfinished ones.
  private func reaches(_ first: Int, _ second: Int) -> Bool {
    guard !isFinished[first], !isFinished[second] else { return false }
    var seen: Set<Int> = [first]
    var open = [first]
    while let next = open.popLast() {
      if next == second { return true }
      for dependent in downstream[next] where !isFinished[dependent] {
        if seen.insert(dependent).inserted { open.append(dependent) }
      }
    }
    return false
  }

  /// Tries to make the one wait for the other.
  ///
  /// - Returns: What is wrong with what the engine answered; nil if it is right.
  mutating func depend(_ dependent: Int, on other: Int) -> String? {
    guard let first = operations[dependent], let second = operations[other] else { return nil }
    let expected = expectation(dependent, on: other)
    let before = expected == .accepted ? [:] : positions
    var answer = Expectation.accepted
    var path: [String] = []
    do throws(DependencyError) {
      try first.depend(on: second)
    } catch {
      switch error {
      case .cycle(let found): (answer, path) = (.cycle, found)
      case .selfDependency: answer = .selfDependency
      default: answer = .tooLate
      }
    }
    guard answer == expected else {
      return "\(name(dependent)) on \(name(other)): \(answer), not \(expected)"
    }
    if answer == .accepted {
      upstream[dependent].insert(other)
      downstream[other].insert(dependent)
    } else if positions != before {
      return "a refused dependency changed the order"
    }
    return answer == .cycle ? fault(of: path, dependent, other) : nil
  }

  /// What is wrong with the path of a cycle.
  private func fault(of path: [String], _ dependent: Int, _ other: Int) -> String? {
    let numbers = path.compactMap { Int($0.dropFirst(3)) }
    guard numbers.count == path.count, numbers.count > 2, numbers.first == dependent,
      numbers.last == dependent, numbers[1] == other,
      Set(numbers.dropFirst()).count == numbers.count - 1
    else { return "no cycle from \(name(dependent)) over \(name(other)): \(path)" }
    for (waiting, next) in zip(numbers.dropFirst(), numbers.dropFirst(2)) {
      guard upstream[waiting].contains(next), !isFinished[waiting] else {
        return "\(name(waiting)) does not wait for \(name(next)): \(path)"
      }
    }
    return nil
  }

  mutating func removeDependency(_ dependent: Int, on other: Int) throws {
    guard let first = operations[dependent], let second = operations[other],
      !isFinished[dependent], try first.removeDependency(on: second)
    else { return }
    upstream[dependent].remove(other)
    downstream[other].remove(dependent)
  }

  /// Lets an operation run and finish, if it can.
  mutating func finish(_ number: Int) {
    guard let operation = operations[number], !isFinished[number], operation.isReady else { return }
    try? operation.startManually()
    isFinished[number] = operation.isFinished
  }

  /// Lets an operation go, which lives on only where another depends on it.
  mutating func release(_ number: Int) {
    operations[number] = nil
  }

  /// The positions of the unfinished operations.
  var positions: [Int: Int] {
    engine.guarded {
      var positions: [Int: Int] = [:]
      for (number, operation) in operations.enumerated() where !isFinished[number] {
        positions[number] = operation?.core.position
      }
      return positions
    }
  }

  /// The dependencies that the order does not respect.
  var faults: [String] {
    let positions = positions
    var faults: [String] = []
    for (dependent, others) in upstream.enumerated() {
      guard let last = positions[dependent] else { continue }
      for other in others {
        if let first = positions[other], !(first < last) {
          faults.append("\(name(dependent)) stands before \(name(other))")
        }
      }
    }
    return faults
  }
}
