import Locking

/// A walk through a script: what it was told, what it has found, and what the statements so far
/// have made.
///
/// What holds at one place only is passed down as a ``Place``.
struct ScriptWalk {
  /// The circumstances of a check, which never change.
  struct Setting {
    let catalog: CommandCatalog
    let facts: HostFacts?
    let names: Checker.NameCheck
    var keepsGoing = false
    var warnsUnused = true
    var inheritsOptions = false
    var include: ((_ path: String, _ from: SourceText) throws -> Script?)?
    var noteText: (_ name: String, _ text: String) -> Void = { _, _ in }
  }

  let setting: Setting
  var catalog: CommandCatalog { setting.catalog }
  var facts: HostFacts? { setting.facts }

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
  /// Bodies of definitions, which are checked when everything at the top level is known.
  private var bodies: [Body] = []
  /// The checks that need to know all variables and names.
  private var deferred: [(inout ScriptWalk) -> Void] = []

  init(setting: Setting, words: WordMeanings) {
    self.setting = setting
    self.words = words
  }

  /// Checks a whole script where some variables exist already.
  ///
  /// - Returns: The variables of the top level.
  mutating func walk(_ script: Script, variables: Set<String>) -> VariableScope {
    for name in variables { note(name, is: .unknown) }
    var place = Place(source: script.source, scope: VariableScope(given: variables))
    place.inheritsOptions = setting.inheritsOptions
    collectLater(script, isNested: false)
    check(script.statements, at: place, isTopLevel: true)
    while !bodies.isEmpty {
      let bodies = bodies
      self.bodies = []
      for body in bodies { check(body, at: place) }
    }
    reportMissingScripts()
    reportImpossibleNames()
    reportTakenNames()
    if !scripts.areUnknown {
      let deferred = deferred
      for check in deferred { check(&self) }
      if setting.warnsUnused {
        warnUnused(place.scope, of: script.source, except: later.reads)
      }
    }
    if !setting.warnsUnused { findings.removeAll { $0.is(.unusedVariable) } }
    return place.scope
  }

  /// The body of a definition that is checked later.
  private struct Body {
    let definition: Definition
    let source: SourceText
    let statement: Int
    /// The commands that were replaced when it was defined.
    let replaced: Set<String>
  }

  /// Has the body of a definition checked at the end.
  mutating func deferBody(_ definition: Definition, at place: Place) {
    bodies.append(
      Body(
        definition: definition, source: place.source, statement: place.statement,
        replaced: words.replaced))
  }

  private mutating func check(_ body: Body, at place: Place) {
    words.replaced = body.replaced
    let definition = body.definition
    let statements = definition.block.statements
    let inner = place.inBlock {
      $0.source = body.source
      $0.statement = body.statement
      $0.scope = VariableScope(parent: place.scope, isCall: true)
      $0.definition = definition.name.text
      ($0.isLater, $0.readsLater, $0.isRepeated) = (true, true, true)
      $0.isCertain = runsThrough(statements, at: $0)
    }
    for parameter in definition.parameters {
      inner.scope.define(parameter.name, body.source)
      note(parameter.name.text, is: .unknown)
    }
    symbols.events.begin()
    check(statements, at: inner)
    symbols.events.end(.definition(definition.name.text), isInline: false)
    if setting.warnsUnused { warnUnused(inner.scope, of: body.source) }
  }

  /// Has something checked once all variables and names are known.
  mutating func whenKnown(_ check: @escaping (inout ScriptWalk) -> Void) {
    if facts != nil { deferred.append(check) }
  }

  /// Notes what a variable was given.
  mutating func note(_ name: String, is kind: StaticKind, text: String? = nil) {
    variables[name, default: VariableFacts()].note(kind, text: text)
  }

  /// Returns whether the stack has room for another level; reports, once, that it has not.
  mutating func hasRoom(for range: SourceRange, at place: Place) -> Bool {
    guard CallStack.isNearlyFull else { return true }
    if !findings.contains(where: { $0.is(.tooDeep) }) {
      report(
        .tooDeep, "too many levels inside each other for this thread", range, at: place,
        help: Parser.helpForDepth)
    }
    return false
  }

  mutating func report(
    _ page: ErrorPage, _ message: String, _ range: SourceRange, at place: Place,
    labels: [Diagnostic.Label] = [], help: String? = nil, severity: Diagnostic.Severity = .error
  ) {
    add(
      Diagnostic(
        page, message, source: place.source, range: range, labels: labels, help: help,
        severity: severity), at: place)
  }

  mutating func add(_ finding: Diagnostic, at place: Place) {
    findings.append(place.placed(finding))
  }

  /// Changes what a check has found, and returns it with nil where it is to be forgotten.
  mutating func check(
    _ check: (inout ScriptWalk) -> Void, changing change: (Diagnostic) -> Diagnostic?
  ) {
    let count = findings.count
    check(&self)
    findings.replaceSubrange(count..., with: findings[count...].compactMap(change))
  }

  /// Warns of the variables of a block that nothing reads; `text` is that of the block.
  mutating func warnUnused(
    _ scope: VariableScope, of text: SourceText, except read: Set<String> = []
  ) {
    // What an included script sets may be for others that include it.
    let unused = scope.unread.filter {
      !read.contains($0.name.text) && $0.source.isSame(as: text)
    }
    for variable in unused.sorted(by: { $0.name.range.lower < $1.name.range.lower }) {
      findings.append(
        Diagnostic(
          .unusedVariable, "'\(variable.name.text)' is never read", source: variable.source,
          range: variable.name.range, severity: .warning))
    }
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
  @discardableResult
  mutating func read(_ name: String) -> Bool {
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
