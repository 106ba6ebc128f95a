import CommandParts
import Foundation
import OpshNetworking
package import ShellLanguage
import ShellSession
import OpshTerminal

/// `quotes read`: shows a quote and counts that it was read.
enum QuotesRead: SendingCommand {
  static let id = Positional<String>("id", help: "object id, or its beginning")

  static let kind = OperationKind("read quote")

  static let path = ["quotes", "read"]
  static let declaration = CommandDeclaration(
    summary: "Shows a quote, and counts the reading on the service and in the store",
    discussion: """
      Shows the quote at once, from the store. Then it builds a group of two: one operation asks \
      the service to add 1 to the count, which stays right if others read at the same time; the \
      other stores the new count. The group is added to the queue 'quotes', not to the queue in \
      use, unless '--queue' or 'queue route quotes' names another.
      """,
    positionals: [id],
    options: RequestParameters.all + [RequestParameters.retryUnsafe]
      + BuildOptions.all(without: BuildOptions.count) + [BuildOptions.membersMayBeCancelled],
    examples: [
      .init(
        "quotes sync; wait; let q = quotes list --limit 1; quotes read $q[0].id; wait; "
          + "result last", "the newest one, counted")
    ],
    searchTerms: ["parse", "count", "increment", "show"], traits: [.waits],
    rules: [UnsafeRetry.rule(for: "the counting")])

  static let completions = [
    ParameterCompletion(id) { _, outside in
      let quotes = (try? outside.quoteStore.list(order: .newest, limit: 200, offset: 0)) ?? []
      return quotes.map { CompletionCandidate($0.id, summary: VisibleText.escape($0.text)) }
    }
  ]

  /// The quote is shown, which '>' can take.
  static var printsNothing: Bool { false }

  /// Its parts have names of their own.
  static func names(createdBy call: CommandCall) -> [CreatedName] { CreatedName.anything }

  static func value(of call: CommandCall) -> StaticKind { .unknown }

  static func run(_ invocation: Invocation) throws -> Value {
    let quote = try find(invocation)
    let options = try invocation.groupOptions()
    var requestOptions = try invocation.readRequestOptions()
    requestOptions.retryPolicy = options.retry.policy
    let manager = try invocation.quotesManager(queue: options.queue)
    let value = try invocation.buildGroups(kind, options) { name in
      let group = try manager.makeRead(
        id: quote.id, in: invocation.outside.quoteStore, name: name, options: requestOptions)
      return (group, group.parts)
    }
    var data = invocation
    data.isReceived = true
    for line in ResultTables.lines(of: quote) { data.print(line) }
    return value
  }

  /// The quote of that id, or the only one whose id begins so.
  private static func find(_ invocation: Invocation) throws -> Quote {
    let call = invocation.call
    let id = call[Self.id]
    let store = invocation.outside.quoteStore
    if let quote = try store.quote(id: id) { return quote }
    let all = try store.list(order: .id, limit: nil, offset: 0)
    let matches = id.isEmpty ? [] : all.filter { $0.id.hasPrefix(id) }
    if let match = matches.first, matches.count == 1 { return match }
    guard matches.isEmpty else {
      throw call.failure(
        .quoteAmbiguous, "\(matches.count) quotes have an id that begins with '\(id)'", at: Self.id,
        help: "among them '\(matches[0].id)' and '\(matches[1].id)'")
    }
    let error = StoreError.unknownQuote(id)
    throw call.failure(
      error, at: Self.id,
      help: all.isEmpty
        ? "none are kept yet; 'quotes sync' downloads them"
        : Spelling.help(for: id, among: all.map(\.id)) ?? "'quotes list' lists them")
  }
}

extension Invocation {
  /// The options of a group about quotes, whose queue is 'quotes' by default.
  func groupOptions() throws -> BuildOptions {
    try BuildOptions(
      self, standardQueue: quotesQueue, standardQualityOfService: .userInitiated)
  }
}

extension ErrorPage {
  package static let quoteAmbiguous = ErrorPage(
    "quote-ambiguous", "Several quotes have an id that begins so",
    "As many letters are needed as tell them apart.", help: "write more of the id",
    wrong: "(the beginning of several ids)", right: "quotes list")
}
