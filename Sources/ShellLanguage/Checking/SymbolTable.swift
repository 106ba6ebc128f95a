/// The names that a script declares and uses, to find uses of names without a declaration.
///
/// A name counts as possible unless no statement that can run before its use makes it: a script
/// that can run must never be refused.
struct SymbolTable {
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
    /// Whether it is in a loop, so that it can also run after the later statements of that loop.
    let isRepeated: Bool
    /// Whether it only asks, which is no mistake where there is nothing.
    let isQuestion: Bool
    /// The word of the command that it is an argument of.
    var command: String?
    /// Whether there is a variable of that name, which was most likely meant.
    var isVariable = false
    /// How many names were made before it, where only those can have made it.
    var order: Int?
  }

  /// Where a name is given.
  struct Place {
    let range: SourceRange
    let source: SourceText
  }

  struct Declaration {
    let namespace: String
    let name: CreatedName.Extent
    /// The statement of the top level that it belongs to; for the body of a definition, the one that
    /// defines it.
    let statement: Int
    /// Whether it is in the body of a definition, which is checked last and runs at each call.
    let isInDefinition: Bool
    /// Where it gives this very name, if it does so for certain, once or in each turn.
    let place: Place?
    /// Whether what it makes keeps its name until it is removed, as a queue does; an operation gives
    /// its name up when it has finished.
    let isLasting: Bool
    /// Whether that place is in a loop that runs it more than once.
    let isInLoop: Bool
    /// The statement that gives it, wherever it runs.
    let statementPlace: Place?
  }

  /// Whether some statement gives the names of queues back.
  var freesNames = false

  /// The names that are certainly gone at the place, by what they named, and where they went.
  private var removed: [String: [String: Place]] = [:]

  private(set) var declarations: [Declaration] = []
  /// The uses of names that nothing has made so far, and those that can run later.
  private(set) var uses: [Use] = []
  /// The names made so far, by what they name.
  private var made: [String: DeclaredNames] = [:]
  /// In which order names are made and statements wait.
  var nameEvents = NameEvents()

  mutating func make(
    _ namespace: String, _ name: CreatedName.Extent, statement: Int, isRepeated: Bool,
    place: Place? = nil, isLasting: Bool = false, isInLoop: Bool = false,
    statementPlace: Place? = nil
  ) {
    declarations.append(
      Declaration(
        namespace: namespace, name: name, statement: statement,
        isInDefinition: nameEvents.isInDefinitions, place: place, isLasting: isLasting,
        isInLoop: isInLoop, statementPlace: statementPlace))
    made[namespace, default: DeclaredNames()].insert(name, isRepeated: isRepeated)
    if case .exact(let name) = name {
      removed[namespace]?[name] = nil
    } else {
      removed[namespace] = nil
    }
    nameEvents.note(.make(declarations.count - 1))
  }

  /// Notes that a statement certainly removes a name; unless something may make it again at any time.
  mutating func remove(_ name: String, in namespace: String, at place: Place) {
    let isCertain = declarations.allSatisfy {
      $0.namespace != namespace || $0.place != nil
        || $0.name != .exact(name) && $0.name != .anything
    }
    if isCertain { removed[namespace, default: [:]][name] = place }
  }

  /// Notes that any name may have been made.
  mutating func noteOther() { removed = [:] }

  /// The statement that has certainly removed the name of a use.
  func removal(of use: Use) -> Place? {
    guard !use.isDeferred, !use.isRepeated, use.namespaces.count == 1 else { return nil }
    return removed[use.namespaces[0]]?[use.name]
  }

  /// Notes a statement that may wait for operations, so that their names are free after it.
  mutating func noteWait() { nameEvents.note(.wait) }

  mutating func use(_ use: Use) {
    var use = use
    if !use.isDeferred {
      if use.namespaces.contains(where: { made[$0]?.contains(use.name) == true }) { return }
      if !use.isRepeated { use.order = declarations.count }
    }
    uses.append(use)
  }

  /// Whether any statement so far can make a name of that kind.
  func canMake(_ name: String, in namespace: String) -> Bool {
    made[namespace]?.contains(name) == true
  }

  /// The names that statements give, written out.
  func names(in namespace: String) -> Set<String> { Set(made[namespace]?.names ?? []) }

  /// Whether some statement of the script, wherever it runs, can make a name that fits a pattern.
  func canMake(matching pattern: GlobPattern, in namespace: String) -> Bool {
    made[namespace]?.contains(matching: pattern) == true
  }

  /// Whether some statement gives this very name.
  func makes(_ name: String, in namespace: String) -> Bool {
    made[namespace]?.names.contains(name) == true
  }

  /// How many names were made up to now.
  var count: Int { declarations.count }

  /// Whether one of the first statements gives this very name whenever the script runs.
  func certainlyMakes(_ name: String, in namespace: String, before order: Int) -> Bool {
    declarations.prefix(order).contains {
      $0.namespace == namespace && $0.name == .exact(name) && $0.place != nil
    }
  }

  /// The uses of names that nothing can have made, with names that come close.
  ///
  /// - Parameter existing: The names that there are, by what they name.
  /// - Returns: Each use, what it may be confused with, which statement makes the name too late, and
  ///   whether it is certainly a mistake.
  func impossible(
    existing: [String: Set<String>]
  ) -> [(use: Use, near: [String], later: Place?, isMistake: Bool)] {
    uses.compactMap { use in
      let isPossible = use.namespaces.contains {
        existing[$0]?.contains(use.name) == true
          || (made[$0]?.contains(use.name) == true && canMake(use, in: $0))
      }
      if isPossible { return nil }
      let able = declarations.prefix(use.order ?? declarations.count).filter {
        use.namespaces.contains($0.namespace)
      }
      let known = use.namespaces.flatMap { existing[$0] ?? [] }
      let near = Spelling.suggestions(
        for: use.name, among: known + able.flatMap(\.name.examples))
      return (use, near, firstPlace(of: use), use.isVariable || isTelling(use))
    }
  }

  /// Whether a statement that can run before a use makes its name, of those after it in the text.
  ///
  /// That is one in the body of a definition that is defined by then, or one of the same loop.
  private func canMake(_ use: Use, in namespace: String) -> Bool {
    if use.isDeferred { return true }
    var names = DeclaredNames()
    for declaration in declarations
    where declaration.namespace == namespace && declaration.statement <= use.statement {
      guard declaration.isInDefinition || use.isRepeated else { continue }
      names.insert(declaration.name, isRepeated: true)
    }
    return names.contains(use.name)
  }

  /// The first statement that makes the name of a use, wherever it stands.
  private func firstPlace(of use: Use) -> Place? {
    var names = DeclaredNames()
    for declaration in declarations
    where use.namespaces.contains(declaration.namespace) && declaration.name != .anything {
      names.insert(declaration.name, isRepeated: declaration.isInLoop)
      if names.contains(use.name) { return declaration.statementPlace }
    }
    return nil
  }

  /// Whether there is something that the name was confused with.
  ///
  /// That is what the script makes, or a name as operations get it by themselves. A script that
  /// makes nothing at all and asks for something may be there to see what that leads to; it is only
  /// warned of.
  private func isTelling(_ use: Use) -> Bool {
    if use.namespaces == ["queue"] || !use.isQuestion { return true }
    if use.namespaces.contains(where: { made[$0] != nil }) { return true }
    let parts = use.name.split(separator: "-")
    return parts.count > 1 && Int(parts[parts.count - 1]) != nil
  }
}

extension CreatedName.Extent {
  /// Some of the names, to suggest.
  fileprivate var examples: [String] {
    switch self {
    case .anything: []
    case .exact(let name): [name]
    case .numbered(let word, let count): (1...max(1, min(count, 9))).map { "\(word)-\($0)" }
    }
  }
}
