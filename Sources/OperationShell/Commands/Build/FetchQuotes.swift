import Foundation
import Networking
import Operations
import ShellLanguage

/// `fetch quotes`: quotes from a Parse service, as they are there.
enum FetchQuotes: Command {
  static let signature = CommandSignature(
    path: ["fetch", "quotes"],
    summary: "Fetches quotes from the Parse service without keeping them",
    discussion: """
      Builds an operation that asks the Parse API for quotes and decodes them, those that are no \
      quotes included. 'quotes sync' is what keeps them.
      """,
    options: [
      .init(
        "limit", .integer(minimum: 0, maximum: Int64(QuotesQuery.maximumLimit)),
        help: "how many at most; 100 if left out"),
      .init("skip", .integer(minimum: 0), help: "how many to leave out at the beginning"),
      .init(
        "order", .string, repeats: true,
        help: "a field to order by, with '-' before it if it is to fall"),
    ] + Invocation.cacheOptions + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init(
        "fetch quotes --limit 5 --order=-readCount; wait last; result last", "the most read five")
    ],
    searchTerms: ["parse", "network", "request", "download"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    var query = QuotesQuery()
    query.limit = call.integer("limit")
    query.skip = call.integer("skip")
    query.order = call.strings("order")
    let options = try invocation.readRequestOptions()
    let manager = try invocation.quotesManager(queue: try invocation.queue())
    return try invocation.build(kind: "fetch quotes") { name in
      invocation.cached(try manager.makeFetch(query: query, name: name, options: options))
    }
  }
}

extension Invocation {
  /// The manager of quotes on a queue.
  ///
  /// The practice server takes any keys; those of another service come from 'endpoint quotes', or
  /// for a single request from '--header'.
  func quotesManager(queue: InspectableQueue) throws -> QuotesDataManager {
    QuotesDataManager(
      queue: queue, transport: session.world.transport,
      endpoint: try endpoint(ofLost: .quotes),
      credentials: session.world.services[.quotes].credentials ?? .practice,
      pacer: session.world.pacer)
  }

  /// The queue for all that keeps quotes: one at a time, and soon, because somebody waits for it.
  func quotesQueue() throws -> InspectableQueue {
    try session.queues.route(of: "quotes") ?? session.queues.quotesQueue()
  }
}
