import OpshLocking

/// A place in a script, which checks what stands there: its text, and what is around it.
///
/// The inside of a block is a copy with changes.
struct Place {
  /// What is known of the whole script.
  unowned let known: ScriptFacts
  /// The text that it is in.
  var source: SourceText
  /// The variables there.
  var scope: VariableScope
  /// The number of the statement of the top level that it belongs to.
  var statement = 0
  /// The aliases that are written out around it, the outermost first.
  var expansions: [AliasExpansion] = []
  /// The calls whose blocks are around it and run at once, the outermost first.
  var enclosing: [CommandCall] = []
  /// The name of the definition whose body it is in.
  var definition: String?
  /// The kind of `$self`.
  var selfKind = StaticKind.unknown
  /// The shape whose properties bare words are.
  var context: String?
  /// The meanings of a path that ends in no property of its value.
  var leniency = PathLeniency.none
  /// Whether it certainly runs, once or in each turn of a loop.
  var isCertain = true
  /// Whether it certainly runs a second time, in a loop.
  var isInLoop = false
  /// Whether it may run a second time.
  var isRepeated = false
  /// Whether it is in the block of a `try`, where an error may be what is wanted.
  var isAttempted = false
  /// Whether it is in a block of any kind.
  var isInBlock = false
  /// Whether it runs later than it stands: in a handler, a body or a definition.
  var isLater = false
  /// Whether it is in a block that runs later and is no body: those read variables when they run.
  var readsLater = false
  /// Whether it is asked as of a moment of the past.
  var looksBack = false
  /// Whether what is around it may give commands options that they lack, or what follows an alias.
  var inheritsOptions = false

  /// Creates the top level of a script.
  init(in source: SourceText, _ scope: VariableScope, known: ScriptFacts) {
    self.known = known
    self.source = source
    self.scope = scope
    inheritsOptions = known.setting.inheritsOptions
  }

  var setting: ScriptFacts.Setting { known.setting }
  var catalog: CommandCatalog { known.setting.catalog }
  var facts: HostFacts? { known.setting.facts }

  /// The other meanings of a path that ends in no property of its value.
  enum PathLeniency {
    /// It has none.
    case none
    /// In `$name.json`, a value with a text after it.
    case text
    /// On the left of `??`, an absent key of a record.
    case absent
  }

  /// Returns the place with changes.
  func with(_ change: (inout Place) -> Void) -> Place {
    var place = self
    change(&place)
    return place
  }

  /// Returns the inside of a block at the place, with further changes.
  func inBlock(_ change: (inout Place) -> Void) -> Place {
    with {
      $0.isInBlock = true
      change(&$0)
    }
  }

  /// The inside of a block that runs only under a condition.
  var branch: Place { inBlock { $0.isCertain = false } }

  /// Returns the place inside an alias that is written out.
  func inside(_ expansion: AliasExpansion) -> Place {
    with {
      $0.source = expansion.source
      $0.expansions.append(expansion)
      $0.isCertain = false
    }
  }

  /// Returns where a range of the text at the place is in the script.
  func spot(_ range: SourceRange) -> Spot {
    let (source, range) = expansions.reversed().reduce((source, range)) { $1.placed($0.0, $0.1) }
    return Spot(source: source, range: range)
  }
}

extension Place {
  func report(
    _ page: ErrorPage, _ message: String, _ range: SourceRange, labels: [Diagnostic.Label] = [],
    help: String? = nil, severity: Diagnostic.Severity = .error
  ) {
    add(
      Diagnostic(
        page, message, source: source, range: range, labels: labels, help: help, severity: severity)
    )
  }

  func add(_ finding: Diagnostic) { known.findings.append(placed(finding)) }

  /// Returns an error with its place in the script instead of in aliases.
  func placed(_ diagnostic: Diagnostic) -> Diagnostic {
    expansions.reversed().reduce(diagnostic) { $1.placed($0) }
  }

  /// Changes what a check finds; nil forgets it.
  func findings(of check: () -> Void, changing change: (Diagnostic) -> Diagnostic?) {
    let count = known.findings.count
    check()
    known.findings.replaceSubrange(count..., with: known.findings[count...].compactMap(change))
  }

  /// Returns whether the stack has room for another level; reports, once, that it has not.
  func hasRoom(for range: SourceRange) -> Bool {
    guard CallStack.isNearlyFull else { return true }
    if !known.findings.contains(where: { $0.is(.tooDeep) }) {
      report(
        .tooDeep, "too many levels inside each other for this thread", range,
        help: Parser.helpForDepth)
    }
    return false
  }

  /// Warns of the variables of a block that nothing reads.
  func warnUnused(except read: Set<String> = []) {
    // What an included script sets may be for others that include it.
    let unused = scope.unread.filter {
      !read.contains($0.name.text) && $0.source.isSame(as: source)
    }
    for variable in unused.sorted(by: { $0.name.range.lower < $1.name.range.lower }) {
      report(
        .unusedVariable, "'\(variable.name.text)' is never read", variable.name.range,
        severity: .warning)
    }
  }
}
