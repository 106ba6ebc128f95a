import Foundation
import OpshSupport

/// The engine against Foundation's `OperationQueue`, over shapes and sizes of graphs.
struct EngineGroup {
  /// The longest that a run of the peer may take.
  private static let peerPatience: Duration = .seconds(60)
  private static let ownPatience: Duration = .seconds(900)
  /// A run longer than this is made once.
  private static let longRun: Duration = .seconds(10)

  let report: Report
  let isQuick: Bool

  /// What is measured together, and against what.
  private struct Comparison {
    var ours: EngineCase
    var theirs: EngineCase?
    var peer: String?
    /// Names of figures, and those under which they are reported.
    var measures: [(figure: String, name: String)]
    /// Measures whose value spreads over the operations.
    var isPerOperation = true

    func bench(_ name: String) -> String {
      "engine/\(ours.shape.rawValue)/\(ours.count)/\(name)"
    }
  }

  func run() throws {
    let comparisons = Self.comparisons(sizes: sizes).filter { comparison in
      comparison.measures.contains { report.selection.includes(comparison.bench($0.name)) }
    }
    let growths = isQuick ? [] : Growth.all.filter { report.selection.includes($0.bench) }
    guard !comparisons.isEmpty || !growths.isEmpty else { return }
    // Where the peer did not end, it will not end with more either.
    var givenUp: Set<String> = []
    for comparison in comparisons {
      let kind = "\(comparison.ours.shape)-\(comparison.ours.variant)"
      var comparison = comparison
      if givenUp.contains(kind) { comparison.theirs = nil }
      if try run(comparison) == .peerGaveUp { givenUp.insert(kind) }
    }
    for growth in growths {
      do { try run(growth) } catch { report.note("\(growth.bench): opsh \(error)") }
    }
    report.endGroup("The engine and Foundation's OperationQueue: width 4, empty bodies")
  }

