import OpshLocking
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
  /// By the numbers of the words.
  private let meanings = Locked<[Meaning?]>([])
  /// Whether there has been any; most scripts define nothing.
  private let hasMeanings = Atomic(false)

  init(host: any CommandHost, environment: [String: String]) {
    self.host = host
    self.environment = environment
  }

  /// Creates the state of another session, in which scripts have defined the same words.
  init(host: any CommandHost, keeping other: InterpreterState) {
    self.host = host
    environment = other.environment
    let kept = other.meanings.withLock { $0 }
    meanings.withLock { $0 = kept }
    hasMeanings.store(!kept.isEmpty, ordering: .releasing)
  }

  /// Returns what a word means, if a script has defined it.
  func meaning(of symbol: Symbol) -> Meaning? {
    guard hasMeanings.load(ordering: .acquiring) else { return nil }
    return meanings.withLock { symbol.index < $0.count ? $0[symbol.index] : nil }
  }

  /// Sets what a word means, in the place of what it has meant, which is returned.
  @discardableResult
  private func set(_ symbol: Symbol, _ meaning: Meaning?) -> Meaning? {
    defer { hasMeanings.store(true, ordering: .releasing) }
    return meanings.withLock { meanings in
      let missing = symbol.index + 1 - meanings.count
      if missing > 0 { meanings.append(contentsOf: repeatElement(nil, count: missing)) }
      defer { meanings[symbol.index] = meaning }
      return meanings[symbol.index]
    }
  }

  var aliases: [String: String] {
    var aliases: [String: String] = [:]
    for (index, meaning) in meanings.withLock({ $0 }).enumerated() {
      if case .alias(let text)? = meaning { aliases[Symbol(index: index).name] = text }
    }
    return aliases
  }

  /// Sets an alias, which replaces a definition of that name.
  func setAlias(_ name: String, _ text: String) { set(Symbol(name), .alias(text)) }

  /// Forgets an alias; returns whether it was one.
  func removeAlias(_ name: String) -> Bool {
    guard let symbol = Symbol.known(name), case .alias? = meaning(of: symbol) else { return false }
    if case .alias? = set(symbol, nil) { return true }
    return false
  }

  /// Keeps a definition, which replaces an alias of that name.
  func define(_ command: DefinedCommand) {
    set(command.definition.name.symbol, .definition(command))
  }

  func definedCommand(_ name: String) -> DefinedCommand? {
    guard let symbol = Symbol.known(name), case .definition(let command)? = meaning(of: symbol)
    else { return nil }
    return command
  }

  var definedSignatures: [CommandSignature] {
    meanings.withLock { $0 }.compactMap { meaning in
      if case .definition(let command)? = meaning { command.signature } else { nil }
    }.sorted { $0.name < $1.name }
  }
}
