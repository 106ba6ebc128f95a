import OpshLocking

/// The meanings of words as commands, as far as they are known before a script runs.
struct WordMeanings {
  /// The commands that definitions have defined so far.
  private(set) var definitions: [String: CommandSignature] = [:]
  /// The aliases so far, with what they stand for.
  private(set) var aliases: [String: String] = [:]
  /// The definitions further down, which blocks that run later can use already.
  private(set) var later: [String: (signature: CommandSignature, name: Spot)] = [:]
  /// The commands that a definition or an alias certainly replaces at the place.
  ///
  /// Each deferred body keeps a copy, so other words are not in it.
  var replaced: Set<String> = []
  /// How many statements give each word a meaning, or take one back.
  private var counts: [String: Int] = [:]
  /// The words of such statements in blocks, which may run or not, and more than once.
  private var nested: Set<String> = []
  /// The words that may be aliases.
  private var aliasNames: Set<String> = []
  /// Whether a definition includes a script that is not known, so that any word can get a meaning.
  var isOpen = false

  init(definitions: [CommandSignature], aliases: [String: String], in catalog: CommandCatalog) {
    self.aliases = aliases
    for signature in definitions { self.definitions[signature.name] = signature }
    for name in definitions.map(\.name) { note(name) }
    for name in aliases.keys { note(name, isAlias: true) }
    replaced = Set(counts.keys.filter(catalog.hasCommand))
  }

  /// Notes a statement, wherever it is, that gives a word a meaning or takes one back.
  mutating func note(_ name: String, isAlias: Bool = false, isNested: Bool = false) {
    counts[name, default: 0] += 1
    if isAlias { aliasNames.insert(name) }
    if isNested { nested.insert(name) }
  }

  /// Notes a definition of the top level of a script.
  mutating func note(later definition: Definition, _ source: SourceText) {
    later[definition.name.text] = (
      DefinedCommand.signature(of: definition), Spot(source: source, range: definition.name.range)
    )
  }

  mutating func define(_ signature: CommandSignature) {
    counts[signature.name, default: 0] += 0
    definitions[signature.name] = signature
    aliases[signature.name] = nil
  }

  mutating func define(alias name: String, as text: String) {
    counts[name, default: 0] += 0
    aliases[name] = text
    definitions[name] = nil
  }

  /// Notes that `unalias` gives names back.
  mutating func forget(aliases arguments: ArraySlice<Argument>) {
    for argument in arguments {
      guard let name = argument.constant else {
        for name in aliases.keys { note(name, isNested: true) }
        return
      }
      aliases[name] = nil
      replaced.remove(name)
    }
  }

  /// Returns whether some definition or alias has the name.
  func hasMeaning(_ name: String) -> Bool { counts[name] != nil }

  /// Returns whether a definition or an alias may have the name.
  func has(_ name: String) -> Bool { isOpen || hasMeaning(name) }

  /// Returns whether a word that is no command here may be one when it runs.
  func mayBeCommand(_ name: String, at place: Place) -> Bool {
    isOpen || nested.contains(name) || place.isLater && aliasNames.contains(name)
  }

  /// Returns whether a word may be an alias.
  func mayBeAlias(_ name: String) -> Bool { aliasNames.contains(name) }

  /// Returns whether only running shows the meaning of a word; a block that runs later may run at
  /// any time.
  func isUncertain(_ name: String, at place: Place, in catalog: CommandCatalog) -> Bool {
    guard let count = counts[name] else { return false }
    let isCommand = catalog.hasCommand(name)
    if nested.contains(name) { return isCommand || count > 1 }
    return place.isLater && (count > 1 || (isCommand && !replaced.contains(name)))
  }

  /// Returns the definition that a word means at a place.
  func definition(_ name: String, at place: Place) -> CommandSignature? {
    definitions[name] ?? (place.isLater ? later[name]?.signature : nil)
  }
}

/// The meaning of the first words of a command.
enum CommandMeaning {
  /// Only running shows it.
  case uncertain(String)
  /// A definition.
  case definition(String, CommandSignature)
  /// An alias, written out; nil where it cannot be.
  case alias(AliasExpansion?)
  /// A command of the host.
  case command(ResolvedCall, CommandCall)
  /// Nothing.
  case unknown(CommandCatalog.Match)
}

extension Place {
  /// Returns what a command means; `isOriginal` says that it is the host's, whatever has its name.
  func meaning(of command: CommandStatement, isOriginal: Bool = false) -> CommandMeaning {
    if !isOriginal, let name = command.arguments[0].bareText, known.words.hasMeaning(name) {
      if known.words.isUncertain(name, at: self, in: catalog) { return .uncertain(name) }
      if let signature = known.words.definition(name, at: self) {
        return .definition(name, signature)
      }
      if let text = known.words.aliases[name] {
        return .alias(
          expansions.count < 100
            ? AliasExpansion(name, text, in: command.arguments, command.range, of: source) : nil)
      }
    }
    let resolved = command.resolved(in: source, catalog)
    guard let call = resolved.call else { return .unknown(resolved.match) }
    return .command(resolved, call)
  }

  /// Returns the call of a command of the host that a statement certainly is.
  func call(of statement: Statement) -> CommandCall? {
    guard let command = statement.command, case .command(_, var call) = meaning(of: command)
    else { return nil }
    call.inheritedOptions = nil
    return call
  }

  /// Notes what a script defines, wherever it is; `isNested` says that the script runs in a block.
  func collectLater(_ script: Script, isNested: Bool) {
    // One that was first found in a block may also be read at the top level.
    let before = known.scripts.collected[script.source.name]
    guard before == nil || before == true && !isNested, !CallStack.isNearlyFull else { return }
    known.scripts.collected[script.source.name] = isNested
    for statement in script.statements {
      switch statement.kind {
      case .definition(let definition): known.words.note(later: definition, script.source)
      case .assignment(let assignment):
        known.later.add(assignment.name, script.source, isNested: isNested)
      default: break
      }
    }
    collect(script.statements, script.source, isNested: isNested, isInDefinition: false)
  }

  /// Notes what statements give a meaning.
  private func collect(
    _ statements: [Statement], _ source: SourceText, isNested: Bool, isInDefinition: Bool
  ) {
    for statement in statements {
      var isInDefinition = isInDefinition
      if case .definition(let definition) = statement.kind {
        known.words.note(definition.name.text, isNested: isNested)
        isInDefinition = true
      } else if let command = statement.command {
        collect(command, source, isNested: isNested, isInDefinition: isInDefinition)
      }
      for block in statement.blocks {
        collect(block.statements, source, isNested: true, isInDefinition: isInDefinition)
      }
    }
  }

  private func collect(
    _ command: CommandStatement, _ source: SourceText, isNested: Bool, isInDefinition: Bool
  ) {
    let call = command.resolved(in: source, catalog)
    guard case .command(let signature, _) = call.match else { return }
    let arguments = call.arguments
    if signature.is(.definesAlias), arguments.count > 1, let name = arguments.first?.bareText {
      known.words.note(name, isAlias: true, isNested: isNested)
    } else if signature.is(.removesAlias) {
      for name in arguments.compactMap(\.constant) {
        known.words.note(name, isAlias: true, isNested: isNested)
      }
    } else if signature.is(.includesScript) {
      // What a script defines can be used before its place by blocks that run later; a definition
      // may be called before its body is checked.
      if let path = arguments.first?.constant, let script = try? setting.include?(path, source) {
        collectLater(script, isNested: isNested)
      } else if isInDefinition {
        known.words.isOpen = true
      }
    }
  }
}