  private var sizes: [Int] { isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000] }

  private enum Ending { case complete, peerGaveUp }

  /// Runs ours and theirs in turn and reports the medians.
  private func run(_ comparison: Comparison) throws -> Ending {
    let rounds = isQuick || comparison.ours.count > 100_000 ? 3 : 5
    var ours: [[String: Double]] = []
    var theirs: [[String: Double]] = []
    var ending = Ending.complete
    let start = ContinuousClock.now
    for _ in 0..<rounds {
      let roundStart = ContinuousClock.now
      do {
        ours.append(try Child.figures(comparison.ours.arguments, timeout: Self.ownPatience))
      } catch {
        report.note("\(comparison.bench("")): opsh \(error)")
        return .complete
      }
      let own = roundStart.duration(to: .now)
      if let peerCase = comparison.theirs {
        do {
          theirs.append(try Child.figures(peerCase.arguments, timeout: Self.peerPatience))
        } catch {
          report.note("\(comparison.bench("")): \(comparison.peer ?? "the peer") \(error)")
          theirs = []
          ending = .peerGaveUp
          break
        }
      }
      if max(own, roundStart.duration(to: .now) - own) > Self.longRun { break }
    }
    let spent = String(format: "%.1f", start.duration(to: .now).seconds)
    report.note("\(comparison.bench(comparison.ours.variant.rawValue)): \(spent) s")
    for measure in comparison.measures {
      guard let value = ours.compactMap({ $0[measure.figure] }).median else { continue }
      report.add(
        Measurement(
          bench: comparison.bench(measure.name), value: value,
          unit: measure.figure.hasSuffix("memory") ? .megabytes : .seconds, peer: comparison.peer,
          peerValue: theirs.compactMap { $0[measure.figure] }.median,
          operations: comparison.isPerOperation ? comparison.ours.count : nil))
    }
    return ending
  }

  /// Runs the large graph and small ones in turn and reports the medians, per operation.
  private func run(_ growth: Growth) throws {
    var large: [Double] = []
    var small: [Double] = []
    let start = ContinuousClock.now
    for _ in 0..<Growth.rounds {
      small += try growth.runSmall()
      large.append(try growth.run(Growth.largeCount))
      small += try growth.runSmall()
    }
    guard let value = large.median else { return }
    let spent = String(format: "%.1f", start.duration(to: .now).seconds)
    report.note("\(growth.bench): \(spent) s")
    report.add(
      Measurement(
        bench: growth.bench, value: value, unit: .seconds, peer: "\(Growth.smallCount)",
        peerValue: small.median))
  }

  // MARK: - What is compared

  /// Beyond these sizes Foundation is known to take more than a minute.
  private static let foundationLimits: [Shape: Int] = [
    .chain: 10_000, .fanOut: 100_000, .fanIn: 300_000,
  ]

  private static func comparisons(sizes: [Int]) -> [Comparison] {
    let all = ["add", "drain", "total", "memory"].map { (figure: $0, name: $0) }
    var comparisons: [Comparison] = []
    for shape in Shape.allCases {
      // At 300,000 Foundation's duplicate check just ends within a minute.
      let further = shape == .fanIn && sizes.contains(1_000_000) ? [300_000] : []
      for count in (sizes + further).sorted() {
        comparisons.append(againstFoundation(shape, count, .plain, all))
      }
    }
    for count in sizes {
      comparisons.append(
        againstFoundation(.independent, count, .live, [(figure: "total", name: "live")]))
      comparisons.append(
        againstFoundation(
          .random, count, .lateEdges,
          [
            (figure: "late-edges", name: "late-edges"), (figure: "total-late", name: "total-late"),
          ]))
    }
    if let largest = sizes.last {
      comparisons.append(
        againstFoundation(
          .independent, min(largest, 50_000), .blocks, [(figure: "total", name: "blocks")]))
    }
    if let largest = sizes.last {
      comparisons += withoutGraph(min(largest, 100_000))
    }
    for count in sizes where count == 100_000 || count == sizes.last {
      comparisons += withAndWithout(count)
    }
    if let largest = sizes.last {
      let names = [
        "queued-memory", "set-priority", "cancel", "operations", "snapshot", "cancel-all",
      ]
      var steering = againstFoundation(
        .independent, largest, .steering, names.map { (figure: $0, name: $0) })
      steering.isPerOperation = false
      comparisons.append(steering)
    }
    return comparisons
  }

  private static func againstFoundation(
    _ shape: Shape, _ count: Int, _ variant: EngineCase.Variant,
    _ measures: [(figure: String, name: String)]
  ) -> Comparison {
    let isFeasible = count <= foundationLimits[shape] ?? .max
    return Comparison(
      ours: EngineCase(.inspectable, shape, count, variant),
      theirs: isFeasible ? EngineCase(.foundation, shape, count, variant) : nil,
      peer: "Foundation", measures: measures)
  }

  /// A start on an idle queue, adding by several threads, and what an operation takes before it is
  /// added.
  private static func withoutGraph(_ count: Int) -> [Comparison] {
    var starts = againstFoundation(
      .independent, 2_000, .idleStarts,
      [(figure: "start-p50", name: "start-p50"), (figure: "start-p99", name: "start-p99")])
    starts.isPerOperation = false
    return [
      starts,
      againstFoundation(
        .independent, count, .threads,
        [
          (figure: "threads-add", name: "add-8-threads"),
          (figure: "threads-total", name: "total-8-threads"),
        ]),
      againstFoundation(
        .independent, count, .created, [(figure: "created-memory", name: "created-memory")]),
    ]
  }

  /// What an observer, an exclusive name or barriers cost, and what keeping the log does.
  private static func withAndWithout(_ count: Int) -> [Comparison] {
    let plain = EngineCase(.inspectable, .independent, count, .plain)
    return [
      Comparison(
        ours: EngineCase(.inspectable, .independent, count, .observer), theirs: plain,
        peer: "no observer",
        measures: [
          (figure: "total", name: "total-observer"), (figure: "memory", name: "memory-observer"),
        ]),
      Comparison(
        ours: EngineCase(.inspectable, .independent, count, .exclusive), theirs: plain,
        peer: "no names", measures: [(figure: "total", name: "total-exclusive")]),
      Comparison(
        ours: EngineCase(.inspectable, .independent, count, .barriers), theirs: plain,
        peer: "no barriers", measures: [(figure: "total", name: "total-barriers")]),
      Comparison(
        ours: plain, theirs: EngineCase(.inspectable, .independent, count, .smallLog),
        peer: "short log",
        measures: [(figure: "total", name: "total-log"), (figure: "memory", name: "memory-log")]),
    ]
  }
}
