package import OpshJSON
package import Operations
import ShellOutput
package import ShellSession
package import OpshTerminal

/// Why several operations do not go on, with equal reasons together.
package struct Verdict {
  /// Operations with the same reasons.
  package struct Entry {
    package let reasons: [WhyReason]
    package fileprivate(set) var operations: [ObservableOperation]

    /// `3 operations wait: queue 'network' is paused`, `'b' waits for 'a', which is executing`.
    package var text: String {
      let name = operations[0].displayName
      let subject =
        operations.count == 1 ? "'\(name)' waits" : "\(operations.count) operations wait"
      let text = reasons[0].text
      if operations.count == 1, text.contains("'\(name)'") { return text }
      let waits = "waits "
      return text.hasPrefix(waits)
        ? "\(subject) \(text.dropFirst(waits.count))" : "\(subject): \(text)"
    }

    /// The nearest reason as a sentence, and the others below it.
    package var lines: [StyledText] {
      let others = reasons.dropFirst()
      let isOneOfSeveral = others.contains { $0.depth == 0 }
      return [StyledText("  ") + reasons[0].words(text)]
        + others.map { isOneOfSeveral ? $0.deeper.line : $0.line }
    }
  }

  package private(set) var entries: [Entry] = []
  /// How many waiting operations were not examined.
  private let unexamined: Int

  /// Examining each of many thousands would take seconds; most wait for the same.
  private static let mostExamined = 200

  /// - Parameters:
  ///   - operations: The operations.
  ///   - jobs: The jobs that they are.
  ///   - isDeep: Whether all their reasons count; otherwise only the root.
  package init(of operations: [ObservableOperation], in jobs: Jobs, downToRoot isDeep: Bool = false)
  {
    unexamined = max(0, operations.count - Self.mostExamined)
    var places: [[String]: Int] = [:]
    for operation in operations.prefix(Self.mostExamined) {
      var reasons = WhyReason.reasons(of: operation, asTree: isDeep, in: jobs)
      if isDeep {
        // Which operation goes first differs for each of those that wait for a slot.
        let shared = reasons.filter { $0.cause != .higherPriority }
        if !shared.isEmpty { reasons = shared }
      } else {
        reasons = WhyReason.root(of: reasons, in: jobs).map { [$0] } ?? []
      }
      guard !reasons.isEmpty else { continue }
      // How far a root is does not matter.
      let key = reasons.map { isDeep ? "\($0.depth) \($0.text)" : $0.text }
      if let place = places[key] {
        entries[place].operations.append(operation)
      } else {
        places[key] = entries.count
        entries.append(Entry(reasons: reasons, operations: [operation]))
      }
    }
  }

  /// Each entry, and how many operations were not examined.
  package var lines: [StyledText] {
    let more =
      unexamined > 0
      ? [StyledText("  and \(GroupedNumber.text(unexamined)) more, not examined", style: .dim)] : []
    return entries.flatMap(\.lines) + more
  }
}

extension Verdict {
  /// Why the operations of a queue do not run now.
  package init(of queue: InspectableQueue, in jobs: Jobs) {
    let all = queue.operations
    let waiting = all.filter { $0.state != .executing }
    self.init(
      // Those that execute are told only where none waits for the same.
      of: waiting + all.filter { $0.state == .executing && $0.finishWait != nil }, in: jobs)
    for index in entries.indices
    where entries[index].operations.contains(where: { $0.state != .executing }) {
      entries[index].operations.removeAll { $0.state == .executing }
    }
  }

  /// Why the operations in an executing group do not go on, those of executing groups in it included.
  package init(ofMembersOf group: GroupOperation, in jobs: Jobs) {
    var members: [ObservableOperation] = []
    // An explicit stack, because groups may be nested deeply.
    var open = Array(group.operations.reversed())
    while let member = open.popLast() {
      if let inner = member as? GroupOperation, inner.state == .executing {
        open += inner.operations.reversed()
      } else {
        members.append(member)
      }
    }
    self.init(of: members, in: jobs, downToRoot: true)
  }

  /// What holds the slots of a queue, in a line.
  package static func head(of queue: InspectableQueue) -> StyledText {
    StyledText("queue \(VisibleText.escape(queue.name))", style: .bold)
      + StyledText(": " + (queue.isSuspended ? "paused, " : "") + slots(of: queue))
  }

  /// The number of slots that are taken, and of operations that wait.
  package static func slots(of queue: InspectableQueue) -> String {
    let snapshot = queue.snapshot
    let taken =
      snapshot.width < 0
      ? "\(snapshot.executing) executing, unlimited width"
      : "\(snapshot.executing) of \(snapshot.width) slot\(snapshot.width == 1 ? "" : "s") taken"
    return "\(taken), \(snapshot.pending + snapshot.ready) waiting"
  }

  /// The keys of the object of `why`, for a queue.
  package func fields(of queue: InspectableQueue) -> [String: JSONValue] {
    [
      "operation": .null, "queue": .string(queue.name),
      "reasons": .array(entries.map { WhyText.object(of: $0.reasons[0], text: $0.text) }),
      "position": .number(queue.engine.log.position),
    ]
  }
}
