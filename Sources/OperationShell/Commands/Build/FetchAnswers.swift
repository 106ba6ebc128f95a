import Networking
import Operations
import ShellLanguage

/// `fetch answers`: a page of answers from Stack Exchange.
enum FetchAnswers: Command {
  static let signature = CommandSignature(
    path: ["fetch", "answers"],
    summary: "Fetches a page of answers",
    discussion: """
      Builds an operation that asks the Stack Exchange API for answers and decodes them: the \
      newest ones of the site, or with '--question' those to certain questions.
      """,
    options: Invocation.pageOptions(sorts: AnswerSort.allCases.map(\.rawValue)) + [
      .init(
        "question", .integer(minimum: 1), repeats: true,
        help: "only answers to the questions with these ids")
    ] + [.blocking, CompletionNote.option] + Invocation.cacheOptions + Invocation.requestOptions
      + BuildOptions.options,
    examples: [
      .init(
        "fetch answers --name Answers-Retrieval --completion; wait; log Answers-Retrieval",
        "its completion handler is called before it is finished"),
      .init("fetch answers --pagesize 5; wait last; result last", "five answers as a table"),
      .init(
        "fetch questions; fetch answers --after questions-1; deps answers-1",
        "answers that wait for questions"),
    ],
    searchTerms: ["stack", "exchange", "overflow", "network", "request", "download"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    var query = AnswersQuery()
    invocation.readPageOptions(into: &query)
    query.sort = call.string("sort").flatMap(AnswerSort.init(rawValue:))
    query.questionIDs = call.values("question").compactMap {
      if case .integer(let id) = $0 { Int(exactly: id) } else { nil }
    }
    let options = try invocation.readRequestOptions()
    let session = invocation.session
    let isBlocking = call.flag("blocking")
    try CompletionNote.check(call)
    if isBlocking {
      try invocation.refuseOnVirtualClock(
        "a thread that is held until an answer comes takes real time", at: "blocking")
    }
    let manager = AnswersDataManager(
      queue: isBlocking
        ? BlockingNetworkOperation<AnswersPage>.innerQueue : try invocation.queue(),
      transport: session.world.transport, endpoint: try session.world.endpoint(for: .answers),
      pacer: session.world.pacer)
    return try invocation.build(kind: "fetch answers") { [query] name in
      let note = CompletionNote(call)
      let handler = note.map { note in
        { @Sendable (result: Result<AnswersPage, any Error>) in note.handle(result) }
      }
      let request = invocation.cached(
        manager.makeOperation(
          query: query, name: name, options: options, completionHandler: handler))
      note?.attach(to: request)
      guard isBlocking else { return request }
      return BlockingNetworkOperation(name: name, log: session.log, request: request)
    }
  }
}
