import CommandParts
import ShellLanguage
import ShellSession

/// `set trace`: shows each statement before it runs.
enum SetTrace: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "trace"
  static let summary = "Whether each statement is shown before it runs"
  static let discussion = """
    Prints a line on standard error for each statement of a script, a block or a 'def', with its \
    place: '+ lesson.opsh:3:1: queue pause'. Of a statement with a block it prints the first line.
    """
  static let argument = Positional<Bool?>("value", help: "on or off")
  static let examples: [CommandDeclaration.Example] = [
    .init("set trace", "off at the start"),
    .init("set trace on; repeat 2 { echo hello }; set trace off", "both turns are shown"),
  ]
  static let searchTerms = ["debug", "steps", "verbose", "xtrace", "follow", "statements"]

  static func value(in invocation: Invocation) -> Value { .boolean(invocation.screen.isTracing) }

  static func text(in invocation: Invocation) -> String {
    invocation.screen.isTracing ? "on" : "off"
  }

  static func set(_ isOn: Bool, in invocation: Invocation) { invocation.screen.isTracing = isOn }
}
