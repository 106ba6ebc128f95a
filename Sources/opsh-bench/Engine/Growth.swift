/// What an operation costs in a large graph, beside what it costs in a small one.
///
/// Both are run in turn: the speed of a machine changes within minutes, and the cost per operation of
/// small graphs changes most with it. Memory is provided before, because what a host takes for that is
/// no cost of the engine, and only large graphs pay it.
struct Growth {
  static let smallCount = 10_000
  static let largeCount = 1_000_000
  static let rounds = 9
  /// Small runs before each large one, and after it.
  private static let smallRuns = 4

  let shape: Shape
  let variant: EngineCase.Variant

  /// All shapes, and late edges where their order is not that of adding.
  static let all: [Growth] =
    Shape.allCases.map { Growth(shape: $0, variant: .plain) }
    + [Shape.random, .layered].map { Growth(shape: $0, variant: .lateEdges) }

  var bench: String {
    "engine/\(shape.rawValue)/\(Self.largeCount)/growth\(variant == .plain ? "" : "-late")"
  }

  /// Runs the small graph a few times; returns the seconds per operation of each run.
  func runSmall() throws -> [Double] {
    try (0..<Self.smallRuns).map { _ in try run(Self.smallCount) }
  }

  /// Runs a graph once, in a process of its own; returns the seconds per operation, adding and
  /// draining together.
  func run(_ count: Int) throws -> Double {
    var run = EngineCase(.inspectable, shape, count, variant)
    run.isProvided = true
    let figures = try Child.figures(run.arguments, timeout: .seconds(900))
    guard let total = figures[variant == .plain ? "total" : "total-late"] else {
      throw Incomplete()
    }
    return total / Double(count)
  }

  /// A run printed no total.
  struct Incomplete: Error {}
}
