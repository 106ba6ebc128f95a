import CommandParts
import Foundation
import OpshLocking
import OpshNetworking
package import ShellLanguage
import ShellOutput
import ShellSession

/// A command that sends one request of a certain method: `get`, `post`, and so on.
protocol RequestCommand: SendingCommand {
  static var method: String { get }
}

extension RequestCommand {
  static var kind: OperationKind { OperationKind(method.lowercased(), route: "requests") }

  static func clockUse(of call: CommandCall) -> ClockUse { RequestCommands.clockUse(of: call) }

  static func run(_ invocation: Invocation) throws -> Value {
    let output = invocation.call[RequestCommands.output].map { invocation.outside.place(of: $0) }
    return try invocation.buildRequest(method: method, kind, output: output)
  }
}

/// What the commands for single requests share: the address and the body.
enum RequestCommands {
  static let url = Positional<String>("url", .url, help: "http or https URL, or a path")
    .checkedEach { (text) throws(NetworkError) in
      _ = try HTTPRequest(url: text.hasPrefix("/") ? "http://127.0.0.1" + text : text)
    }
  static let body = Option<String?>("body", help: "text to send")
  static let file = Option<String?>(
    "file", .file, help: "file whose content is sent; '-' is standard input")
  static let json = Option<String?>(
    "json", help: "JSON to send as application/json; checked first"
  ).refusedEach { text in
    do throws(NetworkError) {
      _ = try JSONValue(body: Array(text.utf8))
      return nil
    } catch {
      return UnplacedError(
        CodedPages.page(for: error.code), "the body is not JSON: \(error.reason)",
        help: "single quotes around it keep its double quotes: '{\"a\":1}'")
    }
  }

  static let form = Option<[String]>(
    "form",
    help: "field NAME=VALUE of a form to send; may be repeated"
  ).refusedEach(FormBody.refusal)
  static let multipart = Option<[String]>(
    "multipart",
    help: "part of a form with files: NAME=VALUE or NAME=@FILE; may be repeated"
  )
  .refusedEach(FormBody.refusal)
  .refused { call, multipart in
    let header = RequestParameters.header
    let own = call.texts(of: header).first {
      let text = $0.text.lowercased()
      return text.hasPrefix("content-type:") && text.contains("boundary=")
    }
    guard let own, call.has(multipart) else { return nil }
    return call.failure(
      .conflictingOptions, "'--multipart' chooses the boundary of the parts itself", at: header,
      index: own.index, help: "leave 'boundary=' out of the header 'Content-Type'")
  }

  static let output = Option<String?>(
    "output", .file,
    help: "write the body of the response to a file as it comes, as 'download' does"
  )
  .namingFile()
  .refused { call, output in
    guard call.has(output), let count = call.known(BuildOptions.count), count > 1 else {
      return nil
    }
    return call.failure(
      .conflictingOptions, "several operations cannot write the same file", at: BuildOptions.count)
  }

  /// The options that give the body, of which a call has one.
  static let bodies: [any Parameter] = [body, file, json, form, multipart]
  /// The options of a request with a body.
  static let forSending: [any OptionDeclaration] =
    [body, file, json, form, multipart, output, RequestParameters.retryUnsafe]
    + RequestParameters.all + BuildOptions.all
  /// The options of a request without one.
  static let forReading: [any OptionDeclaration] = RequestParameters.forReading + BuildOptions.all

  /// The rules of a request with a body.
  static func rules(ofSending method: String) -> [ArgumentRule] {
    [.oneOf(bodies, "both give the body"), UnsafeRetry.rule(for: "a \(method) request")]
  }

  /// What their help says about the body.
  static let bodyDiscussion = """
    The body is a text, JSON that is checked before anything is sent, the fields of a form, the \
    content of a file, or standard input ('--file -'). A large file is read while it is sent, and \
    must not change meanwhile. Its value is the response, or with '--output' the file that it was \
    written to. A request that may have changed \
    something is not repeated automatically: '--retry' also needs '--retry-unsafe'.
    """

  /// An address that is not on this machine, where the practice server is, takes real time.
  static func clockUse(of call: CommandCall) -> ClockUse {
    guard let text = call.texts(of: url).first?.text.lowercased(),
      text.hasPrefix("http://") || text.hasPrefix("https://")
    else { return .none }
    let host = text.split(separator: "/", omittingEmptySubsequences: false)[2]
    let isHere = host.hasPrefix("127.0.0.1") || host.hasPrefix("localhost")
    return isHere
      ? .none : .needsRealTime(call.failure(takingRealTime: ClockUse.otherServer, at: url))
  }
}

extension RuledParameter {
  /// Returns the parameter with the rule that it names a file, and not standard output.
  func namingFile() -> Self {
    refusedEach { path in
      guard path == "-" else { return nil }
      return UnplacedError(
        .badOutput, "a response is written to a file, and '-' is not the name of one")
    }
  }
}

