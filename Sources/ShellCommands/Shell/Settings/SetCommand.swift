import CommandParts
import ShellLanguage
package import ShellSession
import OpshTerminal

/// `set`: the options of the session.
enum SetCommand: Command {
  static let path = ["set"]
  static let declaration = CommandDeclaration(
    summary: "Lists the options of the session",
    discussion: "'set NAME' shows one, 'set NAME VALUE' changes it for this session.",
    examples: [.init("set", "all options with their values")],
    searchTerms: ["options", "settings", "configure", "preferences"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    if invocation.isJSON {
      for setting in Settings.all { setting.printObject(invocation) }
      return .null
    }
    var table = Table(columns: [
      .init("option"), .init("value"), .init("what it is", isFlexible: true, goesBelow: true),
    ])
    for setting in Settings.all {
      table.rows.append([
        StyledText(setting.name, style: .bold),
        StyledText(VisibleText.escape(setting.text(in: invocation))),
        StyledText(setting.summary),
      ])
    }
    invocation.print(table)
    return .null
  }
}

extension ObjectKind {
  package static let setting = ObjectKind(
    type: "setting", commands: "`set` and `set NAME`",
    keys: [
      ("name", "the name of the option"), ("value", "its value as it would be set"),
      ("summary", "what it is"),
    ])
}
