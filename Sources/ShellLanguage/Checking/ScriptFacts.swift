import OpshLocking

/// Everything that a check knows and finds that does not depend on the place.
final class ScriptFacts {
  /// The circumstances of a check.
  struct Setting {
    let catalog: CommandCatalog
    let facts: HostFacts?
    let names: Checker.NameCheck
    var keepsGoing = false
    var warnsUnused = true
    var inheritsOptions = false
    /// Whether a statement runs the script, so that nothing in it is at the top level.
    var isSourced = false
    var include: ((_ path: String, _ from: SourceText) throws -> Script?)?
    var noteText: (_ name: String, _ text: String) -> Void = { _, _ in }
    var follow: ((Statement, CommandCall?) -> Diagnostic?)?
  }

  let setting: Setting
  /// The text that is checked, in which others may be included.
  private(set) var main: SourceText?
  var findings: [Diagnostic] = []
  /// The meanings of words as commands.
  var words: WordMeanings
  /// The names of operations and queues.
  var symbols = SymbolTable()
  /// What variables are given, by name.
  private(set) var variables: [String: VariableFacts] = [:]
  /// The variables of the top level, those further down included.
  var later = LaterVariables()
  /// The scripts that are read.
  var scripts = IncludedScripts()
  /// The bodies of definitions, which are checked when everything at the top level is known.
  private var bodies: [() -> Void] = []
  /// The checks that need to know all variables and names.
  private var deferred: [() -> Void] = []

  init(_ setting: Setting, words: WordMeanings) {
    self.setting = setting
    self.words = words
  }

  /// Checks a whole script where some variables exist already.
  ///
  /// - Returns: The variables of the top level.
  func check(_ script: Script, variables: Set<String>) -> VariableScope {
    main = script.source
    for name in variables { note(name, is: .unknown) }
    let place = Place(in: script.source, VariableScope(given: variables), known: self)
    place.collectLater(script, isNested: false)
    place.check(script.statements, isTopLevel: true)
    while !bodies.isEmpty {
      let bodies = bodies
      self.bodies = []
      for check in bodies { check() }
    }
    findings += scripts.certainlyMissing
    place.reportImpossibleNames()
    place.reportTakenNames()
    if !scripts.areUnknown {
      for check in deferred { check() }
      place.warnUnused(except: later.reads)
    }
    if !setting.warnsUnused { findings.removeAll { $0.is(.unusedVariable) } }
    return place.scope
  }

  /// Has the body of a definition checked at the end.
  func whenDefined(_ check: @escaping () -> Void) { bodies.append(check) }

  /// Has something checked once all variables and names are known.
  func whenKnown(_ check: @escaping () -> Void) {
    if setting.facts != nil { deferred.append(check) }
  }

  /// Notes what a variable was given.
  func note(_ name: String, is kind: StaticKind, text: String? = nil) {
    variables[name, default: VariableFacts()].note(kind, text: text)
  }
}

/// What is known of a variable, wherever it is given something.
struct VariableFacts {
  /// What it is, unless it is given values of two kinds.
  private(set) var kind: StaticKind?
  /// The one text that it is ever given, if that is written out.
  private(set) var constant: String?

  mutating func note(_ kind: StaticKind, text: String?) {
    guard let known = self.kind else {
      self.kind = kind
      constant = text
      return
    }
    if known != kind { self.kind = .unknown }
    constant = nil
  }
}

/// The variables that scripts make at their top level, those further down included.
struct LaterVariables {
  /// Where each is made; `isNested` says that its script is read in a block.
  private var places: [String: (spot: Spot, isNested: Bool)] = [:]
  /// Those that a block reads that runs later.
  private(set) var reads: Set<String> = []

  subscript(name: String) -> (spot: Spot, isNested: Bool)? { places[name] }

  /// Adds a variable, unless one of the top level has the name.
  mutating func add(_ name: Name, _ source: SourceText, isNested: Bool) {
    if let known = places[name.text], !known.isNested || isNested { return }
    places[name.text] = (Spot(source: source, range: name.range), isNested)
  }

  /// Marks one as read; returns false if there is none.
  @discardableResult mutating func read(_ name: String) -> Bool {
    guard places[name] != nil else { return false }
    reads.insert(name)
    return true
  }
}

extension ErrorPage {
  static let unusedVariable = ErrorPage(
    "unused-variable", "A variable is never read",
    "It does no harm, but often means that another name is misspelt.",
    help: "names that begin with '_' cause no such warning", wrong: "let count = 5",
    right: "let count = 5\necho $count", proof: .warning)
}
