package import Operations
import ShellOutput
package import ShellSession
package import OpshTerminal

/// The table of operations that `ops` prints.
package enum OperationTable {
  /// Makes the table, without some columns if the terminal is not wide enough for all.
  package static func table(
    _ operations: [ObservableOperation], in jobs: Jobs, width: Int?
  ) -> Table {
    var table = Table(columns: [
      .init("id", alignment: .trailing), .init("name", minimumWidth: 8, isFlexible: true),
      .init("kind"), .init("queue"),
      .init("state"), .init("priority"), .init("why", minimumWidth: 9, isFlexible: true),
      .init("outcome", isFlexible: true),
    ])
    var blockers = FirstBlockers()
    for operation in operations {
      table.rows.append([
        StyledText(String(operation.id)),
        StyledText(VisibleText.escape(operation.displayName), style: .bold),
        StyledText(operation.kind), StyledText(operation.queueName ?? "-"),
        state(of: operation), StyledText(operation.queuePriority.shellName),
        StyledText(
          VisibleText.escape(
            WhyReason.first(of: operation, &blockers, in: jobs)?.words ?? "")),
        outcome(of: operation),
      ])
    }
    let (priority, why, outcome) = (5, 6, 7)
    // First what says nothing.
    let empty = [why, outcome].filter { column in
      table.rows.allSatisfy { $0[column].isEmpty }
    }
    table.removeColumns(empty + [priority, 2, 3].filter { !empty.contains($0) }, toFit: width)
    if let width, !empty.contains(outcome), table.room(forLastIn: width) < leastOutcome {
      // The mark alone says how it ended.
      table.columns[table.columns.count - 1] = .init("")
      for index in table.rows.indices {
        guard let cell = table.rows[index].popLast() else { continue }
        table.rows[index].append(cell.truncated(to: 1, ellipsis: ""))
      }
    }
    return table
  }

  /// The width below which an outcome is cut so far that it says nothing.
  private static let leastOutcome = 8

  /// The state, with the phase of an operation that is in one, and 'cancelled' for one that is
  /// cancelled and has not finished.
  package static func state(of operation: ObservableOperation) -> StyledText {
    let state = operation.state
    var text = StyledText(
      state.rawValue, style: .state(state, outcome: operation.outcome))
    if state == .executing, let phase = operation.phase { text += StyledText(" · \(phase)") }
    guard operation.isCancelled, state != .finished else { return text }
    return text + ", " + StyledText("cancelled", style: .outcome(.cancelled))
  }

  package static func outcome(of operation: ObservableOperation) -> StyledText {
    guard let outcome = operation.outcome else { return "" }
    let mark = StyledText(outcome.mark + " ", style: .outcome(outcome))
    if case .failed(let failure) = outcome {
      // The code of an error in a script says little without its message, which has the place.
      let isInScript =
        failure.is(.script)
        || [OperationKind.block.name, OperationKind.async.name].contains(operation.kind)
      let text = isInScript ? "\(failure.code): \(failure.message)" : failure.code
      return mark + StyledText(VisibleText.escape(text))
    }
    return mark + StyledText(VisibleText.escape(operation.outcomeSummary ?? outcome.name))
  }

  /// `1 operation`, `2 operations`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
