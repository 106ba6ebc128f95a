/// What checking has to know of a command at each of its calls, found out once.
final class CommandTraits: Sendable {
  /// An argument or an option that is the name of something.
  struct TakenName: Sendable {
    let argument: String
    let namespace: String
  }

  /// Whether it brings names of operations or queues into being.
  let makesNames: Bool
  /// Its arguments and options that are names of operations or queues.
  let namePositionals: [TakenName]
  let nameOptions: [TakenName]
  /// Whether it may wait for operations, or end them, so that their names are free again.
  let mayWait: Bool
  /// Whether it gives the names of queues back.
  let freesNames: Bool
  /// Whether it takes names of operations or queues.
  var usesNames: Bool { !namePositionals.isEmpty || !nameOptions.isEmpty }
  /// Whether it may write a file.
  let mayWrite: Bool
  /// Whether it hands a text to the system shell.
  let isProgram: Bool

  /// A command that a script defines does nothing of the kind but by the statements in it.
  static let ofDefinitions = CommandTraits(
    CommandSignature("def", summary: ""), facts: nil, mayWait: false)

  init(_ signature: CommandSignature, facts: HostFacts?, mayWait: Bool? = nil) {
    makesNames = facts?.makesNames(signature) ?? false
    namePositionals = signature.positionals.compactMap { TakenName($0.name, $0.kind) }
    nameOptions = signature.options.compactMap { TakenName($0.name, $0.kind) }
    self.mayWait = mayWait ?? facts?.mayWait(signature) ?? true
    freesNames = signature.path == ["queue", "remove"]
    mayWrite =
      !signature.includesScript
      && (signature.passesOptionsOn || signature.positionals.contains { $0.kind.isFile }
        || signature.options.contains { $0.kind?.isFile == true })
    isProgram = signature.path == ["!"]
  }
}

extension CommandTraits {
  /// Those of the commands of a catalogue that a script has used.
  ///
  /// There are not many, so that a dictionary would be slower.
  struct Cache {
    private var signatures: [ObjectIdentifier] = []
    private var traits: [CommandTraits] = []

    mutating func traits(of signature: CommandSignature, _ facts: HostFacts?) -> CommandTraits {
      // The catalogue keeps its signatures, so that no other can come to stand at the same place.
      let key = ObjectIdentifier(signature)
      if let index = signatures.firstIndex(of: key) { return traits[index] }
      let found = CommandTraits(signature, facts: facts)
      signatures.append(key)
      traits.append(found)
      return found
    }
  }
}

extension CommandTraits.TakenName {
  fileprivate init?(_ argument: String, _ kind: ArgumentKind?) {
    guard case .name(let namespace)? = kind else { return nil }
    self.init(argument: argument, namespace: namespace)
  }
}
