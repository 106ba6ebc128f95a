import Locking
import ShellLanguage

/// `set pager`: whether long text goes through a pager.
enum SetPager: Setting {
  static let name = "pager"
  static let summary = "Show text longer than the screen page by page, at the prompt"
  static let discussion = """
    The text of a command that was typed goes through $PAGER, else through 'less -FRX', if it has \
    more rows than the screen; PAGER=cat turns that off as well. Transitions that happen meanwhile \
    are shown afterwards. Scripts, transcripts, '--json' and output that is not a terminal never \
    have a pager.
    """
  static let kind = ArgumentKind.boolean
  static let valueHelp = "on or off"
  static let examples: [CommandSignature.Example] = [
    .init("set pager", "on at a prompt, off elsewhere"),
    .init("set pager off; help", "all at once"),
  ]
  static let searchTerms = ["less", "more", "page", "scroll", "long", "screen"]

  static func value(in session: Session) -> Value {
    .boolean(session.state.withLock { $0.hasPager })
  }

  static func text(in session: Session) -> String {
    session.state.withLock { $0.hasPager } ? "on" : "off"
  }

  static func set(_ value: Value, in session: Session) {
    session.state.withLock { $0.hasPager = value.isTruthy }
  }
}
