import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession
import OpshWebAPIs

/// `fetch questions` and the like: a page of an endpoint of the Stack Exchange API, whose
/// description says what the command takes and prints.
enum FetchPage<Description: StackExchangeEndpoint>: SendingCommand {
  static var kind: OperationKind {
    OperationKind("fetch \(Description.name)", route: Description.name)
  }

  static var path: [String] { ["fetch", Description.name] }
  static var declaration: CommandDeclaration {
    let name = Description.name
    return CommandDeclaration(
      summary: "Fetches a page of \(name)",
      discussion: Description.discussion,
      options: Description.options + [RequestParameters.blocking, CompletionNote.option]
        + RequestParameters.forReading + BuildOptions.all,
      examples: Description.examples.map { .init($0.text, $0.explanation) } + [
        .init("fetch \(name) --pagesize 5; wait last; result last", "five \(name) as a table")
      ],
      searchTerms: ["stack", "exchange", "overflow", "network", "request", "download"])
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let query = APIQuery<Description>(call)
    let options = try invocation.readRequestOptions()
    let blocking = try BlockingChoice(invocation, of: kind)
    typealias Page = StackExchangePage<Description>
    let manager = DataManager<PageFetchOperation<Description>>(
      queue: blocking.requestQueue,
      transport: invocation.outside.network.transport,
      endpoint: try invocation.outside.network.endpoint(
        for: NetworkEnvironment.API(Description.self)),
      pacer: invocation.outside.network.pacer)
    return try invocation.build(kind) { name in
      let note = CompletionNote(call)
      let handler = note.map { note in
        { @Sendable (result: Result<Page, any Error>) in note.handle(result) }
      }
      let request = invocation.cached(
        manager.makeOperation(
          query: query, name: name, options: options, completionHandler: handler))
      note?.attach(to: request)
      return blocking.operation(for: request, name: name)
    }
  }
}

extension APIEndpoint {
  /// The options of the command that fetches from it.
  static var options: [any OptionDeclaration] { parameters.compactMap(\.declaration.optionOfShell) }
}

extension APIParameterDetails {
  /// The option that sets it; nil for one that only programs set.
  fileprivate var optionOfShell: CommandSignature.Option? {
    let kind: ArgumentKind =
      switch values {
      case .text: .string
      case .oneOf(let words): .choice(words)
      case .integer(let range):
        .integer(
          minimum: range.map { Int64($0.lowerBound) },
          maximum: range.flatMap { $0.upperBound == .max ? nil : Int64($0.upperBound) })
      }
    return option.map {
      CommandSignature.Option($0, kind, repeats: separator != nil, help: help)
    }
  }
}

extension APIQuery {
  /// Reads the options of a call that fetches from the endpoint.
  init(_ call: CommandCall) {
    self.init()
    for parameter in Endpoint.parameters {
      guard let name = parameter.declaration.option else { continue }
      // Binding has checked every value, so that its text is one of the parameter.
      set(parameter, to: call[Option<[String]>(name, help: "")])
    }
  }
}
