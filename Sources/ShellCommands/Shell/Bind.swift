import CommandParts
import Foundation
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `bind`: the keys of the prompt.
enum Bind: Command {
  static let key = Positional<String?>("key", help: "key, such as ^K, '\\e[A' or '\\ek'")
  static let function = Positional<String?>("function", help: "function to bind it to")
  static let isText = Flag("text", short: "s", help: "FUNCTION is a text that the key types")
  static let isRemoved = Flag("remove", short: "r", help: "removes the binding of KEY")
  static let isAlternative = Flag("command-mode", short: "a", help: "for vi's command mode")
  static let functions = Flag("functions", short: "l", help: "lists the functions")
  static let vi = Flag("vi", short: "v", help: "selects vi mode, as 'set editing vi' does")
  static let emacs = Flag("emacs", short: "e", help: "selects emacs mode")

  static let path = ["bind"]
  static let declaration = CommandDeclaration(
    summary: "Binds keys of the prompt to functions of the editor, or lists both",
    discussion: """
      Keys are written as libedit does: '^K' for Ctrl-K, '\\ek' for Alt-k, '\\e[A' for the sequence \
      that a key sends. The names of the functions are libedit's. The lines of '~/.editrc' are read \
      first; the startup file is another place for bindings. Where no line is edited, as in a \
      script, nothing happens.
      """,
    positionals: [key, function],
    options: [isText, isRemoved, isAlternative, functions, vi, emacs],
    examples: [
      .init("bind ^O ed-kill-line", "Ctrl-O kills to the end of the row"),
      .init("bind --text ^G 'queue pause'", "Ctrl-G types a command"),
      .init("bind", "every key and its function"),
    ],
    searchTerms: ["key", "keys", "shortcut", "editing", "editrc", "libedit", "vi", "emacs"],
    traits: [.worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    guard let editor = invocation.run.state.withLock({ $0.editor }) else {
      invocation.printNothing("no line is edited here, so there are no keys")
      return .null
    }
    if call[functions] {
      var table = Table(columns: [.init("function"), .init("what it does", isFlexible: true)])
      table.rows = editor.functions.map { [StyledText($0.name), StyledText($0.summary)] }
      invocation.print(table)
      return .null
    }
    if call[vi] || call[emacs] {
      editor.keyMap = call[vi] ? .vi : .emacs
      return .null
    }
    var words: [String] = []
    if call[isAlternative] { words.append("-a") }
    if call[isText] { words.append("-s") }
    if call[isRemoved] { words.append("-r") }
    words += [call[key], call[function]].compactMap { $0 }
    let result = editor.bind(words)
    guard !result.failed else {
      let reason = result.text.trimmingCharacters(in: .whitespacesAndNewlines)
        .replacing("bind: ", with: "")
      throw call.failure(
        .badBinding, VisibleText.escape(reason.isEmpty ? "the key cannot be bound so" : reason),
        help: "'bind -l' lists the functions")
    }
    for line in result.text.split(separator: "\n") {
      invocation.printText(VisibleText.escape(String(line)))
    }
    return .null
  }
}

extension ErrorPage {
  static let badBinding = ErrorPage(
    "bad-binding", "A key cannot be bound so",
    "libedit does not know the key or the function. 'bind' lists the keys, 'bind -l' the functions.",
    help: "'bind -l' lists the functions", wrong: "(at the prompt: bind ^K nonsense)",
    right: "bind ^K ed-kill-line")
}
