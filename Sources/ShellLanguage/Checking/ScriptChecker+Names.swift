extension ScriptChecker {
  /// Notes which names a call makes and which it uses.
  func noteNames(
    of signature: CommandSignature, _ result: ArgumentBinder.Result
  ) {
    // What a 'def' makes, the statements in it make.
    guard let facts, definition(named: signature.fullName) == nil else { return }
    let call = HostFacts.Call(
      signature: signature, positionals: result.positionals, options: result.options)
    for (namespace, name) in facts.names(call) {
      ledger.make(namespace, name, statement: statementNumber, isRepeated: repeatDepth > 0)
    }
    guard attemptDepth == 0 else { return }
    for positional in signature.positionals {
      if case .name(let namespace) = positional.kind {
        use(result.positionals[positional.name] ?? [], namespace, signature)
      }
    }
    for option in signature.options {
      if case .name(let namespace)? = option.kind {
        use(result.options[option.name] ?? [], namespace, signature)
      }
    }
  }

  private func use(
    _ arguments: [BoundArgument], _ namespace: String, _ signature: CommandSignature
  ) {
    guard let facts, facts.existing[namespace] != nil else { return }
    for argument in arguments {
      guard case .value(.string(let text)) = argument.content else { continue }
      for name in text.split(separator: ",") {
        guard let first = name.utf8.first, first.isLetter, !GlobPattern.isPattern(String(name)),
          !facts.isNoName(signature, String(name))
        else { continue }
        noteUse([namespace], String(name), argument.range)
      }
    }
  }

  /// Notes that a bare word before a dot names an operation or a queue.
  func noteObject(_ name: String, _ range: SourceRange) {
    guard let facts, attemptDepth == 0, name.utf8.first?.isLetter == true else { return }
    if let context = expressionContext, facts.shapes[context]?[name] != nil { return }
    if name == "last" { return }
    noteUse(Array(facts.existing.keys), name, range)
  }

  private func noteUse(_ namespaces: [String], _ name: String, _ range: SourceRange) {
    ledger.use(
      NameLedger.Use(
        namespaces: namespaces, name: name, range: range, source: source,
        statement: statementNumber, isDeferred: laterDepth > 0))
  }

  /// Reports the names that nothing makes.
  func reportImpossibleNames() {
    guard let facts, checksNames, !hasUnknownNames else { return }
    for (use, near) in ledger.impossible(existing: facts.existing) {
      let isObject = use.namespaces.count > 1
      let what = isObject ? "name" : use.namespaces.first ?? "name"
      diagnostics.append(
        Diagnostic(
          code: "unknown-\(what)",
          message: isObject
            ? "nothing is named '\(use.name)', and no statement makes it"
            : "there is no \(what) '\(use.name)', and no statement makes it",
          source: use.source, range: use.range, help: Spelling.help(near) ?? helpForUnknown(what)))
    }
  }

  private func helpForUnknown(_ what: String) -> String? {
    switch what {
    case "queue": "'queue new NAME' makes one"
    case "operation": "'--name' gives an operation its name"
    default: nil
    }
  }
}
