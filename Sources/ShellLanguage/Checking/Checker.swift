import Locking

/// Finds everything that can be known to be wrong with a script without running it.
public enum Checker: Sendable {
  /// How far the names of operations and queues are checked.
  public enum NameCheck: Sendable {
    /// Not at all: other statements may make what these use.
    case none
    /// What is certainly a mistake, if the script is all that makes names.
    case mistakes
    /// Also, as a warning, what a script may ask for only to see that it is not there.
    case all
  }

  /// Checks a script.
  ///
  /// Nothing is run and nothing is opened, except that `include` may read other scripts.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - catalog: The commands there are.
  ///   - knownVariables: Variables that exist already, in addition to those the script makes.
  ///   - definitions: Commands that scripts have defined already.
  ///   - aliases: Words that stand for the beginning of a command.
  ///   - warnsUnused: Whether a variable that nothing reads is worth a warning; not so for a
  ///     statement of a session that goes on.
  ///   - facts: What the host knows about its commands and things.
  ///   - names: How far the names that it uses must be among those it makes.
  ///   - keepsGoing: Whether the script goes on after a statement that fails.
  ///   - inheritsOptions: Whether it runs where commands may have options of what is around it.
  ///   - include: Returns the script that `source PATH` would run, or nil if that is not known;
  ///     throws an `UnplacedError` or a `Diagnostic` where it cannot be read.
  ///   - noteText: Called with the name of a variable or a parameter and a text written out that it
  ///     gets, or may get.
  /// - Returns: What is wrong, in order of place, with what reading the script found.
  public static func check(
    _ script: Script, catalog: CommandCatalog, knownVariables: Set<String> = [],
    definitions: [CommandSignature] = [], aliases: [String: String] = [:],
    warnsUnused: Bool = true, facts: HostFacts? = nil, names: NameCheck = .none,
    keepsGoing: Bool = false, inheritsOptions: Bool = false,
    include: ((_ path: String, _ from: SourceText) throws -> Script?)? = nil,
    noteText: @escaping (_ name: String, _ text: String) -> Void = { _, _ in }
  ) -> [Diagnostic] {
    let checker = ScriptChecker(
      catalog: catalog, knownVariables: knownVariables, definitions: definitions,
      facts: facts, names: names, include: include)
    checker.aliases = aliases
    checker.keepsGoing = keepsGoing
    checker.inheritsOptions = inheritsOptions
    checker.noteText = noteText
    for name in aliases.keys { checker.meanings.noteExisting(name, isAlias: true, in: catalog) }
    checker.check(script)
    checker.finish(warnsUnused: warnsUnused)
    let found = (script.diagnostics + checker.diagnostics).enumerated().sorted {
      // What stands in included scripts keeps the place where it was found.
      let left = $0.element.source.isSame(as: script.source) ? $0.element.range.lower : Int.max
      let right = $1.element.source.isSame(as: script.source) ? $1.element.range.lower : Int.max
      return (left, $0.offset) < (right, $1.offset)
    }.map(\.element)
    guard let facts, found.contains(where: { $0.severity == .error }) else { return found }
    let corrector = LineCorrector(
      catalog: catalog, variables: Set(checker.globals.visibleNames),
      definitions: Array(checker.definitions.values), aliases: checker.aliases,
      facts: facts.adding(checker.symbols.names))
    return corrector.correcting(found)
  }
}

/// The variables that a block has, while it is being checked.
final class CheckedScope {
  final class Variable {
    let name: Name
    let source: SourceText
    /// Whether it is of the kind whose never being read is worth a warning.
    let isAssigned: Bool
    var isRead = false

    init(name: Name, source: SourceText, isAssigned: Bool) {
      self.name = name
      self.source = source
      self.isAssigned = isAssigned
    }
  }

  let parent: CheckedScope?
  /// Whether the block runs on another thread, and variables further out cannot be assigned.
  let isBoundary: Bool
  /// Whether it is that of a call of a `def`, which assigns no variable further out.
  let isCall: Bool
  private(set) var variables: [String: Variable] = [:]
  /// Where a call first reads a variable that lives outside of it.
  private var outerReads: [String: Diagnostic.Label] = [:]
  private var given: Set<String>

