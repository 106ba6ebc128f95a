/// The difference of two texts in the format of `diff -u`.
package enum UnifiedDiff {
  private enum Edit {
    case same(String), old(String), new(String)
  }

  private static let context = 3

  /// Returns the difference, line by line; empty if there is none.
  package static func lines(
    from old: String, to new: String, names: (old: String, new: String)
  ) -> [String] {
    let edits = edits(split(old), split(new))
    let changed = edits.indices.filter { if case .same = edits[$0] { false } else { true } }
    guard let first = changed.first else { return [] }
    var hunks: [ClosedRange<Int>] = [first...first]
    for index in changed.dropFirst() {
      let last = hunks[hunks.count - 1]
      if index - last.upperBound <= 2 * context {
        hunks[hunks.count - 1] = last.lowerBound...index
      } else {
        hunks.append(index...index)
      }
    }
    var result = ["--- \(names.old)", "+++ \(names.new)"]
    for hunk in hunks {
      let range =
        max(0, hunk.lowerBound - context)...min(edits.count - 1, hunk.upperBound + context)
      result += text(of: range, edits)
    }
    return result
  }

  private static func text(of range: ClosedRange<Int>, _ edits: [Edit]) -> [String] {
    func count(_ edits: ArraySlice<Edit>) -> (old: Int, new: Int) {
      edits.reduce(into: (0, 0)) { count, edit in
        switch edit {
        case .same: count = (count.0 + 1, count.1 + 1)
        case .old: count.0 += 1
        case .new: count.1 += 1
        }
      }
    }
    let before = count(edits[..<range.lowerBound])
    let inside = count(edits[range])
    func place(_ before: Int, _ count: Int) -> String {
      let start = count == 0 ? before : before + 1
      return count == 1 ? "\(start)" : "\(start),\(count)"
    }
    let head = "@@ -\(place(before.old, inside.old)) +\(place(before.new, inside.new)) @@"
    return [head]
      + edits[range].map { edit in
        switch edit {
        case .same(let line): " " + line
        case .old(let line): "-" + line
        case .new(let line): "+" + line
        }
      }
  }

  private static func split(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static func edits(_ old: [String], _ new: [String]) -> [Edit] {
    let difference = new.difference(from: old)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var edits: [Edit] = []
    var (first, second) = (0, 0)
    while first < old.count || second < new.count {
      if removed.contains(first) {
        edits.append(.old(old[first]))
        first += 1
      } else if inserted.contains(second) {
        edits.append(.new(new[second]))
        second += 1
      } else {
        edits.append(.same(old[first]))
        first += 1
        second += 1
      }
    }
    return edits
  }
}
