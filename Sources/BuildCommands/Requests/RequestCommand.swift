import CommandParts
import Foundation
import Locking
import Networking
package import ShellLanguage
import ShellOutput
import ShellSession

/// A command that sends one request of a certain method: `get`, `post`, and so on.
protocol RequestCommand: SendingCommand {
  static var method: String { get }
}

extension RequestCommand {
  static var kind: OperationKind { OperationKind(method.lowercased(), route: "requests") }

  static func clockUse(of call: CheckedCall) -> ClockUse { RequestCommands.clockUse(of: call) }

  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    RequestParameters.mistakes(in: call) + RequestCommands.mistakes(in: call)
      + RequestCommands.mistakes(inOutput: RequestCommands.output, of: call)
      + call.unsafeRetries(of: method) + call.secondBodies
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let output = RequestCommands.output
    let path = invocation.call.has(output) ? invocation.call[output] : nil
    return try invocation.buildRequest(
      method: method, kind, output: path.map { try invocation.place(ofOutput: $0, at: output) })
  }
}

/// What the commands for single requests share: the address and the body.
enum RequestCommands {
  static let url = Positional<String>("url", .url, help: "http or https URL, or a path")
  static let body = Option<String?>("body", help: "text to send")
  static let file = Option<String?>(
    "file", .file, help: "file whose content is sent; '-' is standard input")
  static let json = Option<String?>(
    "json", help: "JSON to send as application/json; checked first")

  static let form = Option<[String]>(
    "form",
    help: "field NAME=VALUE of a form to send; may be repeated")
  static let multipart = Option<[String]>(
    "multipart",
    help: "part of a form with files: NAME=VALUE or NAME=@FILE; may be repeated")

  static let output = Option<String?>(
    "output", .file,
    help: "write the body of the response to a file as it comes, as 'download' does")

  /// The options that give the body, of which a call has one.
  static let bodies: [any Parameter & OptionDeclaration] = [body, file, json, form, multipart]
  /// The options of a request with a body.
  static let forSending: [any OptionDeclaration] =
    [body, file, json, form, multipart, output, RequestParameters.retryUnsafe]
    + RequestParameters.all + BuildOptions.all
  /// The options of a request without one.
  static let forReading: [any OptionDeclaration] = RequestParameters.forReading + BuildOptions.all

  static let jsonHelp = "single quotes around it keep its double quotes: '{\"a\":1}'"

  /// What their help says about the body.
  static let bodyDiscussion = """
    The body is a text, JSON that is checked before anything is sent, the fields of a form, the \
    content of a file, or standard input ('--file -'). A large file is read while it is sent, and \
    must not change meanwhile. Its value is the response, or with '--output' the file that it was \
    written to. A request that may have changed \
    something is not repeated automatically: '--retry' also needs '--retry-unsafe'.
    """

  /// An address that is not on this machine, where the practice server is, takes real time.
  static func clockUse(of call: CheckedCall) -> ClockUse {
    guard let text = call.written(url).first?.text.lowercased(),
      text.hasPrefix("http://") || text.hasPrefix("https://")
    else { return .none }
    let host = text.split(separator: "/", omittingEmptySubsequences: false)[2]
    let isHere = host.hasPrefix("127.0.0.1") || host.hasPrefix("localhost")
    return isHere ? .none : .needsRealTime(.init(ClockUse.otherServer, at: url))
  }

  /// What is wrong with a call that has several options for the body.
  static func conflict(of bodies: [any Parameter & OptionDeclaration]) -> String {
    "'--\(bodies[0].name)' and '--\(bodies[1].name)' both give the body"
  }