  init(
    parent: CheckedScope?, isBoundary: Bool = false, isCall: Bool = false, given: Set<String> = []
  ) {
    self.parent = parent
    self.isBoundary = isBoundary
    self.isCall = isCall
    self.given = given
  }

  var visibleNames: [String] {
    (parent?.visibleNames ?? []) + given + variables.keys
  }

  /// Notes that a variable is read, perhaps at a place; false if there is none.
  func read(_ name: String, at place: (SourceRange, SourceText)? = nil) -> Bool {
    var scope: CheckedScope? = self
    var call: CheckedScope?
    while let current = scope {
      let variable = current.variables[name]
      if variable != nil || current.given.contains(name) {
        variable?.isRead = true
        if let call, let (range, source) = place, call.outerReads[name] == nil {
          call.outerReads[name] = .init(
            "this reads the variable outside", source: source, range: range)
        }
        return true
      }
      if current.isCall { call = current }
      scope = current.parent
    }
    return false
  }

  /// Where the call around it has read a variable that lives outside of the call.
  func outerRead(of name: String) -> Diagnostic.Label? {
    isCall ? outerReads[name] : parent?.outerRead(of: name)
  }

  func define(_ name: Name, _ source: SourceText, isAssigned: Bool) {
    variables[name.text] = Variable(name: name, source: source, isAssigned: isAssigned)
  }

  func give(_ name: String) { given.insert(name) }

  /// Makes a variable of a script live here, or in the call of a `def`, unless there is one of that
  /// name; the script has been checked elsewhere.
  func giveIncluded(_ name: String) {
    var scope: CheckedScope? = self
    var home = self
    while let current = scope {
      if current.knows(name) { return }
      if current.isCall { home = current }
      scope = current.parent
    }
    home.give(name)
  }

  enum Assignment {
    case done
    /// It is new in a call of a `def`, and one of that name lives outside of the call.
    case local(Variable?)
    /// It lives further out, where another thread is; made here, if a script makes it.
    case captured(Variable?)
  }

  /// Assigns where the variable lives, or makes it live here, or in the call of a `def`.
  func assign(_ name: Name, _ source: SourceText) -> Assignment {
    var scope: CheckedScope? = self
    var isOutside = false
    while let current = scope {
      if current.knows(name.text) {
        return isOutside ? .captured(current.variables[name.text]) : .done
      }
      if current.isBoundary { isOutside = true }
      scope = current.parent
      if current.isCall, !isOutside {
        current.define(name, source, isAssigned: true)
        return scope?.knows(name.text) == true ? .local(scope?.variables[name.text]) : .done
      }
    }
    define(name, source, isAssigned: true)
    return .done
  }

  /// Whether a variable of that name lives here.
  private func knows(_ name: String) -> Bool { given.contains(name) || variables[name] != nil }
}