extension Invocation {
  /// Builds the operations of a command such as `get`, `post` or `download`.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - kind: What the operations are.
  ///   - readsBody: Whether the call may have the options of a body.
  ///   - output: The file for the body of the response; nil to keep it as the value.
  /// - Returns: The operation, or the list of them where there are several.
  /// - Throws: A diagnostic where an option can't be met.
  func buildRequest(
    method: String, _ kind: OperationKind, readsBody: Bool = true, output: String? = nil
  ) throws -> Value {
    var options = try readRequestOptions()
    var request = try request(method: method)
    if readsBody, let body = try readBody() {
      request.body = body.content
      request.bodyOrigin = try bodyOrigin()
      if let type = body.type {
        try request.headers.append("Content-Type", type)
        try addBoundary(of: type, to: &options)
      }
    }
    // What may have changed something there makes what is kept of the address worthless.
    var forget: (@Sendable () -> Void)?
    if !request.isSafe, outside.keepsSomething {
      forget = { [weak outside, request] in _ = try? outside?.responseCache.invalidate(request) }
    }
    outside.network.prepareTransport()
    let transport = outside.network.transport
    let pacing = RequestPacing(pacer: outside.network.pacer, request: request)
    if let output {
      // A file needs no memory, so only a limit that was asked for is one.
      if !call.has(RequestParameters.maxSize) { options.transfer.maximumBodySize = .max }
      return try build(kind) { [request, options, forget] name in
        DownloadOperation(
          name: name, kind: kind.name, engine: jobs.engine, request: request, path: output,
          place: outside.files.place(of: output, for: .replacing), transport: transport,
          options: options, pacing: pacing,
          completionHandler: Self.afterSuccess(forget))
      }
    }
    return try build(kind) { [request, options, forget] name in
      cached(
        HTTPOperation(
          name: name, engine: jobs.engine, request: request, transport: transport,
          options: options, pacing: pacing,
          completionHandler: Self.afterSuccess(forget)))
    }
  }

  /// Adds the line between the parts of a form to a type that the call names itself.
  private func addBoundary(of type: String, to options: inout RequestOptions) throws {
    guard call.has(RequestCommands.multipart), let own = options.headers["Content-Type"] else {
      return
    }
    try options.headers.set("Content-Type", own + type.drop { $0 != ";" })
  }

  /// A completion handler that calls something after a success only.
  private static func afterSuccess<Value>(
    _ body: (@Sendable () -> Void)?
  ) -> (@Sendable (Result<Value, any Error>) -> Void)? {
    guard let body else { return nil }
    return { result in if case .success = result { body() } }
  }

  /// The request for the address that the call names; a path is one of the endpoint in use.
  func request(method: String) throws -> HTTPRequest {
    var url = call[RequestCommands.url]
    let isPath = url.hasPrefix("/")
    if isPath { url = try outside.network.endpoint().baseURL + url }
    var request = try HTTPRequest(method: method, url: url)
    request.isOfEndpoint = isPath
    if !outside.network.canReach(request) {
      throw call.failure(takingRealTime: ClockUse.otherServer, at: RequestCommands.url)
    }
    return request
  }

  /// What is to be sent, and what it is called; nil for a request without a body.
  private func readBody() throws -> (content: RequestBody, type: String?)? {
    if let text = call[RequestCommands.body] {
      return (.bytes(Array(text.utf8)), "text/plain; charset=utf-8")
    }
    if let text = call[RequestCommands.json] {
      return (.bytes(Array(text.utf8)), "application/json")
    }
    if let form = try readForm() { return (form.content, form.type) }
    guard let path = call[RequestCommands.file] else { return nil }
    let content = try readBody(at: path, of: RequestCommands.file)
    return (
      RequestBody([content]),
      path.hasSuffix(".json") ? "application/json" : "application/octet-stream"
    )
  }

  /// The content of a file or of standard input, for an option that names it; a large file is only
  /// named in it.
  func readBody(at path: String, of option: some Parameter) throws -> RequestBody.Part {
    guard !path.utf8.contains(0) else {
      throw call.failure(.file(EINVAL), "'\(path)': a path can't hold a zero byte", at: option)
    }
    let isStandardInput = path == "-"
    if isStandardInput {
      guard !screen.isInteractive, !run.state.withLock({ $0.readsProgramFromInput }) else {
        throw call.failure(
          .inputInUse, "the commands come from standard input", at: option,
          help: "'--body' takes a text, '--file' a path")
      }
    }
    do {
      return try InputFile.read(
        isStandardInput ? nil : (path, outside.place(of: path, for: .reading)),
        input: screen.output.streams.input,
        checkEnd: { try run.pump() })
    } catch let error as UnplacedError {
      throw call.failure(error.page, "'\(path)': \(error.message)", at: option)
    }
  }
}

extension NetworkError {
  /// What is wrong with JSON, without the words that are about a response.
  var reason: String {
    if case .serialization(let why) = self { why } else { message }
  }
}

extension ErrorPage {
  package static let unsafeRetry = ErrorPage(
    "unsafe-retry", "A retry may repeat a request that was carried out",
    "A POST, PUT, PATCH or DELETE, or 'quotes read', without an answer may have been carried out; "
      + "a further attempt would do it twice.",
    help: "if repeating the request is safe, also add '--retry-unsafe'",
    wrong: "post /cookies --body a --retry 3",
    right: "post /cookies --body a --retry 3 --retry-unsafe\nwait")

  package static let inputInUse = ErrorPage(
    "input-in-use", "Standard input is read already",
    "A script that comes from standard input cannot send the rest of it as a body.",
    help: "put the script into a file", wrong: "post /cookies --file -",
    right: "echo text > body.txt\npost /cookies --file body.txt\nwait", proof: .unproven)
}

extension ErrorPage {
  package static let badOutput = ErrorPage(
    "bad-output", "The output is not a file",
    "Other programs take '-' for standard output. Here a response is the value of its operation, "
      + "which 'result' prints, or goes to a file.",
    help: "'result OP' prints a body; './-' is a file of that name", wrong: "get / --output -",
    right: "get /\nwait\nresult last", proof: .checking)
}
