import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession

/// `set theme`: the colours of the line that is being typed.
enum SetTheme: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "theme"
  static let summary = "The colours of the line that is being typed, at the prompt"
  static let discussion = """
    Commands, options, strings, variables and the names of operations and queues have colours while \
    a line is typed. Words that Enter would refuse are underlined as well, once the cursor has left \
    them. What could follow is suggested in grey: Right or Ctrl-E takes it, Alt-Right its first word.

    'auto' takes 'dark' or 'light' where the terminal says what its background is (COLORFGBG), else \
    'basic', the terminal's own colours. 'off' shows none, and suggests nothing. The number of \
    colours follows from COLORTERM and TERM. NO_COLOR turns all of it off.
    """
  static let argument = Positional<ThemeChoice?>("value", help: "auto, dark, light, basic or off")
  static let examples: [CommandDeclaration.Example] = [
    .init("set theme", "auto at the start"),
    .init("set theme light", "colours for a light background"),
  ]
  static let searchTerms = [
    "color", "colour", "highlight", "syntax", "suggestion", "dark", "light", "background", "grey",
  ]

  static func value(in invocation: Invocation) -> Value {
    .string(invocation.screen.state.withLock { $0.theme }.rawValue)
  }

  static func set(_ theme: ThemeChoice, in invocation: Invocation) {
    invocation.screen.state.withLock { $0.theme = theme }
  }
}