/// Walks through a script and collects what is wrong.
final class ScriptChecker {
  let catalog: CommandCatalog
  let include: ((String, SourceText) throws -> Script?)?
  let facts: HostFacts?
  let names: Checker.NameCheck
  /// Whether the script goes on after a statement that fails.
  var keepsGoing = false
  /// Whether what is around the place may give commands options that they lack, or what follows an
  /// alias does.
  var inheritsOptions = false
  /// Called with texts written out that variables and parameters get.
  var noteText: (_ name: String, _ text: String) -> Void = { _, _ in }
  let globals: CheckedScope
  var diagnostics: [Diagnostic] = []
  /// The commands defined so far.
  var definitions: [String: CommandSignature] = [:]
  /// The name of the definition whose body is looked at.
  var definitionName: String?
  /// The aliases there are so far.
  var aliases: [String: String] = [:]
  /// The places of definitions further down, which blocks that run later can use already.
  var laterDefinitions: [String: (signature: CommandSignature, name: Name, source: SourceText)] =
    [:]
  /// What definitions and aliases give meanings to, those further down included.
  var meanings = WordMeanings()
  /// How many aliases inside each other are being looked at.
  var aliasDepth = 0
  /// The aliases written out of which something is still to be looked at.
  var expansions: [AliasExpansion] = []
  /// The variables of the top level further down, in the same way; `isNested` says that the script
  /// that makes one is read in a block.
  var laterVariables: [String: (name: Name, source: SourceText, isNested: Bool)] = [:]
  /// Those of them that such a block reads.
  var laterReads: Set<String> = []
  /// Bodies of definitions, which are checked when everything at the top level is known.
  private var pendingBodies: [PendingBody] = []
  /// Whether a script has been included that could not be read here, so that any name can exist.
  var hasUnknownNames = false {
    didSet { unknownFrom = min(unknownFrom ?? statementNumber, statementNumber) }
  }
  /// The first statement after which any name can exist.
  private(set) var unknownFrom: Int?
  private var included: Set<String> = []
  /// The scripts of which is noted what they define, and whether only blocks read them.
  var collected: [String: Bool] = [:]
  /// The script that includes the others.
  private var main = SourceText(name: "", text: "")
  var source = SourceText(name: "", text: "")
  /// How many blocks that run later are around the place.
  var laterDepth = 0
  /// How many of these are bodies, which read variables as they were when they were built.
  var bodyDepth = 0
  /// How many blocks that may run several times are around it.
  var repeatDepth = 0
  /// How many of these run more than once for certain, with every statement in them.
  var certainRepeatDepth = 0
  /// How many of the blocks around it run at once where they stand, or are the body that is looked at.
  var blocksAtOnce = 0
  /// The calls whose blocks these are.
  var enclosing: [CheckedCall] = []
  /// How many blocks of a `try` are around it, where an error may be what is wanted.
  var attemptDepth = 0
  /// How many blocks of an `if` are around it.
  var conditionDepth = 0
  /// Whether some block is around it.
  private var isInBlock: Bool {
    conditionDepth > 0 || repeatDepth > 0 || attemptDepth > 0 || laterDepth > 0
  }
  /// What `$self` is at the place.
  var selfKind = StaticKind.unknown
  /// Calls that wait until it is known what their variables are throughout.
  var constantCalls: [ConstantCall] = []
  /// The scripts that cannot be read now, and the first statement that may write a file.
  var missingScripts: [MissingScript] = []
  var firstWriter: Int?
  /// Which statement of the top level it belongs to.
  var statementNumber = 0
  /// The shape whose properties bare words are at the place.
  var expressionContext: String?
  /// What variables are given, by name.
  var variables: [String: VariableFacts] = [:]
  /// What waits until all variables are known.
  var deferredChecks: [DeferredCheck] = []
  /// What else a path that no property ends can be at the place.
  var pathLeniency = PathLeniency.none
  /// The patterns of names whose operations are counted.
  var countedPatterns: [(pattern: String, range: SourceRange, source: SourceText)] = []
  /// The names before a dot in `${name.property}` that a variable has.
  var references: [Reference] = []
  var symbols = SymbolTable()

  init(
    catalog: CommandCatalog, knownVariables: Set<String>, definitions: [CommandSignature],
    facts: HostFacts?, names: Checker.NameCheck,
    include: ((String, SourceText) throws -> Script?)?
  ) {
    self.facts = facts
    self.names = names
    self.catalog = catalog
    self.include = include
    self.globals = CheckedScope(parent: nil, given: knownVariables)
    for signature in definitions {
      self.definitions[signature.name] = signature
      meanings.noteExisting(signature.name, in: catalog)
    }
    for name in knownVariables { note(name, is: .unknown) }
  }

  /// Whether the stack has room for another level; reports, once, that it has not.
  func hasRoom(for range: SourceRange) -> Bool {
    guard CallStack.isNearlyFull else { return true }
    if !diagnostics.contains(where: { $0.is(.tooDeep) }) {
      report(
        .tooDeep, "too many levels inside each other for this thread", range,
        help: Parser.helpForDepth)
    }
    return false
  }

  func check(_ script: Script, in scope: CheckedScope? = nil) {
    let outer = source
    source = script.source
    if included.isEmpty { main = script.source }
    let scope = scope ?? globals
    collectLater(script, isNested: !included.isEmpty && (scope !== globals || isInBlock))
    // The statements of an included script belong to the one that includes it.
    check(script.statements, in: scope, isTopLevel: included.isEmpty)
    source = outer
  }

