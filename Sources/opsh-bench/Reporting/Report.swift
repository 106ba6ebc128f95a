import Foundation

/// Writes what was measured: lines for programs as they come, or a table for people per group.
final class Report {
  private let isJSON: Bool
  let selection: Selection
  private var rows: [Measurement] = []

  init(isJSON: Bool, selection: Selection) {
    self.isJSON = isJSON
    self.selection = selection
  }

  /// Adds a measurement if it is selected.
  func add(_ measurement: Measurement) {
    guard selection.includes(measurement.bench) else { return }
    if isJSON {
      Console.print(measurement.json)
    } else {
      rows.append(measurement)
    }
  }

  /// Says what is going on, on standard error.
  func note(_ text: String) {
    Console.complain(text)
  }

  /// Prints the table of a group.
  func endGroup(_ title: String) {
    defer { rows = [] }
    guard !rows.isEmpty else { return }
    let head = ["benchmark", "ours", "per operation", "theirs", "peer", "ratio"]
    let lines = [head] + rows.map(\.cells)
    let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    Console.print("\n\(title)\n")
    for line in lines {
      // Names and peers are aligned at the left, figures at the right.
      let cells = zip(line, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 || column == 4 ? cell.0 + space : space + cell.0
      }
      Console.print(cells.joined(separator: "  "))
    }
  }
}
