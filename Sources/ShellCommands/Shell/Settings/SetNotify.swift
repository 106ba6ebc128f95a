import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession

/// `set notify`: a notice when a long wait has ended.
enum SetNotify: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "notify"
  static let summary = "How long a wait must be for the terminal to announce its end, at the prompt"
  static let discussion = """
    The terminal rings, or shows a notification if it is known to have them (OSC 9). Whether its window \
    has the focus is not asked: the answer could reach a program that reads the terminal. A wait \
    that Ctrl-C ends is not announced.
    """
  static let argument = Positional<DurationOrOff?>(
    "value", help: "the least length of the wait (default 10s), or 'off'")
  static let examples: [CommandDeclaration.Example] = [
    .init("set notify 1m", "only after waits of a minute or more"),
    .init("set notify off", "never"),
  ]
  static let searchTerms = ["bell", "notification", "alert", "beep", "focus", "OSC", "long"]

  static func value(in invocation: Invocation) -> Value {
    invocation.screen.state.withLock { $0.prompt.noticeLimit }.map { .duration($0) }
      ?? .string("off")
  }

  static func set(_ limit: DurationOrOff, in invocation: Invocation) {
    invocation.screen.state.withLock { $0.prompt.noticeLimit = limit.duration }
  }
}
