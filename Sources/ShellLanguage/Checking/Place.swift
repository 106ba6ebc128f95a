/// A place in a script: its text, and what is known of what is around it.
///
/// It is passed down to what stands there; the inside of a block is a copy with changes.
struct Place {
  /// The text that it is in.
  var source: SourceText
  /// The variables there.
  var scope: VariableScope
  /// The number of the statement of the top level that it belongs to.
  var statement = 0
  /// The aliases that are written out around it, the outermost first.
  var expansions: [AliasExpansion] = []
  /// The calls whose blocks are around it and run at once, the outermost first.
  var enclosing: [CheckedCall] = []
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
  /// Whether what is around it may give commands options that they lack, or what follows an alias.
  var inheritsOptions = false

  init(source: SourceText, scope: VariableScope) {
    self.source = source
    self.scope = scope
  }

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

  /// Returns an error with its place in the script instead of in aliases.
  func placed(_ diagnostic: Diagnostic) -> Diagnostic {
    expansions.reversed().reduce(diagnostic) { $1.placed($0) }
  }

  /// Returns where a range of the text at the place is in the script.
  func spot(_ range: SourceRange) -> Spot {
    let (source, range) = expansions.reversed().reduce((source, range)) { $1.placed($0.0, $0.1) }
    return Spot(source: source, range: range)
  }
}

/// A range of a text.
struct Spot {
  let source: SourceText
  let range: SourceRange

  /// Returns a label that marks it.
  func label(_ message: String) -> Diagnostic.Label {
    Diagnostic.Label(message, source: source, range: range)
  }

  /// Returns whether both are the same range of the same text.
  func isSame(as other: Spot) -> Bool { range == other.range && source.isSame(as: other.source) }
}