  func finish(warnsUnused: Bool) {
    symbols.nameEvents.endScript()
    laterDepth += 1
    repeatDepth += 1
    while !pendingBodies.isEmpty {
      let bodies = pendingBodies
      pendingBodies = []
      for body in bodies {
        source = body.source
        definitionName = body.definition.name.text
        statementNumber = body.statement
        meanings.replaced = body.replaced
        let scope = CheckedScope(parent: globals, isCall: true)
        for parameter in body.definition.parameters {
          scope.define(parameter.name, source, isAssigned: false)
          note(parameter.name.text, is: .unknown)
        }
        let start = symbols.nameEvents.events.count
        let statements = body.definition.block.statements
        blocksAtOnce = runsThrough(statements) ? 1 : 0
        check(statements, in: scope)
        symbols.nameEvents.endBody(.definition(body.definition.name.text), since: start)
        if warnsUnused { warnUnused(scope, of: source) }
      }
    }
    definitionName = nil
    blocksAtOnce = 0
    reportMissingScripts()
    reportImpossibleNames()
    reportImpossiblePatterns()
    reportTakenNames()
    runDeferredChecks()
    reportAmbiguousNames()
    reportImpossibleConstants()
    placeAliases()
    if warnsUnused && !hasUnknownNames { warnUnused(globals, of: main) }
    if !warnsUnused { diagnostics.removeAll { $0.is(.unusedVariable) } }
  }

  /// The body of a definition that is checked later.
  private struct PendingBody {
    let definition: Definition
    let source: SourceText
    let statement: Int
    /// The commands that were replaced when it was defined.
    let replaced: Set<String>
  }

  func deferBody(_ definition: Definition) {
    pendingBodies.append(
      PendingBody(
        definition: definition, source: source, statement: statementNumber,
        replaced: meanings.replaced))
  }

  /// Checks the script that `source` would run, as if it stood here.
  ///
  /// - Parameters:
  ///   - path: The path, as it is written.
  ///   - argument: Where that stands.
  ///   - range: Where the statement stands.
  ///   - scope: Where it stands too; what the script makes lives there, or in the call of a `def`.
  func checkIncluded(
    _ path: String, _ argument: SourceRange, at range: SourceRange, in scope: CheckedScope
  ) {
    let script: Script
    do {
      guard let known = try include?(path, source) else {
        hasUnknownNames = true
        return
      }
      script = known
    } catch {
      hasUnknownNames = true
      noteMissing(error, at: argument)
      return
    }
    // A script that includes itself ends somewhere, or fails when it runs.
    guard included.insert(script.source.name).inserted else {
      giveAgain(script, in: scope)
      noteCall(.script(script.source.name), argument)
      return
    }
    let found = diagnostics.count
    diagnostics += script.diagnostics
    let outer = source
    let start = symbols.nameEvents.events.count
    check(script, in: scope)
    symbols.nameEvents.endBody(.script(script.source.name), since: start)
    for index in found..<diagnostics.count {
      diagnostics[index].labels.append(
        Diagnostic.Label("read from here", source: outer, range: range))
    }
  }

  /// Warns of the variables of a block that nothing reads; `text` is that of the block.
  func warnUnused(_ scope: CheckedScope, of text: SourceText) {
    let unused = scope.variables.values.filter {
      $0.isAssigned && !$0.isRead && !$0.name.text.hasPrefix("_")
        && !(scope === globals && laterReads.contains($0.name.text))
        // What an included script sets may be for others that include it.
        && $0.source.isSame(as: text)
    }
    if unused.isEmpty { return }
    for variable in unused.sorted(by: { $0.name.range.lower < $1.name.range.lower }) {
      diagnostics.append(
        Diagnostic(
          .unusedVariable, "'\(variable.name.text)' is never read", source: variable.source,
          range: variable.name.range, severity: .warning))
    }
  }

  func report(
    _ page: ErrorPage, _ message: String, _ range: SourceRange, labels: [Diagnostic.Label] = [],
    help: String? = nil, severity: Diagnostic.Severity = .error
  ) {
    diagnostics.append(
      Diagnostic(
        page, message, source: source, range: range, labels: labels, help: help, severity: severity)
    )
  }
}

extension ErrorPage {
  static let unusedVariable = ErrorPage(
    "unused-variable", "A variable is never read",
    "It does no harm, but often means that another name is misspelt.",
    help: "names that begin with '_' cause no such warning", wrong: "let count = 5",
    right: "let count = 5\necho $count", proof: .warning)
}
