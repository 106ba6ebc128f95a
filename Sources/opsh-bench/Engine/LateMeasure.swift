import Foundation
import Operations

/// Scratch measurement, not part of the project.
enum LateMeasure {
  static func run(_ shapeName: String, _ count: Int) throws {
    var g = SplitMix()
    let log = EventLog(capacity: 0)
    let queue = InspectableQueue(name: "bench", maxConcurrentOperationCount: 4, log: log)
    queue.isSuspended = true
    // (waiting, waitedFor)
    var edges: [(Int, Int)] = []
    edges.reserveCapacity(2 * count)
    let n = count
    switch shapeName {
    case "random":
      for i in 1..<n { for _ in 0..<g.next(below: 4) { edges.append((i, g.next(below: i))) } }
      edges.shuffle(using: &g)
    case "random-reversed":
      for i in 1..<n {
        for _ in 0..<g.next(below: 4) { edges.append((n - 1 - i, n - 1 - g.next(below: i))) }
      }
      edges.shuffle(using: &g)
    case "random-reversed-built":
      for i in 1..<n {
        for _ in 0..<g.next(below: 4) { edges.append((n - 1 - i, n - 1 - g.next(below: i))) }
      }
    case "random-permuted", "random-permuted-sparse":
      let p = Array(0..<n).shuffled(using: &g)
      let d = shapeName == "random-permuted" ? 4 : 3
      for i in 1..<n { for _ in 0..<g.next(below: d) { edges.append((p[i], p[g.next(below: i)])) } }
      edges.shuffle(using: &g)
    case "layered-permuted":
      let p = Array(0..<n).shuffled(using: &g)
      for i in 100..<n {
        for _ in 0..<3 { edges.append((p[i], p[(i / 100 - 1) * 100 + g.next(below: 100)])) }
      }
      edges.shuffle(using: &g)
    case "layered-reversed":
      for i in 100..<n {
        for _ in 0..<3 {
          edges.append((n - 1 - i, n - 1 - ((i / 100 - 1) * 100 + g.next(below: 100))))
        }
      }
      edges.shuffle(using: &g)
    case "chain": for i in 1..<n { edges.append((i, i - 1)) }
    case "chain-from-end": for i in (1..<n).reversed() { edges.append((i, i - 1)) }
    case "chain-shuffled":
      for i in 1..<n { edges.append((i, i - 1)) }
      edges.shuffle(using: &g)
    case "reversed": for i in 1..<n { edges.append((i - 1, i)) }
    case "reversed-from-end": for i in (1..<n).reversed() { edges.append((i - 1, i)) }
    case "reversed-shuffled":
      for i in 1..<n { edges.append((i - 1, i)) }
      edges.shuffle(using: &g)
    case "permuted-chain":
      let p = Array(0..<n).shuffled(using: &g)
      for i in 1..<n { edges.append((p[i - 1], p[i])) }
    case "permuted-chain-shuffled":
      let p = Array(0..<n).shuffled(using: &g)
      for i in 1..<n { edges.append((p[i - 1], p[i])) }
      edges.shuffle(using: &g)
    case "fan-in-reversed": for i in 1..<n { edges.append((0, i)) }
    case "fan-in-reversed-down": for i in (1..<n).reversed() { edges.append((0, i)) }
    case "fan-out-reversed": for i in 0..<n - 1 { edges.append((i, n - 1)) }
    case "fan-out-reversed-down": for i in (0..<n - 1).reversed() { edges.append((i, n - 1)) }
    case "fan-in-linked":
      // the sink has a dependent, the sources have a source
      edges.append((0, n / 2)); edges.append((1, 0))
      for i in 2..<n - 1 { edges.append((i, n - 1)); edges.append((0, i)) }
    default: return
    }
    var items: [InspectableEngine.Item] = []
    items.reserveCapacity(n)
    for _ in 0..<n { items.append(InspectableEngine.Item(log: log)) }
    try queue.addOperations(items, waitUntilFinished: false)
    let before = Memory.peakMegabytes
    func cpu() -> Double {
      var t = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
      return Double(t.tv_sec) + Double(t.tv_nsec) * 1e-9
    }
    let start = cpu()
    for e in edges { try items[e.0].depend(on: items[e.1]) }
    let seconds = cpu() - start
    let added = Memory.peakMegabytes - before
    var line = shapeName.padding(toLength: 26, withPad: " ", startingAt: 0)
    line += String(
      format: "%9d  edges %9d  %8.0f ns/edge  %6.0f MB", n, edges.count,
      seconds * 1e9 / Double(edges.count), added)
    if getenv("NODRAIN") != nil { Console.print(line); return }
    items = []
    let drain = Stopwatch.seconds {
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
    line += String(format: "  drain %6.0f ns/op", drain * 1e9 / Double(n))
    Console.print(line)
  }
}
