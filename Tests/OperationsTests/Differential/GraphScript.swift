import Foundation
import OpshSupport

/// A graph of operations and everything that is done to it, made from a seed.
///
/// Operations are called by their place in `nodes`. Edges lead from a higher number to a lower one,
/// so that no script can close a cycle.
struct GraphScript: Sendable {
  /// When the script acts.
  enum Family: String, Sendable, CaseIterable {
    /// Everything is done while the queue is suspended.
    case whileSuspended
    /// Bodies act on the others while the queue drains.
    case fromInside
  }

  /// One thing to do.
  enum Action: Sendable {
    case prioritize(Int, Operation.QueuePriority)
    case cancel(Int)
    /// Adds an operation that was held back.
    case add(Int)
    case depend(Int, on: Int)

    func isCancel(of index: Int) -> Bool {
      if case .cancel(index) = self { true } else { false }
    }
  }

  struct Node: Sendable {
    var priority: Operation.QueuePriority
    var upstream: [Int] = []
    /// What its body does.
    var actions: [Action] = []
  }

  static let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]

  let seed: UInt64
  var nodes: [Node]
  /// Those that are added at first, in this order.
  var addOrder: [Int]
  /// Whether they are added all together, or else one by one.
  let isBatch: Bool
  /// What is done after adding and before the queue goes on.
  var actions: [Action] = []

  init(seed: UInt64, family: Family) {
    var random = RandomSource(seed: seed &* 0x9E37_79B9 &+ (family == .fromInside ? 17 : 3))
    self.seed = seed
    // Mostly small ones, of which more can be had.
    let count = 5 + min(random.below(56), random.below(56))
    // Few levels make many equals, many levels make few.
    let levels = Array(Self.levels.prefix(1 + random.below(5)))
    let density = random.below(5)
    nodes = (0..<count).map { index in
      var node = Node(priority: levels[random.below(levels.count)])
      for _ in 0..<random.below(density + 1) where index > 0 {
        // Mostly near ones, which makes chains, sometimes any.
        let reach = random.below(3) == 0 ? index : min(index, 5)
        node.upstream.append(index - 1 - random.below(reach))
      }
      return node
    }
    addOrder = Array(0..<count)
    for index in addOrder.indices { addOrder.swapAt(index, random.below(count)) }
    isBatch = random.below(2) == 0
    switch family {
    case .whileSuspended:
      actions = (0..<random.below(count)).map { _ in Self.steering(count, &random) }
    case .fromInside:
      actInside(&random)
    }
  }

  /// A change of priority, twice as often as a cancel.
  private static func steering(_ count: Int, _ random: inout RandomSource) -> Action {
    let target = random.below(count)
    return random.below(3) == 0 ? .cancel(target) : .prioritize(target, levels[random.below(5)])
  }

  private mutating func actInside(_ random: inout RandomSource) {
    let count = nodes.count
    // An operation that adds one of these may be cancelled first, so nothing may wait for them.
    let needed = Set(nodes.flatMap(\.upstream))
    let heldBack = addOrder.filter { !needed.contains($0) && random.below(4) == 0 }
    addOrder.removeAll { heldBack.contains($0) }
    let isEager = random.below(3)
    for index in nodes.indices {
      for _ in 0..<random.below(2 + isEager) {
        let target = random.below(count)
        if random.below(4) == 0, target > 0 {
          let upstream = random.below(target)
          if !heldBack.contains(upstream) {
            nodes[index].actions.append(.depend(target, on: upstream))
          }
        } else {
          nodes[index].actions.append(Self.steering(count, &random))
        }
      }
    }
    for one in heldBack {
      guard let adder = addOrder.isEmpty ? nil : addOrder[random.below(addOrder.count)] else {
        continue
      }
      nodes[adder].actions.append(.add(one))
    }
    // An asynchronous operation that cancels itself is at its end, so that comes last.
    for index in nodes.indices {
      let actions = nodes[index].actions
      nodes[index].actions =
        actions.filter { !$0.isCancel(of: index) } + actions.filter { $0.isCancel(of: index) }
    }
  }
}

/// What was seen of a script, on whichever queue it ran.
struct GraphTrace: Equatable, Sendable {
  /// Whose body ran, in this order.
  var ran: [Int] = []
  /// Who got a turn, in this order: also the cancelled, which do not run.
  var turns: [Int] = []
  /// Who is marked as cancelled at the end.
  var cancelled: [Int] = []
}
