import OpshSupport

/// How lists and times stand in the engine's texts.
enum Wording {
  /// How many names a text holds before it says how many more there are.
  static let longestList: Int = 4

  /// Writes quoted names as a list: `'a'`, `'a' and 'b'`, `'a', 'b' and 7 more`.
  static func list(_ names: [String]) -> String {
    list(names.prefix(longestList).map { $0 }, count: names.count)
  }

  /// Writes the first names of a longer list; `count` is the length of the whole.
  static func list(_ names: [String], count: Int) -> String {
    var parts = names.map { "'\($0)'" }
    if count > names.count {
      parts.append("\(count - names.count) more")
    }
    guard let last = parts.popLast() else { return "nothing" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }

  /// Writes a path through the graph; the middle of a long one is left out.
  static func path(_ names: [String]) -> String {
    let ends = 5
    guard names.count > 2 * ends + 1 else { return names.joined(separator: " → ") }
    let left = names.prefix(ends) + ["… \(names.count - 2 * ends) more …"] + names.suffix(ends)
    return left.joined(separator: " → ")
  }

  /// Writes a duration.
  static func duration(_ duration: Duration) -> String { DurationText(duration).description }
}
