import Foundation
import Operations
import OpshSupport

/// Puts a graph through an engine and takes the times.
struct GraphRun<Engine: BenchmarkedEngine> {
  typealias Figures = [(String, Double)]

  let engine: Engine
  let shape: Shape
  let count: Int
  /// Whether memory is provided before it is needed: then the peak of memory says nothing.
  let isProvided: Bool

  /// What an operation takes until it is drained, and what draining takes in addition.
  private static var bytesToAdd: Int { 1_000 }
  private static var bytesToDrain: Int { 400 }

  func runSuspended() throws -> Figures {
    engine.setSuspended(true)
    let (forAdding, forDraining) = (held(Self.bytesToAdd), held(Self.bytesToDrain))
    forAdding?.giveBack()
    // The items are let go before the queue is resumed, so that draining includes releasing them.
    let add = try Stopwatch.seconds { _ = try addGraph() }
    forDraining?.giveBack()
    return drain(after: add)
  }

  private func held(_ bytesPerOperation: Int) -> HeldMemory? {
    isProvided ? HeldMemory(bytesPerOperation * count) : nil
  }

  func runObserved() throws -> Figures {
    engine.setSuspended(true)
    var tokens: [ObservationToken] = []
    let add = try Stopwatch.seconds {
      // As one does: made, observed, put on its queue.
      _ = try addGraph { item in
        guard let item = item as? ObservableOperation else { return }
        tokens.append(item.observe(\.isFinished) { _, _ in })
      }
    }
    return withExtendedLifetime(tokens) { drain(after: add) }
  }

  func runExclusive() throws -> Figures {
    engine.setSuspended(true)
    var number = 0
    let add = try Stopwatch.seconds {
      _ = try addGraph { item in
        number += 1
        (item as? ObservableOperation)?.exclusiveNames = ["name-\(number % 10)"]
      }
    }
    return drain(after: add)
  }

  func runBarriers() throws -> Figures {
    engine.setSuspended(true)
    let add = try Stopwatch.seconds {
      for number in 1...count {
        let item = engine.makeItem()
        if number.isMultiple(of: 10) {
          try engine.enqueueBarrier(item)
        } else {
          try engine.enqueue(item)
        }
      }
    }
    return drain(after: add)
  }

  func runLive() throws -> Figures {
    let total = try Stopwatch.seconds {
      _ = try addGraph()
      engine.waitUntilIdle()
    }
    return [("total", total)]
  }

  func runBlocks() -> Figures {
    [("total", Stopwatch.seconds { engine.runBlocks(count) })]
  }

  func addLateEdges() throws -> Figures {
    engine.setSuspended(true)
    let (forAdding, forDraining) = (held(Self.bytesToAdd), held(Self.bytesToDrain))
    forAdding?.giveBack()
    var generator = RandomSource.edges
    var items: [Engine.Item] = []
    // The operations and not their indices: looking them up in an array of a million, in no order,
    // took a quarter of the time, and is not the engine's.
    var edges: [(from: Engine.Item, to: Engine.Item)] = []
    let add = try Stopwatch.seconds {
      for _ in 0..<count {
        let item = engine.makeItem()
        items.append(item)
        try engine.enqueue(item)
      }
    }
    for index in 0..<count {
      shape.forEachUpstream(of: index, count: count, using: &generator) { upstream in
        edges.append((items[upstream], items[index]))
      }
    }
    edges.shuffle(using: &generator)
    let seconds = try Stopwatch.seconds {
      for edge in edges { try engine.makeItem(edge.to, dependOn: edge.from) }
    }
    items = []
    edges = []
    forDraining?.giveBack()
    let total = drain(after: add + seconds).filter { $0.0 == "total" }
    return [("late-edges", seconds)] + total.map { ("total-late", $0.1) }
  }

  func steer() throws -> Figures {
    engine.setSuspended(true)
    let items = try addGraph()
    var figures = [("queued-memory", Memory.peakMegabytes)]
    var generator = RandomSource.edges
    figures.append(
      (
        "set-priority",
        Stopwatch.secondsPerCall(atMost: 10_000) {
          let item = items[generator.next(below: items.count)]
          item.queuePriority = item.queuePriority == .high ? .low : .high
        }
      ))
    figures.append(
      (
        "cancel",
        Stopwatch.secondsPerCall(atMost: 10_000) {
          items[generator.next(below: items.count)].cancel()
        }
      ))
    figures.append(
      ("operations", Stopwatch.secondsPerCall(atMost: 5) { _ = engine.operations.count }))
    if engine.takeSnapshot() {
      figures.append(
        ("snapshot", Stopwatch.secondsPerCall(atMost: 1_000) { _ = engine.takeSnapshot() }))
    }
    figures.append(("cancel-all", Stopwatch.seconds { engine.cancelAll() }))
    return figures
  }

  private func addGraph(
    _ prepare: (Engine.Item) -> Void = { _ in }
  ) throws -> [Engine.Item] {
    var generator = RandomSource.edges
    var items: [Engine.Item] = []
    items.reserveCapacity(count)
    for index in 0..<count {
      let item = engine.makeItem()
      try shape.forEachUpstream(of: index, count: count, using: &generator) { upstream in
        try engine.makeItem(item, dependOn: items[upstream])
      }
      items.append(item)
      prepare(item)
      try engine.enqueue(item)
    }
    return items
  }

  private func drain(after add: Double) -> Figures {
    let drain = Stopwatch.seconds {
      engine.setSuspended(false)
      engine.waitUntilIdle()
    }
    return [
      ("add", add), ("drain", drain), ("total", add + drain), ("memory", Memory.peakMegabytes),
    ]
  }
}
