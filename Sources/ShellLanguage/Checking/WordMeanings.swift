import Locking

/// The words that definitions and aliases define, as far as that is known before a script runs.
struct WordMeanings {
  /// How many statements give each word a meaning, or take one back.
  private var counts: [String: Int] = [:]
  /// The words of such statements in blocks, which may run or not, and more than once.
  private(set) var nested: Set<String> = []
  /// The words that may be aliases.
  private(set) var aliases: Set<String> = []
  /// The commands that a definition or an alias certainly replaces at the place.
  ///
  /// Each deferred body keeps a copy, so other words are not in it.
  var replaced: Set<String> = []
  /// Whether a definition includes a script that is not known, so that any word can get a meaning.
  var isOpen = false

  mutating func note(_ name: String, isAlias: Bool = false, isNested: Bool = false) {
    counts[name, default: 0] += 1
    if isAlias { aliases.insert(name) }
    if isNested { nested.insert(name) }
  }

  /// Notes a word that has its meaning when the script begins.
  mutating func noteExisting(
    _ name: String, isAlias: Bool = false, in catalog: CommandCatalog
  ) {
    note(name, isAlias: isAlias)
    if catalog.hasCommand(name) { replaced.insert(name) }
  }

  /// Whether a definition or an alias may have the name.
  func has(_ name: String) -> Bool { isOpen || counts[name] != nil }

  /// Whether only running shows what a word means; a block that runs later may run at any time.
  func isUncertain(_ name: String, isLater: Bool, in catalog: CommandCatalog) -> Bool {
    guard let count = counts[name] else { return false }
    let isCommand = catalog.hasCommand(name)
    if nested.contains(name) { return isCommand || count > 1 }
    return isLater && (count > 1 || (isCommand && !replaced.contains(name)))
  }
}

extension ScriptChecker {
  /// Whether only running shows which command a word means at the place.
  func isUncertain(_ name: String) -> Bool {
    meanings.isUncertain(name, isLater: laterDepth > 0, in: catalog)
  }

  /// Checks a command of which it is not certain what its first word means: only its words.
  func check(uncertain name: String, _ arguments: [Argument], in scope: CheckedScope) {
    var signature: CommandSignature?
    if case .command(let known, _) = catalog.lookup(arguments) { signature = known }
    if meanings.aliases.contains(name) || signature?.is(.includesScript) == true {
      hasUnknownNames = true
    }
    for argument in arguments.dropFirst() { check(argument, in: scope, of: signature) }
    symbols.noteWait()
    guard catalog.hasCommand(name) else { return }
    for namespace in facts?.namespaces.keys.sorted() ?? [] {
      symbols.make(namespace, .anything, statement: statementNumber, isRepeated: repeatDepth > 0)
    }
    symbols.freesNames = true
    noteWriter()
  }

  /// Notes what a script defines, wherever it stands; `isNested` says that the script runs in a block.
  func collectLater(_ script: Script, isNested: Bool) {
    // One that was first found in a block may also be read at the top level.
    let known = collected[script.source.name]
    guard known == nil || known == true && !isNested, !CallStack.isNearlyFull else { return }
    collected[script.source.name] = isNested
    for statement in script.statements {
      switch statement.kind {
      case .definition(let definition):
        laterDefinitions[definition.name.text] = (
          DefinedCommand.signature(of: definition), definition.name, script.source
        )
      case .assignment(let assignment):
        if laterVariables[assignment.name.text].map({ $0.isNested && !isNested }) ?? true {
          laterVariables[assignment.name.text] = (assignment.name, script.source, isNested)
        }
      default: break
      }
    }
    collectMeanings(script.statements, script.source, isNested: isNested, isInDefinition: false)
  }

  private func collectMeanings(
    _ statements: [Statement], _ source: SourceText, isNested: Bool, isInDefinition: Bool
  ) {
    func collect(_ block: Block, inDefinition: Bool = isInDefinition) {
      collectMeanings(block.statements, source, isNested: true, isInDefinition: inDefinition)
    }
    for statement in statements {
      switch statement.kind {
      case .command(let command):
        collectMeanings(command, source, isNested: isNested, isInDefinition: isInDefinition)
      case .assignment(let assignment):
        guard case .command(let command) = assignment.source else { continue }
        collectMeanings(command, source, isNested: isNested, isInDefinition: isInDefinition)
      case .conditional(let clauses, let otherwise):
        for clause in clauses { collect(clause.block) }
        if let otherwise { collect(otherwise) }
      case .whileLoop(_, let block), .repeatLoop(_, let block), .forLoop(_, _, let block):
        collect(block)
      case .attempt(let block, _, let handler):
        collect(block)
        collect(handler)
      case .definition(let definition):
        meanings.note(definition.name.text, isNested: isNested)
        collect(definition.block, inDefinition: true)
      case .expression, .returning, .breaking, .continuing, .invalid: break
      }
    }
  }

  private func collectMeanings(
    _ command: CommandStatement, _ source: SourceText, isNested: Bool, isInDefinition: Bool
  ) {
    for case .block(let block) in command.arguments {
      collectMeanings(block.statements, source, isNested: true, isInDefinition: isInDefinition)
    }
    let call = command.resolved(in: source, catalog)
    guard case .command(let signature, _) = call.match else { return }
    let arguments = call.arguments
    if signature.is(.definesAlias), arguments.count > 1, let name = arguments.first?.bareText {
      meanings.note(name, isAlias: true, isNested: isNested)
    } else if signature.is(.removesAlias) {
      for name in arguments.compactMap(\.constant) {
        meanings.note(name, isAlias: true, isNested: isNested)
      }
    } else if signature.is(.includesScript) {
      collectInclusion(
        arguments.first?.constant, from: source, isNested: isNested, isInDefinition: isInDefinition)
    }
  }

  /// Notes what an included script defines, which blocks that run later can use before its place; a
  /// definition may be called before its body is checked.
  private func collectInclusion(
    _ path: String?, from source: SourceText, isNested: Bool, isInDefinition: Bool
  ) {
    guard let path, let script = try? include?(path, source) else {
      if isInDefinition { meanings.isOpen = true }
      return
    }
    collectLater(script, isNested: isNested)
  }

  /// Notes that `unalias` gives names back.
  func forget(aliases arguments: ArraySlice<Argument>) {
    for argument in arguments {
      guard let name = argument.constant else {
        for name in aliases.keys { meanings.note(name, isNested: true) }
        return
      }
      aliases[name] = nil
      meanings.replaced.remove(name)
    }
  }
}
