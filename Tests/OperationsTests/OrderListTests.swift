import TestSupport
import Testing

@testable import Operations

/// The lists alone, against arrays.
@Suite(.timeLimit(.minutes(15))) struct OrderListTests {
  private typealias Node = OrderList.Node

  /// Lists around some anchors, and beside them what they should hold.
  private struct Lists {
    var list = OrderList()
    /// By anchor, from the first to the last; nil is the anchor itself.
    var expected: [Int: [Node?]] = [:]

    mutating func insert(_ anchor: Int, at index: Int, before: Bool, followers: Int = 0) {
      let nodes = expected[anchor] ?? [nil]
      let neighbour = nodes[index] ?? list.anchor(anchor)
      let new =
        before
        ? list.insert(before: neighbour, followers: followers)
        : list.insert(after: neighbour, followers: followers)
      expected[anchor] = nodes
      expected[anchor]?.insert(new, at: before ? index : index + 1)
    }

    mutating func remove(_ anchor: Int, at index: Int) {
      guard let node = expected[anchor]?.remove(at: index) else { return }
      list.remove(node)
      if expected[anchor]?.count == 1 { expected[anchor] = nil }
    }

    func position(_ anchor: Int, _ node: Node?) -> OrderList.Position {
      node.map { list.position(of: $0) } ?? OrderList.Position(of: anchor)
    }

    /// Whether all positions rise, from the first list to the last.
    var isInOrder: Bool {
      let positions = expected.sorted { $0.key < $1.key }.flatMap { anchor, nodes in
        nodes.map { position(anchor, $0) }
      }
      let count = expected.values.reduce(0) { $0 + $1.count }
      return zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
        && zip(positions, positions.dropFirst()).allSatisfy { $1.mirrored < $0.mirrored }
        && list.storedCount == count && list.count == count - expected.count
    }
  }

  @Test("Elements put before, behind and removed anywhere stand as in an array", arguments: 1...4)
  func randomly(seed: UInt64) {
    var generator = SplitMix(state: seed)
    var lists = Lists()
    for step in 0..<TestScale.count(20_000) {
      let anchor = Int.random(in: 1...5, using: &generator)
      let nodes = lists.expected[anchor] ?? [nil]
      let index = Int.random(in: nodes.indices, using: &generator)
      if nodes[index] != nil, Int.random(in: 0..<3, using: &generator) == 0 {
        lists.remove(anchor, at: index)
      } else {
        lists.insert(
          anchor, at: index, before: Bool.random(using: &generator),
          followers: Int.random(in: 0..<3, using: &generator))
      }
      if step % 500 == 0 { #expect(lists.isInOrder) }
    }
    #expect(lists.isInOrder)
  }

  /// Where the next element goes, given how many there are.
  struct Gap: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let index: @Sendable (_ count: Int, _ anchorIndex: Int) -> Int
    let isBefore: Bool

    static let all = [
      Gap(testDescription: "behind the anchor", index: { $1 }, isBefore: false),
      Gap(testDescription: "before the anchor", index: { $1 }, isBefore: true),
      Gap(testDescription: "at the front", index: { _, _ in 0 }, isBefore: true),
      Gap(testDescription: "at the end", index: { count, _ in count - 1 }, isBefore: false),
      Gap(testDescription: "behind the first", index: { _, _ in 0 }, isBefore: false),
      Gap(testDescription: "before the last", index: { count, _ in count - 1 }, isBefore: true),
      Gap(testDescription: "in the middle", index: { count, _ in count / 2 }, isBefore: false),
    ]
  }

  @Test("Always in the same gap, tens of thousands of times", arguments: Gap.all)
  func sameGap(gap: Gap) {
    var lists = Lists()
    var anchorIndex = 0
    for step in 0..<TestScale.count(30_000) {
      let index = gap.index(step + 1, anchorIndex)
      lists.insert(7, at: index, before: gap.isBefore)
      if gap.isBefore ? index <= anchorIndex : index < anchorIndex { anchorIndex += 1 }
    }
    #expect(lists.isInOrder)
  }

  @Test("Inwards from both sides, and between the last two")
  func inwards() {
    var lists = Lists()
    lists.insert(1, at: 0, before: false)
    lists.insert(1, at: 1, before: false)
    for step in 1..<TestScale.count(10_000) {
      lists.insert(1, at: step, before: step % 2 == 0)
    }
    #expect(lists.isInOrder)
  }

  @Test("Runs of many fit into gaps of all sizes")
  func runs() {
    var generator = SplitMix(state: 11)
    var lists = Lists()
    for _ in 0..<TestScale.count(200) {
      let nodes = lists.expected[3] ?? [nil]
      let start = Int.random(in: nodes.indices, using: &generator)
      let length = Int.random(in: 1...60, using: &generator)
      let isBefore = Bool.random(using: &generator)
      for offset in 0..<length {
        lists.insert(3, at: start + offset, before: isBefore, followers: length - offset - 1)
      }
    }
    #expect(lists.isInOrder)
  }

  @Test("Positions of what does not move stay, and nothing is left after the last removal")
  func leavesNothing() {
    var generator = SplitMix(state: 5)
    var lists = Lists()
    for _ in 0..<3_000 {
      let anchor = Int.random(in: 1...40, using: &generator)
      let nodes = lists.expected[anchor] ?? [nil]
      lists.insert(anchor, at: Int.random(in: nodes.indices, using: &generator), before: true)
    }
    #expect(lists.list.count == 3_000)
    #expect(OrderList.Position(of: 4) < OrderList.Position(of: 5))
    while let anchor = lists.expected.keys.randomElement(using: &generator) {
      let nodes = lists.expected[anchor] ?? []
      let index = Int.random(in: nodes.indices, using: &generator)
      if nodes[index] != nil { lists.remove(anchor, at: index) }
    }
    #expect(lists.list.storedCount == 0)
    lists.insert(9, at: 0, before: true)
    #expect(lists.isInOrder)
  }
}
