import JSON
import Operations
import ShellOutput
import ShellSession
import Terminal

/// Why the operations of a queue do not run now, with equal reasons together.
struct QueueVerdict {
  /// Operations with the same root reason.
  struct Cause {
    let reason: WhyReason
    var names: [String]

    /// `3 operations wait: queue 'network' is paused`, `'b' waits for 'a', which is executing`.
    var text: String {
      let subject =
        names.count == 1 ? "'\(names[0])' waits" : "\(names.count) operations wait"
      let waits = "waits "
      return reason.text.hasPrefix(waits)
        ? "\(subject) \(reason.text.dropFirst(waits.count))" : "\(subject): \(reason.text)"
    }
  }

  let queue: InspectableQueue
  private(set) var causes: [Cause] = []
  /// How many waiting operations were not examined.
  private(set) var unexamined = 0

  /// Examining each of many thousands would take seconds; most wait for the same.
  private static let mostExamined = 200

  init(of queue: InspectableQueue, in session: Session) {
    self.queue = queue
    // Those that execute last: they are told only where none waits for the same.
    let all = queue.operations
    let waiting =
      all.filter { $0.state != .executing }
      + all.filter { $0.state == .executing && $0.finishWait != nil }
    var places: [String: Int] = [:]
    for operation in waiting.prefix(Self.mostExamined) {
      let reasons = WhyReason.reasons(of: operation, in: session)
      guard let root = WhyReason.root(of: reasons, in: session) else { continue }
      if let place = places[root.text] {
        if operation.state != .executing { causes[place].names.append(operation.displayName) }
      } else {
        places[root.text] = causes.count
        causes.append(Cause(reason: root, names: [operation.displayName]))
      }
    }
    unexamined = max(0, waiting.count - Self.mostExamined)
  }

  /// What holds the slots, and then each cause on a line.
  var lines: [StyledText] {
    let snapshot = queue.snapshot
    let name = StyledText("queue \(VisibleText.escape(queue.name))", style: .bold)
    var facts: [String] = []
    if snapshot.isSuspended { facts.append("paused") }
    facts.append(
      snapshot.width < 0
        ? "\(snapshot.executing) executing, unlimited width"
        : "\(snapshot.executing) of \(snapshot.width) \(snapshot.width == 1 ? "slot" : "slots") taken"
    )
    facts.append("\(snapshot.pending + snapshot.ready) waiting")
    let more =
      unexamined > 0
      ? [StyledText("  and \(GroupedNumber.text(unexamined)) more, not examined", style: .dim)] : []
    return [name + StyledText(": " + facts.joined(separator: ", "))]
      + causes.map { cause in
        let text = StyledText("  " + VisibleText.escape(cause.text))
        guard let cure = cause.reason.cure else { return text }
        return text + StyledText("  → " + cure, style: TextStyle(color: .cyan))
      } + more
  }

  /// The keys of the object of `why`, for a queue.
  var fields: [String: JSONValue] {
    [
      "operation": .null,
      "queue": .string(queue.name),
      "reasons": .array(causes.map { Why.object(of: $0.reason, text: $0.text) }),
    ]
  }
}
