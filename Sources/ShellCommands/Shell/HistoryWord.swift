import ShellLanguage
import ShellSession

/// A word that other shells replace by a line of the history, or a part of one: `!!`, `!$`, `!12`, `!-2`.
///
/// Here `!` runs a program, and sh would look for one of the name `12`. So at the prompt such a word
/// says which keys recall a line; in scripts, and with anything else in the word, it is for sh.
enum HistoryWord {
  /// Throws if a command line of `!` that was typed at the prompt begins with such a word.
  static func refuse(_ invocation: Invocation) throws {
    guard invocation.screen.isTypedAtPrompt,
      invocation.context.source.name == SourceText.promptName
    else { return }
    let text = invocation.context.source.text(in: invocation.call.range)
    let word = text.prefix { !$0.isWhitespace && $0 != ";" }
    guard isHistoryWord(word) else { return }
    throw invocation.call.failure(
      .historyWord, "'\(word)' does not stand for a line of the history",
      help: "press Up for the last line, Ctrl-R to search; 'history' lists all")
  }

  private static func isHistoryWord(_ word: Substring) -> Bool {
    guard word.first == "!" else { return false }
    let rest = word.dropFirst()
    if rest == "!" || rest == "$" { return true }
    let digits = rest.first == "-" ? rest.dropFirst() : rest
    return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension ErrorPage {
  static let historyWord = ErrorPage(
    "history-word", "A word such as '!!' does not stand for a line of the history",
    "At the prompt, '!!', '!$', '!12' and '!-2' are not replaced by a line that was typed, as some "
      + "shells do: '!' runs a program of the system's shell, and there is hardly one of that name. "
      + "With anything else in the word, and in scripts, it is the name of a program.",
    help: "press Up for the last line, Ctrl-R to search; 'history' lists all",
    wrong: "(at the prompt: !!)", right: "history")
}
