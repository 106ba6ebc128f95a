import Foundation
import Networking
import Operations
import ShellLanguage
import Terminal

/// `quotes read`: shows a quote and counts that it was read.
enum QuotesRead: Command {
  static let signature = CommandSignature(
    path: ["quotes", "read"],
    summary: "Shows a quote, and counts the reading on the service and in the store",
    discussion: """
      The quote is shown at once, from the store. Then a group of two is built: one operation asks \
      the service to add 1 to the count, which is right also when others read at the same time; \
      the other notes the new count here. It goes on the queue 'quotes' unless '--queue' says \
      otherwise.
      """,
    positionals: [.init("id", .string, help: "the object id, or its beginning")],
    options: Invocation.requestOptions + [Invocation.unsafeRetryOption]
      + BuildOptions.options(without: ["count"]),
    examples: [
      .init(
        "quotes sync; wait; let q = quotes list --limit 1; quotes read $q[0].id; wait; "
          + "result last", "the newest one, counted")
    ],
    searchTerms: ["parse", "count", "increment", "show"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    try invocation.checkRetry(isSafe: false, what: "the counting")
    let quote = try find(invocation)
    let options = try invocation.groupOptions()
    var requestOptions = try invocation.readRequestOptions()
    // The limit is the group's.
    requestOptions.timeout = nil
    let manager = try invocation.quotesManager(queue: options.queue)
    let value = try invocation.buildGroups(kind: "read quote", options) { name in
      let group = try manager.makeRead(
        id: quote.id, in: session.quoteStore, name: name, options: requestOptions)
      return (group, group.parts)
    }
    for line in ResultTables.lines(of: quote) { invocation.print(line) }
    return value
  }

  /// The quote of that id, or the only one whose id begins so.
  private static func find(_ invocation: Invocation) throws -> Quote {
    let call = invocation.call
    let id = call.string("id") ?? ""
    let store = invocation.session.quoteStore
    if let quote = try store.quote(id: id) { return quote }
    let all = try store.list(order: .id, limit: nil, offset: 0)
    let matches = id.isEmpty ? [] : all.filter { $0.id.hasPrefix(id) }
    if let match = matches.first, matches.count == 1 { return match }
    guard matches.isEmpty else {
      throw call.failure(
        "quote-ambiguous", "\(matches.count) quotes have an id that begins with '\(id)'", at: "id",
        help: "among them '\(matches[0].id)' and '\(matches[1].id)'")
    }
    let error = StoreError.unknownQuote(id)
    throw call.failure(
      error.code, error.message, at: "id",
      help: all.isEmpty
        ? "none are kept yet; 'quotes sync' downloads them"
        : Spelling.help(for: id, among: all.map(\.id)) ?? "'quotes list' lists them")
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    guard argument == "id" else { return [] }
    let quotes = (try? session.quoteStore.list(order: .newest, limit: 200, offset: 0)) ?? []
    return quotes.map { CompletionCandidate($0.id, summary: VisibleText.escape($0.text)) }
  }
}

extension Invocation {
  /// The options of a group about quotes, which belongs on their queue.
  func groupOptions() throws -> BuildOptions {
    try BuildOptions(
      self, standardQueue: quotesQueue, standardQualityOfService: .userInitiated)
  }
}
