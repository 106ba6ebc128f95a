import Operations

/// Equal transitions of many operations as one line, at the prompt.
///
/// ```
///  0.004  questions-1…20  created → pending → ready  20 added to network
/// ```
struct EventFolding {
  /// How an entry is shown.
  enum Look {
    case line
    indirect case folded(FoldedTransition)
    /// Not shown, because the line of an earlier entry includes it.
    case left
  }

  /// What makes transitions equal: all but the operation and the time.
  private struct Key: Hashable {
    let kind: String
    let event: EventLog.Entry.Event
    let from: OperationState
    let to: OperationState
    let reason: String
  }

  /// The least number of equal transitions that share a line.
  private static let fewest = 5

  private var looks: [Int: Look] = [:]

  /// Finds equal transitions.
  ///
  /// Only those before the execution, cancellations, and ends without an execution are put together:
  /// starts and results are what people wait to see.
  ///
  /// - Parameter entries: Entries that are shown at the same time.
  init(_ entries: [EventLog.Entry]) {
    guard entries.count >= Self.fewest else { return }
    var groups: [Key: [EventLog.Entry]] = [:]
    for entry in entries where Self.mayFold(entry) {
      let key = Key(
        kind: entry.operation.kind, event: entry.event, from: entry.from, to: entry.to,
        reason: entry.reason)
      groups[key, default: []].append(entry)
    }
    let folded = groups.filter { $0.value.count >= Self.fewest }
      .sorted { $0.value[0].sequence < $1.value[0].sequence }
    var lines: [FoldedTransition] = []
    for (key, entries) in folded {
      for entry in entries { looks[entry.sequence] = .left }
      let names = entries.map(\.operation)
      // What was added and is ready at once is one line.
      if key.event == .transition, let last = lines.indices.last,
        lines[last].operations == names, lines[last].states.last == key.from
      {
        lines[last].states.append(key.to)
      } else {
        lines.append(
          FoldedTransition(
            first: entries[0], operations: names, states: [key.from, key.to],
            reason: Self.plural(of: key.reason)))
      }
    }
    for line in lines { looks[line.first.sequence] = .folded(line) }
  }

  /// How an entry is shown.
  func look(of entry: EventLog.Entry) -> Look { looks[entry.sequence] ?? .line }

  /// The reason of one operation as that of each of several.
  private static func plural(of reason: String) -> String {
    reason.replacing(", finishes when the queue", with: ", each finishes when the queue")
  }

  private static func mayFold(_ entry: EventLog.Entry) -> Bool {
    if entry.event == .cancelling { return true }
    guard entry.event == .transition else { return false }
    switch entry.to {
    case .pending, .ready: return true
    case .finished: return entry.from != .executing
    case .created, .executing: return false
    }
  }
}

/// A transition, or several in a row, of many operations.
package struct FoldedTransition {
  /// The first entry, whose time the line has.
  let first: EventLog.Entry
  let operations: [OperationIdentity]
  var states: [OperationState]
  let reason: String

  /// `questions-1…20`, or the first and the last name.
  var names: String {
    // They may have ended in another order.
    let names = operations.sorted { $0.id < $1.id }.map(\.name)
    let (first, last) = (names[0], names[names.count - 1])
    let stem = first.prefix { !$0.isNumber }
    let numbers = names.map { Int($0.dropFirst(stem.count)) }
    let isRow =
      names.allSatisfy { $0.hasPrefix(stem) }
      && zip(numbers, numbers.dropFirst()).allSatisfy { pair in
        guard let one = pair.0, let next = pair.1 else { return false }
        return next > one && next - 1 == one
      }
    return isRow ? "\(first)…\(last.dropFirst(stem.count))" : "\(first) … \(last)"
  }
}
