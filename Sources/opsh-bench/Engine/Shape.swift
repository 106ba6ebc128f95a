/// A shape of graph.
enum Shape: String, CaseIterable {
  /// No dependencies.
  case independent
  /// Each depends on the one before.
  case chain
  /// All depend on the first.
  case fanOut = "fan-out"
  /// The last depends on all.
  case fanIn = "fan-in"
  /// Each depends on none to three of all those before it.
  case random
  /// Layers of a hundred; each depends on three of the layer before.
  case layered

  private static let layerWidth = 100

  /// Calls `body` with each of those before `index` on which it depends.
  ///
  /// Nothing is stored, so that the graph takes no memory that would be counted for an engine.
  func forEachUpstream(
    of index: Int, count: Int, using generator: inout SplitMix, _ body: (Int) throws -> Void
  ) rethrows {
    guard index > 0 else { return }
    switch self {
    case .independent:
      return
    case .chain:
      try body(index - 1)
    case .fanOut:
      try body(0)
    case .fanIn:
      guard index == count - 1 else { return }
      for upstream in 0..<index { try body(upstream) }
    case .random:
      for _ in 0..<generator.next(below: 4) { try body(generator.next(below: index)) }
    case .layered:
      let layer = index / Self.layerWidth
      guard layer > 0 else { return }
      for _ in 0..<3 {
        try body((layer - 1) * Self.layerWidth + generator.next(below: Self.layerWidth))
      }
    }
  }
}

/// Numbers that look random and are the same in each run, so that both engines get one graph.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64 = 20_310_506

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func next(below bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }
}
