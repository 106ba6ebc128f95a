import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession

/// `quotes`: the stored quotes at a glance.
enum QuotesCommand: Command {
  static let path = ["quotes"]
  static let declaration = CommandDeclaration(
    summary: "Shows the newest ten of the stored quotes, and how many there are",
    discussion: """
      'quotes sync' downloads them, 'quotes list' lists all, 'quotes read' shows one and counts it.
      """,
    examples: [.init("quotes sync; wait; quotes", "what was downloaded")],
    searchTerms: ["parse", "kept", "list", "show", "offline"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    try QuotesList.show(order: .newest, limit: 10, invocation)
  }
}
