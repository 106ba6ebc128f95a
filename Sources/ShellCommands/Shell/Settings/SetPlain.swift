import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `set plain`: a prompt without decorations.
enum SetPlain: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "plain"
  static let summary = "Whether the prompt shows text only, as screen readers need it"
  static let discussion = """
    With 'on' the line has no colours and no grey suggestion, candidates are listed above it in place \
    of a menu, a wait has no line of progress, and there is no star that comes and goes, no title of \
    the window, no mark for the terminal and no notice. The keys stay the same. 'TERM=dumb' has no \
    line editor either.
    """
  static let argument = Positional<Bool?>("value", help: "on or off")
  static let examples: [CommandDeclaration.Example] = [
    .init("set plain", "off at the start"), .init("set plain on", "text only"),
  ]
  static let searchTerms = ["accessibility", "screen", "reader", "blind", "simple", "dumb", "mono"]

  static func value(in invocation: Invocation) -> Value {
    .boolean(invocation.screen.state.withLock { $0.prompt.isPlain })
  }

  static func text(in invocation: Invocation) -> String {
    invocation.screen.state.withLock { $0.prompt.isPlain } ? "on" : "off"
  }

  static func set(_ isOn: Bool, in invocation: Invocation) {
    invocation.screen.state.withLock { $0.prompt.isPlain = isOn }
    invocation.run.state.withLock { $0.editor }?.isPlain = isOn
  }
}