  /// An address that no request can be made for, a body that is not JSON, and fields that are none.
  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    do throws(NetworkError) {
      if let text = call.written(url).first?.text {
        _ = try HTTPRequest(url: text.hasPrefix("/") ? "http://127.0.0.1" + text : text)
      }
    } catch {
      return [CheckedCall.Mistake(error, at: url)]
    }
    do throws(NetworkError) {
      if let text = call.written(json).first?.text {
        _ = try JSONValue(body: Array(text.utf8))
      }
    } catch {
      return [
        CheckedCall.Mistake(
          CodedPages.page(for: error.code), "the body is not JSON: \(error.reason)", at: json,
          help: jsonHelp)
      ]
    }
    return FormBody.mistakes(in: call)
  }

  /// A file `-`, which other programs take for standard output.
  static func mistakes(
    inOutput parameter: some Parameter, of call: CheckedCall
  ) -> [CheckedCall.Mistake] {
    guard call.mentions(parameter) else { return [] }
    var mistakes = call.written(parameter).filter { $0.text == "-" }.map {
      CheckedCall.Mistake(.badOutput, badOutput, at: parameter, index: $0.index)
    }
    if call.mentions(RequestParameters.cached) {
      mistakes.append(.init(.conflictingOptions, uncached, at: RequestParameters.cached))
    }
    if case .value(let count) = call.known(BuildOptions.count), count > 1 {
      mistakes.append(.init(.conflictingOptions, oneFile, at: BuildOptions.count))
    }
    return mistakes
  }

  fileprivate static let uncached = "what goes to a file is not kept for later requests"
  fileprivate static let oneFile = "several operations cannot write the same file"

  /// What is wrong with the file `-`.
  static let badOutput = "a response is written to a file, and '-' is not the name of one"
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
    try checkRetry(of: request)
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
      try refuseOutputOptions()
      // A file needs no memory, so only a limit that was asked for is one.
      if !call.has(RequestParameters.maxSize) { options.transfer.maximumBodySize = .max }
      return try build(kind) { [request, options, forget] name in
        DownloadOperation(
          name: name, kind: kind.name, engine: jobs.engine, request: request, path: output,
          transport: transport, options: options, pacing: pacing,
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
    guard !own.lowercased().contains("boundary=") else {
      throw call.failure(
        .conflictingOptions, "'--multipart' chooses the boundary of the parts itself",
        at: RequestParameters.header, help: "leave 'boundary=' out of the header 'Content-Type'")
    }
    try options.headers.set("Content-Type", own + type.drop { $0 != ";" })
  }

  /// The place of the file that a response is written to; throws for `-`.
  func place(ofOutput path: String, at parameter: some Parameter) throws -> String {
    guard path != "-" else {
      throw call.failure(.badOutput, RequestCommands.badOutput, at: parameter)
    }
    return outside.place(of: path)
  }

  /// A completion handler that calls something after a success only.
  private static func afterSuccess<Value>(
    _ body: (@Sendable () -> Void)?
  ) -> (@Sendable (Result<Value, any Error>) -> Void)? {
    guard let body else { return nil }
    return { result in if case .success = result { body() } }
  }

  /// Refuses what can't be done with a body that goes to a file.
  private func refuseOutputOptions() throws {
    if call[RequestParameters.cached] {
      throw call.failure(
        .conflictingOptions, RequestCommands.uncached, at: RequestParameters.cached)
    }
    if call.has(BuildOptions.count), call[BuildOptions.count] > 1 {
      throw call.failure(
        .conflictingOptions, RequestCommands.oneFile, at: BuildOptions.count)
    }
  }

  /// Refuses further attempts at what may happen twice then, unless they are asked for by name.
  ///
  /// Those that a group asks for are left out here: they are for what may be repeated in it.
  func checkRetry(of request: HTTPRequest) throws {
    try checkRetry(isSafe: request.isSafe, what: "a \(request.method) request")
  }

  /// The same by what is sent.
  func checkRetry(isSafe: Bool, what: String) throws {
    guard !isSafe, (call[BuildOptions.retry] ?? 0) > 0, !call[RequestParameters.retryUnsafe] else {
      return
    }
    throw call.failure(
      .unsafeRetry, UnsafeRetry.message(for: what), at: BuildOptions.retry, help: UnsafeRetry.help)
  }

  /// The request for the address that the call names; a path is one of the endpoint in use.
  func request(method: String) throws -> HTTPRequest {
    var url = call[RequestCommands.url]
    let isPath = url.hasPrefix("/")
    if isPath { url = try outside.network.endpoint().baseURL + url }
    var request: HTTPRequest
    do {
      request = try HTTPRequest(method: method, url: url)
      request.isOfEndpoint = isPath
    } catch {
      throw call.failure(error, at: RequestCommands.url)
    }
    if !outside.network.canReach(request) {
      try refuseOnVirtualClock(ClockUse.otherServer, at: RequestCommands.url)
    }
    return request
  }

  /// What is to be sent, and what it is called; nil for a request without a body.
  private func readBody() throws -> (content: RequestBody, type: String?)? {
    let given = RequestCommands.bodies.filter { call.has($0) }
    guard given.count < 2 else {
      throw call.failure(
        .conflictingOptions, RequestCommands.conflict(of: given), at: given[1])
    }
    if let text = call[RequestCommands.body] {
      return (.bytes(Array(text.utf8)), "text/plain; charset=utf-8")
    }
    if let text = call[RequestCommands.json] {
      let bytes = Array(text.utf8)
      do {
        _ = try JSONValue(body: bytes)
      } catch {
        throw call.failure(
          CodedPages.page(for: error.code),
          "the body is not JSON, and nothing was sent: \(error.reason)", at: RequestCommands.json,
          help: RequestCommands.jsonHelp)
      }
      return (.bytes(bytes), "application/json")
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
        isStandardInput ? nil : (path, outside.place(of: path)),
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
