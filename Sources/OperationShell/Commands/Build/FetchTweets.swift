import Networking
import Operations
import ShellLanguage
import Terminal

/// `fetch tweets`: a search for each of several tags.
enum FetchTweets: Command {
  static let signature = CommandSignature(
    path: ["fetch", "tweets"],
    summary: "Searches for tweets, with one operation for each tag",
    discussion: """
      Without a tag it searches for all that 'tags' keeps. Each operation finds its tweets by \
      itself: one that fails does not keep the others. The value is the list of operations; \
      'result tweets' merges what they have found so far, the newest first.
      """,
    positionals: [.init("tag", .string, .repeating, help: "a text to search for")],
    options: [
      .init(
        "per-tag", .integer(minimum: 1, maximum: 100),
        help: "tweets for each tag: 1 to 100; 15 if left out"),
      .init(
        "type", .choice(TweetResultType.allCases.map(\.rawValue)),
        help: "which of those that match; mixed if left out"),
      .init("lang", .string, help: "only tweets in this language, such as en"),
    ] + Invocation.cacheOptions + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init(
        "fetch tweets swift c++ 'R&D' --per-tag 5; wait; result tweets", "three tags, one list"),
      .init(
        "tags add swift; let searches = fetch tweets --type recent; wait $searches; "
          + "tags remove --all", "the tags that are kept"),
    ],
    searchTerms: ["search", "twitter", "tag", "network", "request", "download"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let session = invocation.session
    let tags = try tags(invocation)
    var query = TweetsQuery(text: "")
    query.perPage = call.integer("per-tag")
    query.resultType = call.string("type").flatMap(TweetResultType.init(rawValue:))
    query.language = call.string("lang")
    let options = try invocation.readRequestOptions()
    let manager = SearchDataManager(
      queue: try invocation.queue(), transport: session.world.transport,
      endpoint: try invocation.endpoint(ofLost: .tweets),
      pacer: session.world.pacer)
    let built = try invocation.buildEach(of: tags, kind: "fetch tweets") { tag, name in
      query.text = tag
      return invocation.cached(manager.makeOperation(query: query, name: name, options: options))
    }
    return .list(built.map { .object(OperationObject($0, clock: session.clock)) })
  }

  private static func tags(_ invocation: Invocation) throws -> [String] {
    let call = invocation.call
    guard call.has("tag") else {
      let kept = try invocation.session.tagStore.list().map(\.text)
      guard !kept.isEmpty else {
        throw call.failure(
          "no-tags", "no tags are kept, so there is nothing to search for",
          help: "'tags add swift' keeps one; 'fetch tweets swift' searches without keeping")
      }
      return kept
    }
    do throws(StoreError) {
      // Only what can be kept can be searched for, and the same tag twice is one search.
      var seen: Set<String> = []
      var tags: [String] = []
      for text in call.strings("tag") {
        let tag = try SearchTag.checked(text)
        if seen.insert(SearchTag.comparisonKey(of: tag)).inserted { tags.append(tag) }
      }
      return tags
    } catch {
      throw invocation.failure(error, amongTags: "tag", known: [])
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "tag" ? session.keptTags : []
  }
}

extension Invocation {
  /// The service to ask for what only the practice server still has, and servers that imitate it.
  func endpoint(ofLost api: World.API) throws -> Endpoint {
    if session.world.services[api].selection == .live {
      throw call.failure(
        "service-gone",
        "\(api.lostName ?? api.rawValue) no longer exists; only the practice server has it",
        help: "'endpoint \(api.rawValue) practice' asks the practice server")
    }
    return try session.world.endpoint(for: api)
  }
}
