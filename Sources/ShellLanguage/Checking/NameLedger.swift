/// Which names a script makes and which it uses, to find those that nothing makes.
///
/// A name counts as possible unless it is certain that no statement that can run before its use
/// makes it: a good script must never be refused.
struct NameLedger {
  /// One place where a name is used.
  struct Use {
    let namespaces: [String]
    let name: String
    let range: SourceRange
    let source: SourceText
    /// Which statement of the top level it belongs to.
    let statement: Int
    /// Whether it runs later than it stands: in a handler, a body or a definition.
    let isDeferred: Bool
    /// Whether it only asks, which is no mistake where there is nothing.
    let isQuestion: Bool
    /// How many names were made before it.
    var order = 0
  }

  /// Where a name is given.
  struct Place {
    let range: SourceRange
    let source: SourceText
  }

  private struct Maker {
    let namespace: String
    let name: HostFacts.MadeName
    let statement: Int
    /// Whether it can run any number of times.
    let isRepeated: Bool
    /// Where it gives this very name, if it does so once for certain.
    let place: Place?
  }

  /// Whether some statement gives names back.
  var freesNames = false

  private var makers: [Maker] = []
  private(set) var uses: [Use] = []

  mutating func make(
    _ namespace: String, _ name: HostFacts.MadeName, statement: Int, isRepeated: Bool,
    place: Place? = nil
  ) {
    makers.append(
      Maker(
        namespace: namespace, name: name, statement: statement, isRepeated: isRepeated,
        place: place))
  }

  mutating func use(_ use: Use) {
    var use = use
    use.order = makers.count
    uses.append(use)
  }

  /// Whether any statement can make a name of that kind.
  func canMake(_ name: String, in namespace: String) -> Bool {
    isPossible(name, makers.filter { $0.namespace == namespace })
  }

  /// The names that are given a second time, with both places.
  func taken() -> [(name: String, first: Place, second: Place)] {
    guard !freesNames else { return [] }
    var first: [String: Place] = [:]
    var found: [(name: String, first: Place, second: Place)] = []
    for maker in makers {
      guard let place = maker.place, case .exact(let name) = maker.name else { continue }
      let key = maker.namespace + " " + name
      if let known = first[key] {
        // A group is an operation and a queue, and taken twice only once.
        if found.last?.second.range.lower != place.range.lower {
          found.append((name, known, place))
        }
      } else {
        first[key] = place
      }
    }
    return found
  }

  /// The uses of names that nothing can have made, with names that come close.
  ///
  /// - Parameter existing: The names that there are, by what they name.
  /// - Returns: Each use, what it may be confused with, and whether it is certainly a mistake.
  func impossible(
    existing: [String: Set<String>]
  ) -> [(use: Use, near: [String], isMistake: Bool)] {
    uses.compactMap { use in
      for namespace in use.namespaces {
        if existing[namespace]?.contains(use.name) == true { return nil }
      }
      let able = makers.enumerated().filter { order, maker in
        use.namespaces.contains(maker.namespace)
          && (use.isDeferred || maker.statement < use.statement
            || (maker.statement == use.statement && (maker.isRepeated || order < use.order)))
      }.map(\.element)
      guard !isPossible(use.name, able) else { return nil }
      let known = use.namespaces.flatMap { existing[$0] ?? [] }
      let near = Spelling.suggestions(for: use.name, among: known + examples(able))
      return (use, near, isTelling(use))
    }
  }

  /// Whether there is something that the name was confused with.
  ///
  /// That is what the script makes, or a name as operations get it by themselves. A script that
  /// makes nothing at all and asks for something may be there to see what that leads to; it is only
  /// warned of.
  private func isTelling(_ use: Use) -> Bool {
    if use.namespaces == ["queue"] || !use.isQuestion { return true }
    if makers.contains(where: { use.namespaces.contains($0.namespace) }) { return true }
    let parts = use.name.split(separator: "-")
    return parts.count > 1 && Int(parts[parts.count - 1]) != nil
  }

  private func isPossible(_ name: String, _ makers: [Maker]) -> Bool {
    var number: Int?
    var word = ""
    if let dash = name.lastIndex(of: "-") {
      word = String(name[..<dash])
      number = Int(name[name.index(after: dash)...])
    }
    var count = 0
    var given = 0
    for maker in makers {
      switch maker.name {
      case .anything: return true
      case .exact(let exact):
        if exact == name { return true }
        // A counter leaves out the names that are taken.
        if !word.isEmpty, exact.hasPrefix(word + "-") { given += 1 }
      case .numbered(let prefix, let some):
        guard prefix == word, let number, number >= 1 else { continue }
        if maker.isRepeated { return true }
        count += some
      }
    }
    guard count > 0, let number else { return false }
    return number <= count + given
  }

  private func examples(_ makers: [Maker]) -> [String] {
    makers.flatMap { maker -> [String] in
      switch maker.name {
      case .anything: []
      case .exact(let name): [name]
      case .numbered(let word, let count): (1...max(1, min(count, 9))).map { "\(word)-\($0)" }
      }
    }
  }
}
