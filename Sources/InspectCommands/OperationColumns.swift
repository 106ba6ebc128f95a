import Foundation
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// Properties of operations as columns and sort keys of a table.
struct OperationColumns {
  let clock: SessionClock

  static let names = OperationObject.propertyNames.filter { $0 != "result" }

  static let sortKeys = names + names.map { "-" + $0 }

  func table(_ operations: [ObservableOperation], _ names: [String]) -> Table {
    var table = Table(
      columns: names.map { name in
        .init(
          StyledText(name), alignment: isNumeric(name, in: operations) ? .trailing : .leading,
          isFlexible: name == names.last)
      })
    // Without the column of ids, the names have to distinguish the rows.
    let labels = names.contains("id") ? nil : OperationLabels(operations)
    for operation in operations {
      table.rows.append(
        names.map { name in
          if name == "name", let labels { return StyledText(labels.label(of: operation)) }
          return StyledText(VisibleText.escape(Self.text(of: value(of: name, for: operation))))
        })
    }
    return table
  }

  /// Sorts by the keys, stably; operations without a value come last.
  func sorted(_ operations: [ObservableOperation], by keys: [String]) -> [ObservableOperation] {
    guard !keys.isEmpty else { return operations }
    let keys = keys.map { key in
      let isFalling = key.hasPrefix("-")
      return (name: isFalling ? String(key.dropFirst()) : key, isFalling: isFalling)
    }
    // Each value once: an operation may change while the list is sorted.
    let rows = operations.enumerated().map { offset, operation in
      (
        offset: offset, operation: operation,
        values: keys.map { key(of: $0.name, for: operation) }
      )
    }
    let sorted = rows.sorted { first, second in
      for (index, key) in keys.enumerated() {
        switch (first.values[index], second.values[index]) {
        case (.null, .null): continue
        case (.null, _): return false
        case (_, .null): return true
        case (let one, let other):
          guard let order = Self.order(one, other), order != .orderedSame else { continue }
          return (order == .orderedAscending) != key.isFalling
        }
      }
      return first.offset < second.offset
    }
    return sorted.map(\.operation)
  }

  /// The value of a column: for a span that has not ended, the time so far.
  private func value(of name: String, for operation: ObservableOperation) -> Value {
    let property = OperationObject.liveSpans[name] ?? name
    return OperationObject(operation, clock: clock).property(property) ?? .null
  }

  /// The sort key, which is more precise than the shown number for instants.
  private func key(of name: String, for operation: ObservableOperation) -> Value {
    OperationObject(operation, clock: clock).instant(name) ?? value(of: name, for: operation)
  }

  private func isNumeric(_ name: String, in operations: [ObservableOperation]) -> Bool {
    let first = operations.prefix(100).lazy.map { value(of: name, for: $0) }.first {
      if case .null = $0 { false } else { true }
    }
    return switch first {
    case .integer, .real, .size, .duration: true
    default: false
    }
  }

  private static func text(of value: Value) -> String {
    switch value.unspelled {
    case .null: "-"
    case .real(let number): String(format: "%.3f", number)
    case .list(let elements) where elements.isEmpty: "-"
    case .list(let elements): elements.map(text).joined(separator: ", ")
    case .record(let fields):
      // A dependency or a dependent is shown by its name.
      (fields.first { $0.name == "name" } ?? fields.first { $0.name == "code" })?.value.text
        ?? value.text
    default: value.text
    }
  }

  private static func order(_ first: Value, _ second: Value) -> ComparisonResult? {
    if let one = number(first), let other = number(second) {
      return one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
    }
    return switch Value.order(of: text(of: first), text(of: second)) {
    case .before: .orderedAscending
    case .after: .orderedDescending
    case .same, .unordered: .orderedSame
    }
  }

  private static func number(_ value: Value) -> Double? {
    switch value.unspelled {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .size(let count): Double(count)
    case .duration(let duration): duration / .seconds(1)
    case .percent(let share): share
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }
}
