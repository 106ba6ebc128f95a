import PracticeServer
import ShellLanguage

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
      if let name = replacedName(of: statement) { replaced.insert(name) }
      guard let command = command(of: statement) else {
        guard isVirtual else { continue }
        // What a block does depends on what happens; it may choose another clock.
        if case .expression = statement.kind { continue }
        if script.source.text(in: statement.range).contains("clock") { isVirtual = false }
        continue
      }
      // On the real clock only the command that leaves it counts.
      guard isVirtual || command.arguments[0].bareText == "set" else { continue }
      guard command.arguments[0].bareText.map(replaced.contains) != true,
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
      default:
        guard isVirtual,
          let (message, place) = refusal(of: signature, command, command.arguments[count...])
        else { continue }
        found.append(
          Diagnostic(
            code: "not-virtual", message: message, source: script.source, range: place,
            help: "without 'set clock virtual' it can be done"))
      }
    }
    return found
  }

  /// The word that a statement gives another meaning.
  private static func replacedName(of statement: Statement) -> String? {
    switch statement.kind {
    case .definition(let definition): definition.name.text
    case .command(let command) where command.arguments[0].bareText == "alias":
      command.arguments.dropFirst().first?.bareText
    default: nil
    }
  }

  private static let requests: Set<String> = [
    "get", "head", "post", "put", "patch", "delete", "download",
  ]

  /// Why the virtual clock refuses a command, and where that stands in it.
  private static func refusal(
    of signature: CommandSignature, _ command: CommandStatement, _ arguments: ArraySlice<Argument>
  ) -> (message: String, place: SourceRange)? {
    func timed(_ reason: String, _ place: SourceRange) -> (message: String, place: SourceRange) {
      ("\(reason), which the virtual clock can't rule", place)
    }
    if signature.path == ["server", "start"] {
      return timed("other clients take real time", command.range)
    }
    if signature.option(named: "blocking") != nil,
      let flag = arguments.first(where: { $0.bareText == "--blocking" })
    {
      return timed(
        "a thread that is held until an answer comes takes real time", flag.range)
    }
    guard let first = arguments.first else { return nil }
    switch signature.name {
    case "run", "!": return timed("a program takes real time", first.range)
    case "endpoint":
      guard let text = first.constant, let selection = try? World.Selection(text),
        selection != .practice
      else { return nil }
      return (World.notVirtual(selection).message, first.range)
    case let name where requests.contains(name):
      guard let text = first.constant, isElsewhere(text) else { return nil }
      return timed("a server elsewhere takes real time", first.range)
    default: return nil
    }
  }

  /// Whether an address is not on this machine, where the practice server is.
  private static func isElsewhere(_ text: String) -> Bool {
    let lowered = text.lowercased()
    guard lowered.hasPrefix("http://") || lowered.hasPrefix("https://") else { return false }
    let host = lowered.split(separator: "/", omittingEmptySubsequences: false)[2]
    return !host.hasPrefix("127.0.0.1") && !host.hasPrefix("localhost")
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
