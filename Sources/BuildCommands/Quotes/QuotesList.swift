import CommandParts
import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `quotes list`: the stored quotes.
enum QuotesList: Command {
  static let order = Option<QuoteOrder>("order", default: .newest, help: "which quotes come first")
  static let limit = Option<Int?>(
    "limit", .integer(minimum: 1), help: "largest number of quotes (default: all)")

  static let path = ["quotes", "list"]
  static let declaration = CommandDeclaration(
    summary: "Lists the stored quotes",
    discussion: """
      It shows what the last 'quotes sync' stored, without the network. The value is a list of \
      records with 'id', 'text', 'author', 'reads', 'created' and 'updated'.
      """,
    options: [order, limit],
    examples: [
      .init(
        "quotes sync; wait; quotes list --order reads --limit 5",
        "the most read five of what was downloaded")
    ],
    searchTerms: ["parse", "kept", "show", "offline"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    try show(order: invocation.call[order], limit: invocation.call[limit], invocation)
  }

  /// Shows quotes, and how many are stored.
  static func show(
    order: QuoteOrder, limit: Int?, _ invocation: Invocation
  ) throws -> Value {
    let store = invocation.outside.quoteStore
    let quotes = try store.list(order: order, limit: limit, offset: 0)
    if invocation.isJSON {
      for quote in quotes { invocation.object(.quote, quote.json) }
      return .list(quotes.map { Value(json: $0.json) })
    }
    let summary = try store.summary()
    if !quotes.isEmpty {
      var data = invocation
      data.isReceived = true
      data.print(ResultTables.quotes(quotes))
    }
    let text = StyledText(describe(summary, now: invocation.run.clock.date), style: .dim)
    if quotes.isEmpty { invocation.printNothing(text) } else { invocation.print(text) }
    return .list(quotes.map { Value(json: $0.json) })
  }

  private static func describe(_ summary: QuoteSummary, now: Date) -> String {
    guard summary.count > 0 else {
      let when =
        summary.lastSync.map { "; the last sync was \(DateText.ago($0, now: now))" } ?? ""
      return "no quotes are kept\(when); 'quotes sync' downloads them"
    }
    let noun = summary.count == 1 ? "quote" : "quotes"
    let when =
      summary.lastSync.map { ", synced \(DateText.ago($0, now: now))" }
      ?? ""
    return "\(summary.count) \(noun), \(summary.unreadCount) unread\(when)"
  }
}

extension ObjectKind {
  package static let quote = ObjectKind(
    type: "quote", commands: "`quotes` and `quotes list`",
    keys: [
      ("id", "its id in the service"), ("text", "the quote"), ("author", "who said it"),
      ("reads", "how often it was read"), ("created", "when it was made"),
      ("updated", "when it was last changed"),
    ])
}
