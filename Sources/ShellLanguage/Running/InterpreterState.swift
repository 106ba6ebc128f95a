import Locking

/// What all contexts of one interpreter share.
final class InterpreterState: Sendable {
  let host: any CommandHost
  let environment: [String: String]
  private let commands = Locked<[String: DefinedCommand]>([:])

  init(host: any CommandHost, environment: [String: String]) {
    self.host = host
    self.environment = environment
  }

  private let aliasTexts = Locked<[String: String]>([:])

  var aliases: [String: String] { aliasTexts.withLock { $0 } }

  /// Sets an alias, which replaces a definition of that name, or forgets it; returns whether there
  /// was an alias of that name.
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
