/// The names of one kind that statements declare.
struct DeclaredNames {
  /// Those written out.
  private(set) var names: Set<String> = []
  /// The highest number that each counted word can have come to, such as 3 for `delay-3`.
  private var counters: [String: Int] = [:]
  /// How many names written out begin with a word and a dash; its counter leaves those out.
  private var leftOut: [String: Int] = [:]
  private var isAnything = false

  /// Adds what a statement makes; one that can run any number of times counts without end.
  mutating func insert(_ name: CreatedName.Extent, isRepeated: Bool) {
    switch name {
    case .anything: isAnything = true
    case .exact(let name):
      names.insert(name)
      for dash in name.indices where name[dash] == "-" && dash > name.startIndex {
        leftOut[String(name[..<dash]), default: 0] += 1
      }
    case .numbered(let word, let count):
      let (sum, overflow) = counters[word, default: 0].addingReportingOverflow(count)
      counters[word] = isRepeated || overflow ? .max : sum
    }
  }

  /// Whether a name that fits a pattern can be among them.
  func contains(matching pattern: GlobPattern) -> Bool {
    isAnything || names.contains(where: pattern.matches)
      || counters.keys.contains { pattern.matchesNumber(after: $0 + "-") }
  }

  /// Whether a name can be among them.
  func contains(_ name: String) -> Bool {
    if isAnything || names.contains(name) { return true }
    guard let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]),
      number >= 1
    else { return false }
    let word = String(name[..<dash])
    guard let highest = counters[word] else { return false }
    return number - leftOut[word, default: 0] <= highest
  }
}
