import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession

/// `set pager`: whether long text goes through a pager.
enum SetPager: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "pager"
  static let summary = "Whether text longer than the screen is shown page by page, at the prompt"
  static let discussion = """
    The text of a typed command goes through $PAGER (default 'less -FRX') if it has more rows than \
    the screen; PAGER=cat also turns that off. Transitions that happen meanwhile are shown \
    afterwards. Scripts, transcripts, '--json' and output that is not a terminal never have a pager.
    """
  static let argument = Positional<Bool?>("value", help: "on or off")
  static let examples: [CommandDeclaration.Example] = [
    .init("set pager", "on at a prompt, off elsewhere"),
    .init("set pager off; help", "all at once"),
  ]
  static let searchTerms = ["less", "more", "page", "scroll", "long", "screen"]

  static func value(in invocation: Invocation) -> Value {
    .boolean(invocation.screen.state.withLock { $0.hasPager })
  }

  static func text(in invocation: Invocation) -> String {
    invocation.screen.state.withLock { $0.hasPager } ? "on" : "off"
  }

  static func set(_ isOn: Bool, in invocation: Invocation) {
    invocation.screen.state.withLock { $0.hasPager = isOn }
  }
}
