import OpshSupport
import Testing

/// Dependencies that are added late, in an order that makes the search for cycles expensive.
struct LateEdges: Sendable, CustomTestStringConvertible {
  typealias Edge = (dependent: Int, upstream: Int)

  enum Shape: String, CaseIterable {
    /// Each waits for the one before.
    case chain
    /// Each waits for the one behind it, which is newer.
    case reversedChain
    /// As the chain, with the operations in no order.
    case permutedChain
    /// The first, and oldest, waits for all.
    case reversedFanIn
    /// All wait for the last, which is newest.
    case reversedFanOut
    /// Many that one waits for, which has something waiting, and that all wait for another.
    case reversedHub
    /// Each waits for up to three others, all of them newer.
    case reversedRandom
    /// Each waits for up to three others, with the operations in no order.
    case permutedRandom
    /// Layers of a hundred; each waits for three of the layer behind, which are newer.
    case reversedLayers
  }

  enum Order: String, CaseIterable {
    case fromStart, fromEnd, shuffled
  }

  let shape: Shape
  let order: Order

  var testDescription: String { "\(shape), \(order)" }

  static let all = Shape.allCases.flatMap { shape in
    Order.allCases.map { LateEdges(shape: shape, order: $0) }
  }

  /// The dependencies among so many operations.
  func edges(count: Int) -> [Edge] {
    var generator = RandomSource(seed: 20_310_506)
    var edges = ordered(count, &generator)
    switch order {
    case .fromStart: break
    case .fromEnd: edges.reverse()
    case .shuffled: edges.shuffle(using: &generator)
    }
    return edges
  }

  private func ordered(_ count: Int, _ generator: inout RandomSource) -> [Edge] {
    switch shape {
    case .chain:
      return (1..<count).map { ($0, $0 - 1) }
    case .reversedChain:
      return (1..<count).map { ($0 - 1, $0) }
    case .permutedChain:
      let numbers = (0..<count).shuffled(using: &generator)
      return (1..<count).map { (numbers[$0], numbers[$0 - 1]) }
    case .reversedFanIn:
      return (1..<count).map { (0, $0) }
    case .reversedFanOut:
      return (0..<count - 1).map { ($0, count - 1) }
    case .reversedHub:
      let among = (2..<count / 2).flatMap { [($0, count - 1), (0, $0)] }
      return [(0, count - 2), (1, 0)] + among
    case .reversedRandom, .permutedRandom:
      var numbers = Array((0..<count).reversed())
      if shape == .permutedRandom { numbers.shuffle(using: &generator) }
      return (1..<count).flatMap { index in
        (0..<generator.below(3)).map { _ in (numbers[index], numbers[generator.below(index)]) }
      }
    case .reversedLayers:
      return (100..<count / 3).flatMap { index in
        (0..<3).map { _ in
          (count - 1 - index, count - 1 - (index / 100 - 1) * 100 - generator.below(100))
        }
      }
    }
  }
}
