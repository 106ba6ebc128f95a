import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `history`: the typed lines.
enum HistoryCommand: Command {
  static let count = Positional<Int?>(
    "count", .integer(minimum: 1), help: "number of lines, the latest (default: all)")

  static let path = ["history"]
  static let declaration = CommandDeclaration(
    summary: "Shows the typed lines, the latest last",
    discussion: """
      Lines that begin with a space are not stored; secrets are shown as stars, and lines with a \
      secret are stored for this session only. A text counts as a secret by its name (password, \
      token, api_key, Authorization and the like in headers, addresses, forms and JSON), by its \
      shape (Bearer, Basic, user:password@host, -u user:password, sk-…), or by its use: a text of 6 \
      characters or more that was sent as a credential, or that a variable or a parameter with such \
      a name has, is hidden in all output. Numbers are not ('let pin = 1234567'). What a \
      server sends is never changed. At the prompt, Ctrl-R searches the history and the arrow keys \
      step through it.
      """,
    positionals: [count],
    examples: [.init("history 10", "the last ten lines")],
    searchTerms: ["lines", "typed", "recall", "search"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let entries = invocation.run.state.withLock { $0.history }?.entries ?? []
    let shown = entries.suffix(invocation.call[count] ?? entries.count)
      .map(invocation.screen.secrets.mask)
    for (offset, entry) in shown.enumerated() {
      let number = String(entries.count - shown.count + offset + 1)
      let indent = String(repeating: " ", count: max(0, 5 - number.count))
      for (index, line) in entry.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let margin = index == 0 ? indent + number + "  " : "       "
        invocation.print(
          StyledText(margin, style: .dim) + StyledText(VisibleText.escape(String(line))))
      }
    }
    return .list(shown.map(Value.string))
  }
}
