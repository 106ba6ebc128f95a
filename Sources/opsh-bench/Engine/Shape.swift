import OpshSupport

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
    of index: Int, count: Int, using generator: inout RandomSource, _ body: (Int) throws -> Void
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

extension RandomSource {
  /// The generator of the graphs' edges: both engines get the same graph, in every run.
  static let edges = RandomSource(seed: 20_310_506)

  mutating func next(below bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }
}
