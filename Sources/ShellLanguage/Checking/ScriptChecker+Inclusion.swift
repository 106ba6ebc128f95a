extension ScriptChecker {
  /// A script that cannot be read when it is looked for.
  struct MissingScript {
    let diagnostic: Diagnostic
    let statement: Int
    let isDeferred: Bool
  }

  /// Notes that a script cannot be read; what stands before it may still write it.
  func noteMissing(_ error: any Error, at range: SourceRange) {
    guard attemptDepth == 0 else { return }
    var diagnostic: Diagnostic
    switch error {
    case let own as Diagnostic:
      diagnostic = own
      diagnostic.labels.append(.init("read from here", source: source, range: range))
    case let failure as UnplacedError:
      diagnostic = Diagnostic(
        failure.page, failure.message, source: source, range: range,
        help: failure.help ?? "its path is relative to the script that names it")
    default: return
    }
    missingScripts.append(
      MissingScript(
        diagnostic: diagnostic, statement: statementNumber, isDeferred: laterDepth > 0))
  }

  /// Notes that a file may come to be here.
  func noteWriter() {
    firstWriter = min(firstWriter ?? statementNumber, statementNumber)
  }

  /// Reports the scripts that cannot be read, unless a statement before may have written them.
  func reportMissingScripts() {
    for missing in missingScripts {
      if let firstWriter, missing.isDeferred || firstWriter <= missing.statement { continue }
      diagnostics.append(missing.diagnostic)
    }
  }

  /// Gives a scope what a script makes that was checked elsewhere, and notes what it reads there.
  func giveAgain(_ script: Script, in scope: CheckedScope) {
    var parts: [Script] = []
    addParts(of: script, to: &parts)
    for part in parts {
      for name in ShellLine.variables(in: part.source.text) { noteRead(name, in: scope) }
      for case .assignment(let assignment) in part.statements.map(\.kind) {
        scope.giveIncluded(assignment.name.text)
      }
    }
  }

  /// Notes that a variable is read, perhaps one that is made later.
  func noteRead(_ name: String, in scope: CheckedScope) {
    if !scope.read(name), laterDepth > 0, laterVariables[name] != nil { laterReads.insert(name) }
  }

  /// Adds a script, and those that its top level includes.
  private func addParts(of script: Script, to parts: inout [Script]) {
    guard !parts.contains(where: { $0.source.name == script.source.name }) else { return }
    parts.append(script)
    for statement in script.statements {
      var command: CommandStatement?
      switch statement.kind {
      case .command(let own): command = own
      case .assignment(let assignment):
        if case .command(let own) = assignment.source { command = own }
      default: break
      }
      guard let call = command?.resolved(in: script.source, catalog),
        case .command(let signature, _) = call.match, signature.is(.includesScript),
        let path = call.arguments.first?.constant,
        let inner = try? include?(path, script.source)
      else { continue }
      addParts(of: inner, to: &parts)
    }
  }
}
