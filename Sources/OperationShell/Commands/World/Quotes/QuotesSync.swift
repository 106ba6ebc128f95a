import Networking
import Operations
import ShellLanguage

/// `quotes sync`: brings the kept quotes up to date.
enum QuotesSync: Command {
  static let signature = CommandSignature(
    path: ["quotes", "sync"],
    summary: "Downloads the quotes and keeps them, as one task in three parts",
    discussion: """
      Builds a group of a download, the parsing of its data, and the saving, each of which waits \
      for the one before and gets its result. Known quotes are updated, others are new, and records \
      that are no quotes are passed over: 'result' names them. All is saved in one piece or not at \
      all. The group goes on the queue 'quotes', which runs one at a time, unless '--queue' says \
      otherwise.
      """,
    options: [
      .init(
        "limit", .integer(minimum: 1, maximum: Int64(QuotesQuery.maximumLimit)),
        help: "how many records at most; 1000 if left out")
    ] + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init("quotes sync; tree; wait; result quotes-1", "the three parts, and what they have done"),
      .init(
        "quotes sync --hold; on quotes-1 finished { quotes list --limit 3 }; start quotes-1; wait",
        "a list that is shown when they are there"),
    ],
    searchTerms: ["parse", "download", "save", "group", "update", "refresh"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let options = try invocation.groupOptions()
    var requestOptions = try invocation.readRequestOptions()
    // The limit is the group's.
    requestOptions.timeout = nil
    var query = QuotesQuery.all
    if let limit = invocation.call.integer("limit") { query.limit = limit }
    let manager = try invocation.quotesManager(queue: options.queue)
    return try invocation.buildGroups(kind: "sync quotes", options) { name in
      let group = try manager.makeSync(
        into: session.quoteStore, query: query, name: name, options: requestOptions)
      return (group, group.parts)
    }
  }
}
