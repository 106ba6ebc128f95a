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
        help: "its path is relative to the script that names it")
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

  /// The variables that the top level of a script makes, with those of the scripts that it includes
  /// there.
  func variables(of script: Script) -> Set<String> {
    var (names, seen): (Set<String>, Set<String>) = ([], [])
    addVariables(of: script, to: &names, &seen)
    return names
  }

  private func addVariables(
    of script: Script, to names: inout Set<String>, _ seen: inout Set<String>
  ) {
    guard seen.insert(script.source.name).inserted else { return }
    for statement in script.statements {
      var command: CommandStatement?
      switch statement.kind {
      case .command(let own): command = own
      case .assignment(let assignment):
        names.insert(assignment.name.text)
        if case .command(let own) = assignment.source { command = own }
      default: break
      }
      guard let call = command?.resolved(in: script.source, catalog),
        case .command(let signature, _) = call.match, signature.is(.includesScript),
        let path = call.arguments.first?.constant,
        let inner = try? include?(path, script.source)
      else { continue }
      addVariables(of: inner, to: &names, &seen)
    }
  }
}
