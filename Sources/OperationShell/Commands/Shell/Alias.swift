import ShellLanguage
import Terminal

/// `alias`: a word that stands for the beginning of a command.
enum Alias: Command {
  static let signature = CommandSignature(
    path: ["alias"],
    summary: "Makes a word stand for the beginning of a command, or lists those words",
    discussion: """
      What is typed behind the word stands behind the command. What it stands for is checked where \
      it is made, but for what is missing. The startup file is a good place for aliases; 'def' \
      makes a command of several, with parameters.
      """,
    positionals: [
      .init("name", .newName(reserved: []), .optional, help: "the word"),
      .init("command", .command, .optional, keyword: "=", help: "the beginning of a command"),
    ],
    examples: [
      .init(
        "alias few = fetch questions --pagesize 2; few --name some; wait", "an option less to type"),
      .init("alias", "all aliases"),
    ],
    searchTerms: ["abbreviation", "shortcut", "rename", "macro"], definesAlias: true)

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, context) = (invocation.call, invocation.context)
    if let name = call.string("name"), let command = call.block("command") {
      try context.defineAlias(name, as: command.source.text(in: command.range))
      return .null
    }
    let aliases = context.aliases
    if let name = call.string("name") {
      guard let text = aliases[name] else { throw unknown(name, aliases, call) }
      invocation.printText(invocation.session.secrets.mask("alias \(name) = \(text)"))
      return .string(text)
    }
    for (name, text) in aliases.sorted(by: { $0.key < $1.key }) {
      invocation.printText(invocation.session.secrets.mask("alias \(name) = \(text)"))
    }
    if aliases.isEmpty { invocation.printNothing("no aliases") }
    return .null
  }

  static func unknown(_ name: String, _ aliases: [String: String], _ call: CommandCall)
    -> Diagnostic
  {
    call.failure(
      "unknown-alias", "there is no alias '\(name)'", at: "name",
      help: Spelling.help(for: name, among: aliases.keys.sorted())
        ?? "'alias \(name) = COMMAND…' makes it, 'alias' lists them")
  }
}

/// `unalias`: a word stands for nothing any more.
enum Unalias: Command {
  static let signature = CommandSignature(
    path: ["unalias"],
    summary: "Forgets an alias",
    positionals: [.init("name", .name("alias"), .oneOrMore, help: "the word")],
    examples: [.init("alias few = delay 1ms; unalias few", "made, and forgotten")],
    searchTerms: ["alias", "remove", "forget"], removesAlias: true)

  static func run(_ invocation: Invocation) throws -> Value {
    for name in invocation.call.strings("name") {
      let aliases = invocation.context.aliases
      guard invocation.context.removeAlias(name) else {
        throw Alias.unknown(name, aliases, invocation.call)
      }
    }
    return .null
  }
}
