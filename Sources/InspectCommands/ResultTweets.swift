import CommandParts
import OpshNetworking
import Operations
package import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal
import OpshWebAPIs

/// `result tweets`: merges the tweets that searches have found so far.
enum ResultTweets: Command {
  static let operation = Positional<[OperationName]>(
    "operation", SelectionWord.operations, help: "searches to merge (default: every search)")
  static let limit = Option<Int?>(
    "limit", .integer(minimum: 1), help: "greatest number of tweets to show")

  static let path = ["result", "tweets"]
  static let declaration = CommandDeclaration(
    summary: "Merges the tweets that searches have found so far, the newest first",
    discussion: """
      For each tag it uses the latest search. A tweet that several searches found is shown once, \
      with all its tags. Searches that are unfinished or failed are listed below.
      """,
    positionals: [operation], options: [limit],
    examples: [
      .init("fetch tweets swift linux --per-tag 5; wait; result tweets --limit 6", "the newest six")
    ],
    searchTerms: ["search", "twitter", "merge", "timeline", "value"],
    traits: [.inspects])

  /// The searches for one tag: the latest one, and the latest page that was found.
  private struct Search {
    let tag: String
    var latest: ObservableOperation
    var page: TweetsPage?
  }

  static func run(_ invocation: Invocation) throws -> Value {
    var invocation = invocation
    invocation.isReceived = true
    let searches = try searches(invocation)
    var merged = MergedTweets(
      searches.compactMap { search in search.page.map { (search.tag, $0) } })
    if let limit = invocation.call[Self.limit] { merged.keepFirst(limit) }
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
      invocation.print(merged.table)
    }
    for search in searches { printState(of: search, invocation) }
    return Value(json: json)
  }

  private static func searches(_ invocation: Invocation) throws -> [Search] {
    let call = invocation.call
    try call.requireValue(operation)
    let all =
      call.has(operation)
      ? try invocation.operations(operation) : invocation.jobs.operations.all
    let requests = all.compactMap { operation in
      (operation.networkMetrics as? TweetsFetchOperation).map { (operation, request: $0) }
    }
    guard !requests.isEmpty else {
      throw call.failure(
        .noTweets,
        call.has(operation) ? "none of these searches for tweets" : "no tweets were searched for",
        at: operation, help: "'fetch tweets swift' searches for some")
    }
    var searches: [Search] = []
    for (operation, request) in requests.sorted(by: { $0.0.id < $1.0.id }) {
      let tag = request.query[Tweets.text] ?? ""
      let page = request.valueAtHand as? TweetsPage
      if page == nil, operation.isValueDropped {
        throw call.failure(UnplacedError.droppedValue(of: operation), at: Self.operation)
      }
      if let place = searches.firstIndex(where: { $0.tag == tag }) {
        searches[place].latest = operation
        // If a later search is unfinished or failed, the page before is the best there is.
        if let page { searches[place].page = page }
      } else {
        searches.append(Search(tag: tag, latest: operation, page: page))
      }
    }
    return searches
  }

  /// Prints why the latest search of a tag is not in the list.
  private static func printState(of search: Search, _ invocation: Invocation) {
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
    operation.networkMetrics is TweetsFetchOperation
  }
}

extension ErrorPage {
  package static let noTweets = ErrorPage(
    "no-tweets", "No search for tweets has a result", "'fetch tweets' searches for some.",
    help: "'fetch tweets WORD' searches", wrong: "result tweets",
    right: "fetch tweets swift\nwait\nresult tweets > tweets.txt", proof: .running)
}
