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
}
