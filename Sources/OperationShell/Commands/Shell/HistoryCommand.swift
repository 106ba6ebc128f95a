import Locking
import ShellLanguage
import Terminal

/// `history`: what was typed.
enum HistoryCommand: Command {
  static let signature = CommandSignature(
    path: ["history"],
    summary: "Shows what was typed, the latest last",
    discussion: """
      Lines that begin with a space are not kept; secrets are shown as stars, and lines with one \
      are kept for this session only. What counts as a secret follows from its name (password, \
      token, api_key, Authorization and the like in headers, addresses, forms and JSON), from its \
      shape (Bearer, Basic, user:password@host, -u user:password), and from its use: a text of 6 \
      characters or more that was sent as a credential is hidden wherever it appears later. What a \
      server sends is never changed. At the prompt, \
      Ctrl-R searches the history and the arrow keys walk through it.
      """,
    positionals: [
      .init(
        "count", .integer(minimum: 1), .optional,
        help: "only the last so many")
    ],
    examples: [.init("history 10", "the last ten lines")],
    searchTerms: ["lines", "typed", "recall", "search"])

  static func run(_ invocation: Invocation) throws -> Value {
    let entries = invocation.session.state.withLock { $0.history }?.entries ?? []
    let shown = entries.suffix(invocation.call.integer("count") ?? entries.count)
      .map(invocation.session.secrets.mask)
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
