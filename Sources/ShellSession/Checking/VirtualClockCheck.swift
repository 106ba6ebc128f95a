package import ShellLanguage

/// Finds what a script does after it has chosen the virtual clock, which refuses it: programs, and
/// servers elsewhere.
///
/// Only statements of the top level count, which run for certain and one after the other.
enum VirtualClockCheck {
  static func problems(
    in script: Script, _ catalog: CommandCatalog, isVirtual: Bool, replaced: Set<String>
  ) -> [Diagnostic] {
    var isVirtual = isVirtual
    var replaced = replaced
    var found: [Diagnostic] = []
    for statement in script.statements {
      if let name = replacedName(of: statement, script.source, catalog) { replaced.insert(name) }
      guard let command = statement.command else {
        guard isVirtual else { continue }
        // What a block does depends on what happens; it may choose another clock.
        if case .expression = statement.kind { continue }
        if script.source.text(in: statement.range).contains("clock") { isVirtual = false }
        continue
      }
      guard command.arguments[0].bareText.map(replaced.contains) != true,
        let call = command.call(in: script.source, catalog),
        let type = call.signature.shellCommand
      else {
        // A command that a script defines, or an alias, may do anything.
        isVirtual = false
        continue
      }
      switch type.clockUse(of: call) {
      case .none: break
      case .setsClock(let sets): isVirtual = sets ?? false
      case .needsRealTime(let refusal) where isVirtual:
        var diagnostic = refusal.diagnostic(of: call)
        diagnostic.phase = .checking
        found.append(diagnostic)
      case .needsRealTime: break
      }
    }
    return found
  }

  /// The word that a statement gives another meaning.
  private static func replacedName(
    of statement: Statement, _ source: SourceText, _ catalog: CommandCatalog
  ) -> String? {
    switch statement.kind {
    case .definition(let definition): return definition.name.text
    case .command(let command):
      let call = command.call(in: source, catalog)
      guard let call, call.signature.is(.definesAlias), let name = call.signature.positionals.first
      else { return nil }
      return call.texts(of: name.name).first?.text
    default: return nil
    }
  }
}

extension ErrorPage {
  package static let notVirtual = ErrorPage(
    "not-virtual", "The virtual clock can't control what runs in real time",
    "Programs, other servers and bodies of '--blocking' run in real time.",
    help: "without 'set clock virtual' it can be done", wrong: "set clock virtual\nrun ls",
    right: "run ls")
}
