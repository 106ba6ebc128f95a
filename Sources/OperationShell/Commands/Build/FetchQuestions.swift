import Networking
import Operations
import ShellLanguage

/// `fetch questions`: a page of questions from Stack Exchange.
enum FetchQuestions: Command {
  static let signature = CommandSignature(
    path: ["fetch", "questions"],
    summary: "Fetches a page of questions",
    discussion: """
      Builds an operation that asks the Stack Exchange API for questions and decodes them. The \
      practice server answers unless 'endpoint' says otherwise.
      """,
    options: Invocation.pageOptions(sorts: QuestionSort.allCases.map(\.rawValue)) + [
      .init("tagged", .string, repeats: true, help: "only questions with all of these tags")
    ] + [.blocking, CompletionNote.option] + Invocation.cacheOptions + Invocation.requestOptions
      + BuildOptions.options,
    examples: [
      .init(
        "fetch questions --cached; wait; fetch questions --cached; wait; show last",
        "the second time the server only says that nothing has changed"),
      .init("fetch questions --pagesize 5; wait last; result last", "five questions as a table"),
      .init(
        "fetch questions --tagged swift,linux --sort votes --name best", "the best of two tags"),
    ],
    searchTerms: ["stack", "exchange", "overflow", "network", "request", "download"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    var query = QuestionsQuery()
    invocation.readPageOptions(into: &query)
    query.sort = call.string("sort").flatMap(QuestionSort.init(rawValue:))
    query.tagged = call.strings("tagged")
    let options = try invocation.readRequestOptions()
    let session = invocation.session
    let isBlocking = call.flag("blocking")
    try CompletionNote.check(call)
    if isBlocking {
      try invocation.refuseOnVirtualClock(
        "a thread that is held until an answer comes takes real time", at: "blocking")
    }
    let manager = QuestionsDataManager(
      queue: isBlocking
        ? BlockingNetworkOperation<QuestionsPage>.innerQueue : try invocation.queue(),
      transport: session.world.transport, endpoint: try session.world.endpoint(for: .questions),
      pacer: session.world.pacer)
    return try invocation.build(kind: "fetch questions") { [query] name in
      let note = CompletionNote(call)
      let handler = note.map { note in
        { @Sendable (result: Result<QuestionsPage, any Error>) in note.handle(result) }
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
