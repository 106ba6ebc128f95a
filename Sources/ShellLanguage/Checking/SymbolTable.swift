/// The names that a script makes and uses, to find uses of names that nothing makes.
///
/// A name counts as possible unless no statement that can run before its use makes it: a script
/// that can run must never be refused.
struct SymbolTable {
  /// One place where a name is used.
  struct Use {
    let namespaces: [String]
    let name: String
    let range: SourceRange
    let place: Place
    /// Whether it only asks, which is no mistake where there is nothing.
    var isQuestion = true
    /// The word of the command that it is an argument of.
    var command: String?
    /// Whether there is a variable of that name, which was most likely meant.
    var isVariable = false
    /// Whether what it names may be made later.
    var isDeferred = false
    /// How many names were made before it, where only those can have made it.
    var order: Int?
  }

  /// A statement that makes a name, or several.
  struct Declaration {
    let namespace: String
    let name: CreatedName.Extent
    /// The place of the statement.
    ///
    /// The body of a definition belongs to the statement of the top level that defines it, is checked
    /// last, and runs at each call.
    let place: Place
    /// Where it gives this very name, if it does so for certain, once or in each turn.
    var spot: Spot?
    /// Whether what it makes keeps its name until it is removed, as a queue does; an operation gives
    /// its name up when it has finished.
    var isLasting = false
    /// The statement, wherever it runs; nil where that is not known.
    var statementSpot: Spot?
  }

  /// Whether some statement gives the names of queues back.
  var freesNames = false
  /// The order in which names are made and statements wait.
  var events = NameEvents()
  private(set) var declarations: [Declaration] = []
  /// The uses of names that nothing has made so far, and those that can run later.
  private var uses: [Use] = []
  /// The names made so far, by what they name.
  private var made: [String: DeclaredNames] = [:]

  mutating func make(_ declaration: Declaration) {
    let namespace = declaration.namespace
    made[namespace, default: DeclaredNames()].insert(
      declaration.name, isRepeated: declaration.place.isRepeated)
    events.note(.make(declarations.count))
    declarations.append(declaration)
  }

  mutating func use(_ use: Use) {
    var use = use
    if !use.isDeferred {
      if canMake(use.name, inAny: use.namespaces) { return }
      if !use.place.isRepeated { use.order = declarations.count }
    }
    uses.append(use)
  }

  /// Returns whether any statement so far can make a name of one of the kinds.
  func canMake(_ name: String, inAny namespaces: [String]) -> Bool {
    namespaces.contains { made[$0]?.contains(name) == true }
  }

  /// Returns whether any statement so far can make a name that fits a pattern.
  func canMake(matching pattern: GlobPattern, in namespace: String) -> Bool {
    made[namespace]?.contains(matching: pattern) == true
  }

  /// Returns the names that statements give, written out.
  func names(in namespace: String) -> Set<String> { made[namespace]?.names ?? [] }

  /// Returns whether one of the first statements gives this very name whenever the script runs.
  func certainlyMakes(_ name: String, in namespace: String, before order: Int) -> Bool {
    declarations.prefix(order).contains {
      $0.namespace == namespace && $0.name == .exact(name) && $0.spot != nil
    }
  }

  /// Returns the uses of names that nothing can have made and that do not exist: each
  /// with names that it may be confused with, the statement that makes the name too late, and
  /// whether it is certainly a mistake.
  func impossible(
    existing: [String: Set<String>]
  ) -> [(use: Use, near: [String], later: Spot?, isMistake: Bool)] {
    uses.compactMap { use in
      guard !use.namespaces.contains(where: { existing[$0]?.contains(use.name) == true }),
        !canMake(use)
      else { return nil }
      let able = declarations.prefix(use.order ?? declarations.count).filter {
        use.namespaces.contains($0.namespace)
      }
      let known = use.namespaces.flatMap { existing[$0] ?? [] }
      let near = Spelling.suggestions(
        for: use.name, among: known + able.flatMap(\.name.examples))
      return (use, near, firstStatement(making: use), use.isVariable || isTelling(use))
    }
  }

  /// Returns whether a statement that can run before a use makes its name, also of those after it in
  /// the text: one in the body of a definition that is defined by then, or one of the same loop.
  private func canMake(_ use: Use) -> Bool {
    guard canMake(use.name, inAny: use.namespaces) else { return false }
    if use.isDeferred { return true }
    return use.namespaces.contains { namespace in
      var names = DeclaredNames()
      for declaration in declarations
      where declaration.namespace == namespace && declaration.place.statement <= use.place.statement
        && (declaration.place.definition != nil || use.place.isRepeated)
      {
        names.insert(declaration.name, isRepeated: true)
      }
      return names.contains(use.name)
    }
  }

  /// Returns the first statement that makes the name of a use, wherever it is.
  private func firstStatement(making use: Use) -> Spot? {
    var names = DeclaredNames()
    for declaration in declarations
    where use.namespaces.contains(declaration.namespace) && declaration.name != .anything {
      names.insert(declaration.name, isRepeated: declaration.place.isInLoop)
      if names.contains(use.name) { return declaration.statementSpot }
    }
    return nil
  }

  /// Returns whether there is something that the name was confused with.
  ///
  /// That is what the script makes, or a name as operations get it by themselves. A script that
  /// makes nothing at all and asks for something may be there to see what that leads to; it is only
  /// warned of.
  private func isTelling(_ use: Use) -> Bool {
    use.namespaces == ["queue"] || !use.isQuestion
      || use.namespaces.contains { made[$0] != nil } || use.name.isNumberedName
  }
}

extension String {
  /// Whether it looks like a name that a counter makes, such as `delay-1`.
  var isNumberedName: Bool {
    let parts = split(separator: "-")
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
