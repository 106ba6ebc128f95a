import ShellLanguage

/// Finds programs that a script runs after it has chosen the virtual clock, which refuses them.
///
/// Only statements of the top level count, which run for certain and one after the other.
enum VirtualClockCheck {
  static func problems(
    in script: Script, _ catalog: CommandCatalog, isVirtual: Bool
  ) -> [Diagnostic] {
    var isVirtual = isVirtual
    var found: [Diagnostic] = []
    for statement in script.statements {
      guard let command = command(of: statement) else {
        guard isVirtual else { continue }
        // What a block does depends on what happens; it may choose another clock.
        if case .expression = statement.kind { continue }
        if script.source.text(in: statement.range).contains("clock") { isVirtual = false }
        continue
      }
      // On the real clock only the command that leaves it counts.
      guard isVirtual || command.arguments[0].bareText == "set" else { continue }
      guard
        case .command(let signature, let count) = catalog.lookup(command.arguments)
      else {
        // A command that a script defines, or an alias, may do anything.
        isVirtual = false
        continue
      }
      switch signature.path {
      case ["set", "clock"] where command.arguments.count > count:
        isVirtual = command.arguments[count].constant == "virtual"
      case ["source"]: isVirtual = false
      case ["run"], ["!"]:
        guard isVirtual, let place = command.arguments.dropFirst(count).first?.range else {
          continue
        }
        found.append(
          Diagnostic(
            code: "not-virtual",
            message: "a program takes real time, which the virtual clock can't rule",
            source: script.source, range: place, help: "without 'set clock virtual' it can be done")
        )
      default: break
      }
    }
    return found
  }

  private static func command(of statement: Statement) -> CommandStatement? {
    switch statement.kind {
    case .command(let command): return command
    case .assignment(let assignment):
      if case .command(let command) = assignment.source { return command }
      return nil
    default: return nil
    }
  }
}
