extension ScriptChecker {
  /// A name before a dot in `${name.property}` that a variable has, and perhaps something else.
  struct Reference {
    let name: String
    let range: SourceRange
    let source: SourceText
    /// How many names were made before it; nil where it runs later than it stands.
    let order: Int?
  }

  /// Checks the lone name in `${name}` or before `??`, which is a variable.
  func checkName(_ name: String, _ range: SourceRange, in scope: CheckedScope) {
    if scope.read(name) || name == "env" || hasUnknownNames { return }
    if let context = expressionContext {
      // Nothing is known of the elements of a list.
      guard let properties = facts?.properties(of: context) else { return }
      if properties[name] != nil { return }
    }
    noteUndefined(name, range, help: helpForName(name, in: scope))
  }

  /// Whether an operation or a queue certainly has the name, as far as the script was looked at.
  func isObject(_ name: String) -> Bool {
    isOperation(name) || facts?.has(name, in: "queue") == true
      || symbols.makes(name, in: "operation") || symbols.makes(name, in: "queue")
  }

  private func helpForName(_ name: String, in scope: CheckedScope) -> String {
    if isObject(name) {
      return "for an operation or a queue write one of its properties: ${\(name).name}"
    }
    if catalog.collections.contains(name) { return helpForCollection(name) }
    if name.contains("??") { return "an operator stands between white space: ' ?? '" }
    return Spelling.help(for: name, among: scope.visibleNames) ?? Self.environmentHelp(name)
      ?? "'${name}' inserts a variable; for text, omit '${ }'"
  }

  /// Checks the name in `${name.property}`: an operation's, a queue's or a variable's.
  func checkReference(_ name: String, _ range: SourceRange, in scope: CheckedScope) {
    if name == "env" { return }
    guard scope.read(name) || (laterDepth > 0 && laterVariables[name] != nil) else {
      return noteObject(name, range, in: scope)
    }
    if laterVariables[name] != nil { laterReads.insert(name) }
    guard facts != nil, attemptDepth == 0 else { return }
    references.append(
      Reference(
        name: name, range: range, source: source, order: laterDepth > 0 ? nil : symbols.count))
  }

  /// Warns of `for op in ops`, which goes through one text.
  func warnOfCollection(_ item: Argument) {
    guard let word = item.bareText, catalog.collections.contains(word) else { return }
    report(
      .unknownCollection, "'\(word)' is only a text here", item.range,
      help: helpForCollection(word), severity: .warning)
  }

  /// Reports a pattern in a `for` that no operation's name can match, such as `*.txt`.
  func refuseFilePattern(_ item: Argument) {
    guard attemptDepth == 0, item.selectsOperations, let text = item.bareText else { return }
    let canMatch = text.utf8.allSatisfy { byte in
      byte.isNamePart || byte == .minus || byte >= 0x80 || byte == UInt8(ascii: "*")
        || byte == UInt8(ascii: "?")
    }
    guard !canMatch else { return }
    report(
      .unknownOperation, "no operation's name can match '\(text)'", item.range,
      help: "a word with a '*' is a pattern of operations; where the star is text, quote the word")
  }

  /// Reports names in `${name.property}` that a variable has, and certainly an operation or a queue.
  func reportAmbiguousNames() {
    guard let facts, names != .none, !hasUnknownNames else { return }
    for reference in references {
      let name = reference.name
      let kind = ["operation", "queue"].first { namespace in
        facts.has(name, in: namespace)
          || reference.order.map { symbols.certainlyMakes(name, in: namespace, before: $0) } == true
      }
      guard let kind else { continue }
      diagnostics.append(
        Diagnostic(
          .ambiguousName, "'\(name)' is a variable and \(kind == "queue" ? "a" : "an") \(kind)",
          source: reference.source, range: reference.range, help: Diagnostic.helpForBoth(name, kind)
        ))
    }
  }
}
