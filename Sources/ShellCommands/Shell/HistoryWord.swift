import ShellLanguage
import ShellSession
import OpshTerminal

/// A word that stands for a line of the history, or for a part of one, and was not replaced before
/// Enter: `!!`, `!$`, `!12`, `!-2`, `!?text`.
///
/// `!` runs a program, and sh would look for one of the name `12`. So at the prompt such a word says
/// which keys replace it; in scripts, and with anything else in the word, it is for sh.
enum HistoryWord {
  /// Throws if a command line of `!` that was typed at the prompt begins with such a word.
  static func refuse(_ invocation: Invocation) throws {
    guard invocation.screen.isTypedAtPrompt,
      invocation.context.source.name == SourceText.promptName
    else { return }
    let text = invocation.context.source.text(in: invocation.call.range)
    let word = text.prefix { !$0.isWhitespace && $0 != ";" }
    guard HistoryReference(word) != nil else { return }
    throw invocation.call.failure(
      .historyWord, "'\(word)' was not replaced by a line of the history",
      help: "press Tab or Space after it; 'history' lists the lines")
  }
}

extension ErrorPage {
  static let historyWord = ErrorPage(
    "history-word", "A word such as '!!' was not replaced by a line of the history",
    "At the prompt, '!!', '!$', '!12', '!-2' and '!?text' are replaced by a line that was typed, or by "
      + "its last word, when Tab or Space follows, so that it is seen before it runs. Enter does not "
      + "replace them: '!' runs a program of the system's shell, and there is hardly one of that name. "
      + "With anything else in the word, and in scripts, it is the name of a program.",
    help: "press Tab or Space after it; 'history' lists the lines",
    wrong: "(at the prompt: !!)", right: "history")
}
