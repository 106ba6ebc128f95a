import CommandParts
import Foundation
import OpshNetworking
import Operations
import ShellLanguage
import ShellSession
import OpshWebAPIs

/// `fetch quotes`: quotes from a Parse service, as they are there.
enum FetchQuotes: SendingCommand {
  static let kind = OperationKind("fetch quotes", route: Quotes.name)

  static let path = ["fetch", "quotes"]
  static let declaration = CommandDeclaration(
    summary: "Fetches quotes from the Parse service without keeping them",
    discussion: """
      Builds an operation that asks the Parse API for quotes and decodes them, including \
      records that are not quotes. 'quotes sync' stores them.
      """,
    options: Quotes.options + [RequestParameters.blocking] + RequestParameters.forReading
      + BuildOptions.all,
    examples: [
      .init(
        "fetch quotes --limit 5 --order=-readCount; wait last; result last", "the most read five")
    ],
    searchTerms: ["parse", "network", "request", "download"])

  static func run(_ invocation: Invocation) throws -> Value {
    let query = QuotesQuery(invocation.call)
    let options = try invocation.readRequestOptions()
    let blocking = try BlockingChoice(invocation, of: kind)
    let manager = try invocation.quotesManager(queue: blocking.requestQueue)
    return try invocation.build(kind) { name in
      let request = invocation.cached(
        try manager.makeFetch(query: query, name: name, options: options))
      return blocking.operation(for: request, name: name)
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
      queue: queue, transport: outside.network.transport,
      endpoint: try endpoint(ofLost: .quotes),
      credentials: outside.network.services[.quotes].credentials ?? .practice,
      pacer: outside.network.pacer)
  }

  /// The queue for all that keeps quotes: one at a time, and soon, because a user waits for it.
  func quotesQueue() throws -> InspectableQueue {
    try jobs.queues.route(of: "quotes") ?? jobs.queues.quotesQueue()
  }
}
