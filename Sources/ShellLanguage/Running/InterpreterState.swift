import Locking
import Synchronization

/// What all contexts of one interpreter share.
final class InterpreterState: Sendable {
  /// What scripts have made a word mean that begins a command.
  enum Meaning: Sendable {
    case definition(DefinedCommand)
    case alias(String)
  }

  let host: any CommandHost
  let environment: [String: String]
  private let meanings = Locked<[Symbol: Meaning]>([:])
  /// Whether there has been any; most scripts define nothing.
  private let hasMeanings = Atomic(false)

  init(host: any CommandHost, environment: [String: String]) {
    self.host = host
    self.environment = environment
  }

  /// Returns what a word means, if a script has defined it.
  func meaning(of symbol: Symbol) -> Meaning? {
    guard hasMeanings.load(ordering: .acquiring) else { return nil }
    return meanings.withLock { $0[symbol] }
  }

  var aliases: [String: String] {
    meanings.withLock { $0 }.reduce(into: [:]) { aliases, entry in
      if case .alias(let text) = entry.value { aliases[entry.key.name] = text }
    }
  }

  /// Sets an alias, which replaces a definition of that name.
  func setAlias(_ name: String, _ text: String) { set(Symbol(name), .alias(text)) }

  /// Forgets an alias; returns whether it was one.
  func removeAlias(_ name: String) -> Bool {
    meanings.withLock { meanings in
      guard let symbol = Symbol.known(name), case .alias? = meanings[symbol] else { return false }
      meanings[symbol] = nil
      return true
    }
  }

  /// Keeps a definition, which replaces an alias of that name.
  func define(_ command: DefinedCommand) {
    set(command.definition.name.symbol, .definition(command))
  }

  private func set(_ symbol: Symbol, _ meaning: Meaning) {
    meanings.withLock { $0[symbol] = meaning }
    hasMeanings.store(true, ordering: .releasing)
  }

  func definedCommand(_ name: String) -> DefinedCommand? {
    guard let symbol = Symbol.known(name), case .definition(let command)? = meaning(of: symbol)
    else { return nil }
    return command
  }

  var definedSignatures: [CommandSignature] {
    meanings.withLock { $0 }.values.compactMap { meaning in
      if case .definition(let command) = meaning { command.signature } else { nil }
    }.sorted { $0.name < $1.name }
  }
}
