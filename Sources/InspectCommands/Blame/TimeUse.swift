import CommandParts
import Operations

/// What the time of some operations went to, added up by cause.
struct TimeUse {
  /// The time of one cause.
  struct Row {
    let kind: Cause
    private(set) var time = Duration.zero
    /// How many operations spent time on it; what is less than ``LifeSpan/shortest`` is none.
    private(set) var operations = 0
    private var culprits: [Int: Duration] = [:]

    init(_ kind: Cause) { self.kind = kind }

    /// Adds the phases of one operation.
    mutating func add(_ phases: [LifeSpan]) {
      let duration = phases.reduce(Duration.zero) { $0 + $1.duration }
      if duration >= LifeSpan.shortest || kind == .work { operations += 1 }
      phases.forEach { add($0) }
    }

    private mutating func add(_ phase: LifeSpan) {
      time += phase.duration
      if let culprit = phase.culprit { culprits[culprit, default: .zero] += phase.duration }
    }

    /// The operations that caused the time, the greatest share first.
    var worst: [(id: Int, time: Duration)] {
      culprits.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }
  }

  /// The causes, the longest time first.
  private(set) var rows: [Row] = []
  /// How many operations were added up.
  private(set) var operations = 0
  /// The time of all operations together.
  private(set) var total = Duration.zero
  /// When the first was added and the last ended.
  private(set) var bounds: ClosedRange<ContinuousClock.Instant>?
  /// The one that ended last; if none has ended, the first that was added.
  let last: Int?

  /// Adds up the phases of operations.
  ///
  /// - Parameters:
  ///   - chosen: The operations; those that were never added to a queue count for nothing.
  ///   - history: The lives of all operations.
  init(of chosen: [ObservableOperation], in history: LifeAccount) {
    var byKind: [Cause: Row] = [:]
    last = history.last(of: chosen.lazy.map(\.id))
    for operation in chosen {
      let phases = LifeSpan.steps(of: operation, in: history)
      guard let first = phases.first, let end = phases.last?.end else { continue }
      operations += 1
      for (kind, phases) in Dictionary(grouping: phases, by: \.cause) {
        byKind[kind, default: Row(kind)].add(phases)
      }
      total += phases.reduce(.zero) { $0 + $1.duration }
      bounds =
        min(first.start, bounds?.lowerBound ?? first.start)...max(end, bounds?.upperBound ?? end)
    }
    rows = byKind.values.sorted { ($0.time, $1.kind.rawValue) > ($1.time, $0.kind.rawValue) }
  }

  /// The part of the whole time, from 0 to 1.
  func share(of row: Row) -> Double {
    total > .zero ? row.time / total : 0
  }
}
