import CommandParts
import ShellLanguage
import ShellSession
import OpshTerminal

/// `alias`: an abbreviation of the beginning of a command.
enum Alias: Command {
  static let name = Positional<String?>("name", .newName(reserved: []), help: "word")
  static let command = Positional<Block?>(
    "command", .command, keyword: "=", help: "beginning of a command")

  static let path = ["alias"]
  static let declaration = CommandDeclaration(
    summary: "Defines an alias for the beginning of a command, or lists the aliases",
    discussion: """
      Words after the alias are added to the command. The command is checked when the alias is \
      made, except for missing arguments. The startup file is a good place for aliases; 'def' \
      combines several commands into one, with parameters.
      """,
    positionals: [name, command],
    examples: [
      .init(
        "alias few = fetch questions --pagesize 2; few --name some; wait", "one option less to type"
      ),
      .init("alias", "all aliases"),
    ],
    searchTerms: ["abbreviation", "shortcut", "rename", "macro"],
    traits: [.definesAlias, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, context) = (invocation.call, invocation.context)
    if let name = call[Self.name], let command = call[Self.command] {
      try context.defineAlias(name, as: command.source.text(in: command.range))
      return .null
    }
    let aliases = context.aliases
    if let name = call[Self.name] {
      guard let text = aliases[name] else {
        throw unknown(name, aliases, call, at: Self.name)
      }
      invocation.printText(invocation.screen.secrets.mask("alias \(name) = \(text)"))
      return .string(text)
    }
    for (name, text) in aliases.sorted(by: { $0.key < $1.key }) {
      invocation.printText(invocation.screen.secrets.mask("alias \(name) = \(text)"))
    }
    if aliases.isEmpty { invocation.printNothing("no aliases") }
    return .null
  }

  static func unknown(
    _ name: String, _ aliases: [String: String], _ call: CommandCall, at parameter: some Parameter
  ) -> Diagnostic {
    call.failure(
      .unknownAlias, "there is no alias '\(name)'", at: parameter,
      help: Spelling.help(for: name, among: aliases.keys.sorted())
        ?? "'alias \(name) = COMMAND…' makes it, 'alias' lists them")
  }
}

/// `unalias`: removes an alias.
enum Unalias: Command {
  static let name = Positional<[String]>(
    "name", .name("alias"), atLeastOne: true, help: "aliases to remove")

  static let path = ["unalias"]
  static let declaration = CommandDeclaration(
    summary: "Removes an alias",
    positionals: [name],
    examples: [.init("alias few = delay 1ms; unalias few", "made, and removed")],
    searchTerms: ["alias", "remove", "forget"], traits: [.removesAlias, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    for name in invocation.call[Self.name] {
      let aliases = invocation.context.aliases
      guard invocation.context.removeAlias(name) else {
        throw Alias.unknown(name, aliases, invocation.call, at: Self.name)
      }
    }
    return .null
  }
}

extension ErrorPage {
  static let unknownAlias = ErrorPage(
    "unknown-alias", "There is no alias of that name", "'alias' lists all aliases.",
    help: "'alias NAME = COMMAND…' makes one", wrong: "unalias few",
    right: "alias few = delay 1ms\nunalias few", proof: .running)
}
