import Foundation

/// One figure of ours with that of a peer: a line of the output.
struct Measurement {
  /// What a value counts; less is better for each.
  enum Unit: String {
    case seconds = "s"
    case megabytes = "MB"
    case count = "requests"
  }

  let bench: String
  let value: Double
  let unit: Unit
  var peer: String?
  var peerValue: Double?
  /// Over how many operations the value extends; nil where a share of it means nothing.
  var operations: Int?

  var ratio: Double? {
    guard let peerValue, peerValue > 0 else { return nil }
    return value / peerValue
  }

  /// The line that other programs read.
  var json: String {
    // Names are made of our own words and numbers, with nothing in them that needs escaping.
    let peer = peerValue == nil ? nil : peer
    return "{\"bench\":\"\(bench)\",\"value\":\(Self.number(value)),\"unit\":\"\(unit.rawValue)\","
      + "\"peer\":\(peer.map { "\"\($0)\"" } ?? "null"),"
      + "\"peerValue\":\(peerValue.map(Self.number) ?? "null"),"
      + "\"ratio\":\(ratio.map(Self.number) ?? "null")}"
  }

  /// The cells of its row in a table.
  var cells: [String] {
    let share = operations.flatMap { unit == .seconds ? Self.text(value / Double($0), unit) : nil }
    return [
      bench, Self.text(value, unit), share ?? "",
      peerValue.map { Self.text($0, unit) } ?? "–", peer ?? "",
      ratio.map { String(format: $0 < 0.1 ? "%.4f" : "%.2f", $0) } ?? "–",
    ]
  }

  private static func number(_ value: Double) -> String { String(format: "%.5g", value) }

  private static func text(_ value: Double, _ unit: Unit) -> String {
    switch unit {
    case .count: String(format: "%.0f   ", value)
    case .megabytes: String(format: "%.1f MB", value)
    case .seconds where value >= 1: String(format: "%.2f s ", value)
    case .seconds where value >= 1e-3: String(format: "%.2f ms", value * 1e3)
    case .seconds where value >= 1e-6: String(format: "%.2f µs", value * 1e6)
    case .seconds: String(format: "%.0f ns", value * 1e9)
    }
  }
}

extension [Double] {
  /// The value in the middle; nil if there is none.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let upper = sorted[count / 2]
    return count % 2 == 1 ? upper : (sorted[count / 2 - 1] + upper) / 2
  }
}
