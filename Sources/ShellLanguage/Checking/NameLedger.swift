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
    /// The word of the command that it is an argument of.
    var command: String?
    /// Whether there is a variable of that name, which was most likely meant.
    var isVariable = false
    /// How many names were made before it.
    var order = 0
  }

  /// Where a name is given.
  struct Place {
    let range: SourceRange
    let source: SourceText
  }

  struct Maker {
    let namespace: String
    let name: HostFacts.MadeName
    let statement: Int
    /// Whether it can run any number of times.
    let isRepeated: Bool
    /// Where it gives this very name, if it does so for certain, once or in each turn.
    let place: Place?
    /// Whether what it makes keeps its name until it is removed, as a queue does; an operation gives
    /// its name up when it has finished.
    let isLasting: Bool
    /// Whether that place is in a loop that runs it more than once.
    let isInLoop: Bool
  }

  /// Whether some statement gives the names of queues back.
  var freesNames = false

  private(set) var makers: [Maker] = []
  private(set) var uses: [Use] = []
  /// The same makers, by what they make; made when first needed.
  private var made: [String: MadeNames] = [:]
  private var madeCount = 0
  /// In which order names are made and statements wait.
  var course = NameCourse()

  mutating func make(
    _ namespace: String, _ name: HostFacts.MadeName, statement: Int, isRepeated: Bool,
    place: Place? = nil, isLasting: Bool = false, isInLoop: Bool = false
  ) {
    makers.append(
      Maker(
        namespace: namespace, name: name, statement: statement, isRepeated: isRepeated,
        place: place, isLasting: isLasting, isInLoop: isInLoop))
    course.note(.make(makers.count - 1))
  }

  /// Notes a statement that may wait for operations, so that their names are free behind it.
  mutating func noteWait() { course.note(.wait) }

  mutating func use(_ use: Use) {
    var use = use
    use.order = makers.count
    uses.append(use)
  }

  /// Whether any statement can make a name of that kind.
  mutating func canMake(_ name: String, in namespace: String) -> Bool {
    isPossible(name, in: [namespace], before: nil)
  }

  /// Whether some statement gives this very name.
  func makes(_ name: String, in namespace: String) -> Bool {
    makers.contains { $0.namespace == namespace && $0.name == .exact(name) }
  }

  /// How many names were made up to now.
  var count: Int { makers.count }

  /// Whether one of the first statements gives this very name whenever the script runs.
  func certainlyMakes(_ name: String, in namespace: String, before order: Int) -> Bool {
    makers.prefix(order).contains {
      $0.namespace == namespace && $0.name == .exact(name) && $0.place != nil
    }
  }

  /// The uses of names that nothing can have made, with names that come close.
  ///
  /// - Parameter existing: The names that there are, by what they name.
  /// - Returns: Each use, what it may be confused with, and whether it is certainly a mistake.
  mutating func impossible(
    existing: [String: Set<String>]
  ) -> [(use: Use, near: [String], isMistake: Bool)] {
    var found: [(use: Use, near: [String], isMistake: Bool)] = []
    for use in uses {
      if use.namespaces.contains(where: { existing[$0]?.contains(use.name) == true }) { continue }
      let moment =
        use.isDeferred ? nil : MadeNames.Moment(statement: use.statement, order: use.order)
      if isPossible(use.name, in: use.namespaces, before: moment) { continue }
      let able = makers.enumerated().filter { order, maker in
        use.namespaces.contains(maker.namespace)
          && (use.isDeferred || maker.statement < use.statement
            || (maker.statement == use.statement && (maker.isRepeated || order < use.order)))
      }.map(\.element)
      let known = use.namespaces.flatMap { existing[$0] ?? [] }
      let near = Spelling.suggestions(for: use.name, among: known + examples(able))
      found.append((use, near, use.isVariable || isTelling(use)))
    }
    return found
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

  /// Whether some statement can have made a name before a moment, or at all.
  private mutating func isPossible(
    _ name: String, in namespaces: [String], before moment: MadeNames.Moment?
  ) -> Bool {
    for (order, maker) in makers.enumerated().dropFirst(madeCount) {
      made[maker.namespace, default: MadeNames()].add(maker, order: order)
    }
    madeCount = makers.count
    for namespace in namespaces {
      if made[namespace]?.hasMade(name, before: moment) == true { return true }
    }
    guard let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]),
      number >= 1
    else { return false }
    let word = String(name[..<dash])
    var highest = 0
    var given = 0
    for namespace in namespaces {
      guard let counted = made[namespace]?.counted(word, before: moment) else { continue }
      if counted.isEndless { return true }
      highest += counted.count
      given += counted.given
    }
    return highest > 0 && number <= highest + given
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
