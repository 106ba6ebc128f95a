import Foundation
import Operations

/// One run of one engine, in a process of its own.
struct EngineCase {
  /// Starts this program for one case.
  static let flag = "--engine-case"

  enum Engine: String {
    case inspectable
    case foundation
  }

  /// What is done with the graph.
  enum Variant: String {
    /// Added to a suspended queue, which is then resumed.
    case plain
    /// Added to a queue that runs.
    case live
    /// As plain, with an observer on each operation.
    case observer
    /// As plain, and each needs one of ten exclusive names.
    case exclusive
    /// As plain, and every tenth is a barrier.
    case barriers
    /// As plain, with a log that keeps few entries.
    case smallLog
    /// All are on the suspended queue before the edges are added, in no order.
    case lateEdges
    /// Empty blocks on a queue without a limit.
    case blocks
    /// Blocks one after the other, each added to an idle queue.
    case idleStarts
    /// Added by eight threads to a queue that runs.
    case threads
    /// Only created.
    case created
    /// Looked at and changed while they wait on a suspended queue.
    case steering
  }

  var engine: Engine
  var shape: Shape
  var count: Int
  var variant: Variant
  /// Whether memory is provided before it is needed; see ``HeldMemory``.
  var isProvided = false

  init(_ engine: Engine, _ shape: Shape, _ count: Int, _ variant: Variant) {
    self.engine = engine
    self.shape = shape
    self.count = count
    self.variant = variant
  }

  init?(arguments: [String]) {
    guard 4...5 ~= arguments.count, let engine = Engine(rawValue: arguments[0]),
      let shape = Shape(rawValue: arguments[1]), let count = Int(arguments[2]), count > 1,
      let variant = Variant(rawValue: arguments[3])
    else { return nil }
    self.init(engine, shape, count, variant)
    isProvided = arguments.last == Self.providedWord
    guard arguments.count == 4 || isProvided else { return nil }
  }

  private static let providedWord = "provided"

  var arguments: [String] {
    [Self.flag, engine.rawValue, shape.rawValue, String(count), variant.rawValue]
      + (isProvided ? [Self.providedWord] : [])
  }

  /// Runs it in this process and prints a line per figure: its name and its value.
  func run() throws {
    for (name, value) in try measure() { Console.print("\(name) \(value)") }
  }

  private func measure() throws -> [(String, Double)] {
    switch engine {
    case .foundation:
      return try measure(FoundationEngine())
    case .inspectable:
      return try measure(
        InspectableEngine(
          engine: variant == .smallLog ? OperationEngine(logCapacity: 0) : OperationEngine()))
    }
  }

  private func measure(_ engine: some BenchmarkedEngine) throws -> [(String, Double)] {
    let graph = GraphRun(engine: engine, shape: shape, count: count, isProvided: isProvided)
    switch variant {
    case .plain, .smallLog: return try graph.runSuspended()
    case .observer: return try graph.runObserved()
    case .exclusive: return try graph.runExclusive()
    case .barriers: return try graph.runBarriers()
    case .live: return try graph.runLive()
    case .lateEdges: return try graph.addLateEdges()
    case .blocks: return graph.runBlocks()
    case .idleStarts: return graph.runIdleStarts()
    case .threads: return try graph.runThreads()
    case .created: return graph.createAll()
    case .steering: return try graph.steer()
    }
  }
}
