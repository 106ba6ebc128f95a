import Locking

/// What all contexts of one interpreter share.
final class Session: Sendable {
  /// A command that a script defined.
  struct DefinedCommand: Sendable {
    let definition: Definition
    let signature: CommandSignature
    let source: SourceText

    init(_ definition: Definition, source: SourceText) {
      self.definition = definition
      self.source = source
      self.signature = Self.signature(of: definition)
    }

    static func signature(of definition: Definition) -> CommandSignature {
      CommandSignature(
        path: [definition.name.text], summary: "Defined in a script",
        positionals: definition.parameters.map {
          CommandSignature.Positional(
            $0.name.text, .any, $0.standard == nil ? .required : .optional)
        })
    }
  }

  let host: any CommandHost
  let environment: [String: String]
  let stackBudget: Int
  private let commands = Locked<[String: DefinedCommand]>([:])

  init(host: any CommandHost, environment: [String: String], stackBudget: Int) {
    self.host = host
    self.environment = environment
    self.stackBudget = stackBudget
  }

  private let aliasTexts = Locked<[String: String]>([:])

  var aliases: [String: String] { aliasTexts.withLock { $0 } }

  /// Sets an alias, which replaces a definition of that name, or forgets it.
  ///
  /// - Returns: Whether there was an alias of that name.
  @discardableResult
  func setAlias(_ name: String, _ text: String?) -> Bool {
    if text != nil { commands.withLock { $0[name] = nil } }
    return aliasTexts.withLock { aliases in
      defer { aliases[name] = text }
      return aliases[name] != nil
    }
  }

  func alias(_ name: String) -> String? { aliasTexts.withLock { $0[name] } }

  func definedCommand(_ name: String) -> DefinedCommand? { commands.withLock { $0[name] } }

  /// Keeps a definition, which replaces an alias of that name.
  func define(_ command: DefinedCommand) {
    setAlias(command.definition.name.text, nil)
    commands.withLock { $0[command.definition.name.text] = command }
  }

  var definedSignatures: [CommandSignature] {
    commands.withLock { $0.values.map(\.signature) }.sorted { $0.name < $1.name }
  }
}
