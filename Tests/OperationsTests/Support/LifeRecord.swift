import Operations

/// What a log tells of the life of every operation, and whatever in it breaks a rule that holds
/// for all of them.
///
/// The rules: states follow the table and join up, an operation ends once and with an outcome, it
/// is asked to stop at most once and not after its end, and no queue is ever wider than `width`.
struct LifeRecord {
  /// What is wrong, in words; empty if nothing is.
  private(set) var faults: [String] = []
  /// How each operation ended, by its id.
  private(set) var outcomes: [Int: OperationOutcome] = [:]
  /// Those that were asked to stop.
  private(set) var cancelled: Set<Int> = []
  /// Those that executed, in the order in which they began to.
  private(set) var executed: [Int] = []
  /// The most operations of one queue that executed at once.
  private(set) var peak = 0

  private var states: [Int: OperationState] = [:]
  private var executing: [String: Int] = [:]

  /// Reads a log that keeps all of its entries.
  ///
  /// - Parameters:
  ///   - engine: The log.
  ///   - width: The width that no queue may exceed; nil for any.
  init(of engine: OperationEngine, width: Int? = nil) {
    var cursor = 0
    while true {
      let page = engine.log.entries(from: cursor, limit: 10_000)
      if page.entries.isEmpty { break }
      for entry in page.entries { take(entry, width: width) }
      cursor = page.next
    }
    for (id, state) in states where state != .finished { fault("\(id) is still \(state.rawValue)") }
  }

  /// How many ended with the outcome of that name.
  func count(_ outcome: String) -> Int {
    outcomes.values.count { $0.name == outcome }
  }

  private mutating func take(_ entry: EventLog.Entry, width: Int?) {
    let id = entry.operation.id
    switch entry.event {
    case .attempt, .pause, .refusal, .awaitsFinish, .completion, .phase:
      return
    case .cancelling:
      if !cancelled.insert(id).inserted { fault("\(id) was cancelled twice") }
      if outcomes[id] != nil { fault("\(id) was cancelled after its end") }
    case .transition:
      let state = states[id, default: .created]
      if state != entry.from { fault("\(id) left \(entry.from) and was \(state)") }
      if !entry.from.canBecome(entry.to) { fault("\(id) went from \(entry.from) to \(entry.to)") }
      states[id] = entry.to
      count(entry, width: width)
    }
  }

  private mutating func count(_ entry: EventLog.Entry, width: Int?) {
    let id = entry.operation.id
    let queue = entry.queue ?? ""
    if entry.to == .executing {
      executed.append(id)
      executing[queue, default: 0] += 1
      let now = executing[queue, default: 0]
      peak = max(peak, now)
      if let width, now > width { fault("\(now) execute on \(queue) of width \(width)") }
    }
    if entry.from == .executing { executing[queue, default: 0] -= 1 }
    guard entry.to == .finished else { return }
    guard let outcome = entry.outcome else { return fault("\(id) ended without an outcome") }
    if outcomes.updateValue(outcome, forKey: id) != nil { fault("\(id) ended twice") }
  }

  private mutating func fault(_ text: String) {
    // The first ones say it all.
    if faults.count < 10 { faults.append(text) }
  }
}
