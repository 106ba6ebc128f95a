import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `set editing`: the key map of the prompt.
enum SetEditing: Setting {
  enum Mode: String, CaseIterable, ParameterValue {
    case emacs, vi
  }

  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "editing"
  static let summary = "The keys of the prompt: those of emacs or of vi"
  static let discussion = """
    In vi mode, Escape begins to command, and 'i', 'a' and the like to insert. 'bind -v' in \
    '~/.editrc' does the same; what 'bind' has bound is bound again. Where no line is edited, as in \
    a script, nothing changes.
    """
  static let argument = Positional<Mode?>("value", help: "emacs, as at the start, or vi")
  static let examples: [CommandDeclaration.Example] = [
    .init("set editing vi", "Escape and 'i', as in vi"),
    .init("set editing", "the keys in use"),
  ]
  static let searchTerms = ["vi", "vim", "emacs", "keys", "mode", "bind", "readline", "editrc"]

  static func value(in invocation: Invocation) -> Value {
    .string((invocation.run.state.withLock { $0.editor }?.keyMap ?? .emacs).rawValue)
  }

  static func set(_ mode: Mode, in invocation: Invocation) {
    invocation.run.state.withLock { $0.editor }?.keyMap = mode == .vi ? .vi : .emacs
  }
}
