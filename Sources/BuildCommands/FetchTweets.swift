import CommandParts
import OpshNetworking
package import ShellLanguage
import ShellSession
import OpshWebAPIs

/// `fetch tweets`: a search for each of several tags.
enum FetchTweets: SendingCommand {
  static let tag = Positional<[String]>("tag", help: "text to search for").namingTags()
  static let kind = OperationKind("fetch tweets", route: Tweets.name)

  static let path = ["fetch", "tweets"]
  static let declaration = CommandDeclaration(
    summary: "Searches for tweets, with one operation for each tag",
    discussion: """
      Without a tag it searches for all that 'tags' keeps. Each operation finds its tweets by \
      itself: one that fails does not affect the others. The value is the list of operations; \
      'result tweets' merges what they have found so far, the newest first.
      """,
    positionals: [tag],
    options: Tweets.options + [RequestParameters.blocking] + RequestParameters.forReading
      + BuildOptions.all,
    examples: [
      .init(
        "fetch tweets swift c++ 'R&D' --per-tag 5; wait; result tweets", "three tags, one list"),
      .init(
        "tags add swift; let searches = fetch tweets --type recent; wait $searches; "
          + "tags remove --all", "the tags that are kept"),
    ],
    searchTerms: ["search", "twitter", "tag", "network", "request", "download"])

  /// One for each tag.
  static func names(createdBy call: CommandCall) -> [CreatedName] {
    kind.names(createdBy: call, count: nil)
  }

  static func value(of call: CommandCall) -> StaticKind { .unknown }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let tags = try tags(invocation)
    var query = TweetsQuery(call)
    let options = try invocation.readRequestOptions()
    let blocking = try BlockingChoice(invocation, of: kind)
    let manager = SearchDataManager(
      queue: blocking.requestQueue, transport: invocation.outside.network.transport,
      endpoint: try invocation.endpoint(ofLost: .tweets),
      pacer: invocation.outside.network.pacer)
    let built = try invocation.buildEach(of: tags, kind) { tag, name in
      query[Tweets.text] = tag
      let request = invocation.cached(
        manager.makeOperation(query: query, name: name, options: options))
      return blocking.operation(for: request, name: name)
    }
    return .list(built.map { .object(OperationObject($0, clock: invocation.run.clock)) })
  }

  private static func tags(_ invocation: Invocation) throws -> [String] {
    let call = invocation.call
    guard call.mentions(tag) else {
      let kept = try invocation.outside.tagStore.list().map(\.text)
      guard !kept.isEmpty else {
        throw call.failure(
          .noTags, "no tags are kept, so there is nothing to search for",
          help: "'tags add swift' keeps one; 'fetch tweets swift' searches without keeping")
      }
      return kept
    }
    // Only what can be kept can be searched for, and the same tag twice is one search.
    var seen: Set<String> = []
    return try call[tag].map(SearchTag.checked).filter {
      seen.insert(SearchTag.comparisonKey(of: $0)).inserted
    }
  }

  static let completions = [
    ParameterCompletion(tag) { TagsRemove.candidates(in: $1) }, RequestParameters.authCompletions,
  ]
}

extension Invocation {
  /// The service to ask for what only the practice server still has, and servers that imitate it.
  func endpoint(ofLost api: NetworkEnvironment.API) throws -> Endpoint {
    if outside.network.services[api].selection == .live {
      throw call.failure(
        .serviceGone,
        "\(api.lostName ?? api.name) no longer exists; only the practice server has it",
        help: "'endpoint \(api.name) practice' asks the practice server")
    }
    return try outside.network.endpoint(for: api)
  }
}

extension ErrorPage {
  package static let noTags = ErrorPage(
    "no-tags", "No tags are kept, so there is nothing to search for",
    "'fetch tweets' without words searches for the tags.", help: "'tags add swift' keeps one",
    wrong: "fetch tweets", right: "tags add swift\nfetch tweets", proof: .running)
}
