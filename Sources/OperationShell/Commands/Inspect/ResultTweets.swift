import Networking
import Operations
import ShellLanguage
import Terminal

/// `result tweets`: what the searches have found so far, merged.
enum ResultTweets: Command {
  static let signature = CommandSignature(
    path: ["result", "tweets"],
    summary: "Merges what searches for tweets have found so far, the newest first",
    discussion: """
      Of each tag the latest search counts. A tweet that several of them found is shown once, with \
      all its tags. Searches that go on, or failed, are named below.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .repeating,
        help: "only these searches; all if left out")
    ],
    options: [.init("limit", .integer(minimum: 1), help: "how many tweets at most")],
    examples: [
      .init("fetch tweets swift linux --per-tag 5; wait; result tweets --limit 6", "the newest six")
    ],
    searchTerms: ["search", "twitter", "merge", "timeline", "value"])

  /// What became of the searches for one tag.
  private struct Search {
    let tag: String
    var latest: TweetsFetchOperation
    var page: TweetsPage?
  }

  static func run(_ invocation: Invocation) throws -> Value {
    var invocation = invocation
    invocation.isReceived = true
    let searches = try searches(invocation)
    var merged = MergedTweets(
      searches.compactMap { search in search.page.map { (search.tag, $0) } })
    if let limit = invocation.call.integer("limit") { merged.keepFirst(limit) }
    let json = JSONValue.array(
      merged.entries.map { entry in
        var fields = [
          JSONValue.Member(name: "tags", value: .array(entry.tags.map(JSONValue.string)))
        ]
        if case .object(let members) = entry.raw { fields += members }
        return .object(fields)
      })
    if invocation.isJSON {
      invocation.object("result", ["operation": .null, "value": json])
    } else if !merged.entries.isEmpty {
      invocation.print(ResultTables.tweets(merged))
    }
    for search in searches { tell(search, invocation) }
    return Value(json: json)
  }

  private static func searches(_ invocation: Invocation) throws -> [Search] {
    let call = invocation.call
    let all =
      call.has("operation")
      ? try invocation.operations("operation") : invocation.session.operations.all
    let operations = all.compactMap { $0 as? TweetsFetchOperation }
    guard !operations.isEmpty else {
      throw call.failure(
        "no-tweets",
        call.has("operation") ? "none of these searches for tweets" : "no tweets were searched for",
        at: "operation", help: "'fetch tweets swift' searches for some")
    }
    var searches: [Search] = []
    for operation in operations.sorted(by: { $0.id < $1.id }) {
      let tag = operation.query.text
      let page = operation.valueAtHand as? TweetsPage
      if page == nil, operation.isValueDropped {
        let dropped = DroppedValue(of: operation)
        throw call.failure(dropped.code, dropped.message, at: "operation", help: dropped.help)
      }
      if let place = searches.firstIndex(where: { $0.tag == tag }) {
        searches[place].latest = operation
        // While a later search goes on, or if it failed, the one before is the best there is.
        if let page { searches[place].page = page }
      } else {
        searches.append(Search(tag: tag, latest: operation, page: page))
      }
    }
    return searches
  }

  /// Says what is not in the list.
  private static func tell(_ search: Search, _ invocation: Invocation) {
    let operation = search.latest
    let name = "'\(VisibleText.escape(search.tag))' (\(VisibleText.escape(operation.displayName)))"
    switch operation.outcome {
    case .succeeded?:
      guard search.page?.tweets.isEmpty == true else { return }
      invocation.print(StyledText("\(name): nothing found", style: .dim))
    case nil:
      invocation.print(StyledText("\(name): still \(operation.state.rawValue)", style: .dim))
    case let outcome?:
      invocation.print(
        StyledText("\(name): ") + StyledText(outcome.name, style: .outcome(outcome))
          + StyledText(
            outcome.failure.map { ": " + VisibleText.escape($0.told) } ?? ""))
    }
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool {
    operation is TweetsFetchOperation
  }
}
