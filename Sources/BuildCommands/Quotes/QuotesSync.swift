import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession
import OpshWebAPIs

/// `quotes sync`: updates the stored quotes.
enum QuotesSync: SendingCommand {
  static let limit = Option<Int?>(
    "limit", .integer(minimum: 1, maximum: Int64(Quotes.maximumLimit)),
    help: "largest number of records (default 1000)")

  static let kind = OperationKind("sync quotes")

  static let path = ["quotes", "sync"]
  static let declaration = CommandDeclaration(
    summary: "Downloads the quotes and stores them, as one task in three parts",
    discussion: """
      Builds a group of three operations: one downloads, one parses the data, and one saves the \
      quotes. Each waits for the one before it and gets its result. Saving updates known quotes, \
      adds new ones, and skips records that are not quotes: 'result' names them. It saves all of \
      them or none. The group is added to the queue 'quotes', which runs one operation at a time, \
      not to the queue in use, unless '--queue' or 'queue route quotes' names another.
      """,
    options: [limit] + RequestParameters.all + BuildOptions.all
      + [BuildOptions.membersMayBeCancelled],
    examples: [
      .init("quotes sync; tree; wait; result quotes-1", "the three parts, and what they have done"),
      .init(
        "quotes sync --hold; on quotes-1 finished { quotes list --limit 3 }; start quotes-1; wait",
        "a list that is shown when they are there"),
    ],
    searchTerms: ["parse", "download", "save", "group", "update", "refresh"], traits: [.waits])

  /// Its parts have names of their own.
  static func names(createdBy call: CommandCall) -> [CreatedName] { CreatedName.anything }

  static func value(of call: CommandCall) -> StaticKind { .unknown }

  static func run(_ invocation: Invocation) throws -> Value {
    let options = try invocation.groupOptions()
    var requestOptions = try invocation.readRequestOptions()
    requestOptions.retryPolicy = options.retry.policy
    var query = QuotesQuery.all
    if let limit = invocation.call[Self.limit] { query[Quotes.limit] = limit }
    let manager = try invocation.quotesManager(queue: options.queue)
    return try invocation.buildGroups(kind, options) { name in
      let group = try manager.makeSync(
        into: invocation.outside.quoteStore, query: query, name: name, options: requestOptions)
      return (group, group.parts)
    }
  }
}
