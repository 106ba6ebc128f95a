import Foundation
import Locking
import Networking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// A command that sends one request of a certain method: `get`, `post`, and so on.
protocol RequestCommand: BuildCommand {
  static var method: String { get }
}

extension RequestCommand {
  static var kind: OperationKind { OperationKind(method.lowercased(), route: "requests") }

  static func clockUse(of call: CheckedCall) -> ClockUse { RequestCommands.clockUse(of: call) }

  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    RequestParameters.mistakes(in: call) + RequestCommands.mistakes(in: call)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.buildRequest(method: method, kind)
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

  /// The options that give the body, of which a call has one.
  static let bodies: [any Parameter & OptionDeclaration] = [body, file, json, form, multipart]
  /// The options of a request with a body.
  static let forSending: [any OptionDeclaration] =
    bodies + [RequestParameters.retryUnsafe] + RequestParameters.all + BuildOptions.all
  /// The options of a request without one.
  static let forReading: [any OptionDeclaration] = RequestParameters.forReading + BuildOptions.all

  static let jsonHelp = "single quotes around it keep its double quotes: '{\"a\":1}'"

  /// What their help says about the body.
  static let bodyDiscussion = """
    The body is a text, JSON that is checked before anything is sent, the fields of a form, the \
    content of a file, or standard input ('--file -'). Its value is the response. A request that may have changed \
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

  /// An address that no request can be made for, and a body that is not JSON.
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
          ErrorCatalog.page(for: error.code), "the body is not JSON: \(error.reason)", at: json,
          help: jsonHelp)
      ]
    }
    return []
  }
}

extension Invocation {
  /// Builds the operations of a command such as `get` or `post`.
  func buildRequest(method: String, _ kind: OperationKind) throws -> Value {
    let options = try readRequestOptions()
    var request = try request(method: method)
    try checkRetry(of: request)
    if let body = try readBody() {
      request.body = body.bytes
      if let type = body.type { try request.headers.append("Content-Type", type) }
    }
    let session = session
    // What may have changed something there makes what is kept of the address worthless.
    let forget: (@Sendable (Result<HTTPResponse, any Error>) -> Void)?
    if request.isSafe || !session.keepsSomething {
      forget = nil
    } else {
      forget = { [weak session, request] result in
        if case .success = result { _ = try? session?.responseCache.invalidate(request) }
      }
    }
    return try build(kind) { [request] name in
      cached(
        HTTPOperation(
          name: name, engine: session.engine, request: request,
          transport: session.network.transport,
          options: options, pacer: session.network.pacer, completionHandler: forget))
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
      .unsafeRetry,
      "\(what) that got no answer may have done its work, and a further attempt would do it again",
      at: BuildOptions.retry, help: "where that does no harm, add '--retry-unsafe'")
  }

  /// The request for the address that the call names; a path is one of the endpoint in use.
  func request(method: String) throws -> HTTPRequest {
    var url = call[RequestCommands.url]
    if url.hasPrefix("/") { url = try session.network.endpoint().baseURL + url }
    let request: HTTPRequest
    do {
      request = try HTTPRequest(method: method, url: url)
    } catch {
      throw call.failure(error, at: RequestCommands.url)
    }
    if !session.network.canReach(request) {
      try refuseOnVirtualClock(ClockUse.otherServer, at: RequestCommands.url)
    }
    return request
  }

  /// What is to be sent, and what it is called; nil for a request without a body.
  private func readBody() throws -> (bytes: [UInt8], type: String?)? {
    let given = RequestCommands.bodies.filter { call.has($0) }
    guard given.count < 2 else {
      throw call.failure(
        .conflictingOptions, "'--\(given[0].name)' and '--\(given[1].name)' both give the body",
        at: given[1])
    }
    if let text = call[RequestCommands.body] {
      return (Array(text.utf8), "text/plain; charset=utf-8")
    }
    if let text = call[RequestCommands.json] {
      let bytes = Array(text.utf8)
      do {
        _ = try JSONValue(body: bytes)
      } catch {
        throw call.failure(
          ErrorCatalog.page(for: error.code),
          "the body is not JSON, and nothing was sent: \(error.reason)", at: RequestCommands.json,
          help: RequestCommands.jsonHelp)
      }
      return (bytes, "application/json")
    }
    if let form = try readForm() { return (form.bytes, form.type) }
    guard let path = call[RequestCommands.file] else { return nil }
    let bytes = try readBody(at: path, of: RequestCommands.file)
    return (bytes, path.hasSuffix(".json") ? "application/json" : "application/octet-stream")
  }

  /// The content of a file or of standard input, for an option that names it.
  func readBody(at path: String, of option: some Parameter) throws -> [UInt8] {
    let isStandardInput = path == "-"
    if isStandardInput {
      guard !session.isInteractive, !session.state.withLock({ $0.readsProgramFromInput }) else {
        throw call.failure(
          .inputInUse, "the commands come from standard input", at: option,
          help: "'--body' takes a text, '--file' a path")
      }
    }
    do {
      return try InputFile.read(
        isStandardInput ? nil : session.place(of: path), input: session.output.streams.input,
        checkEnd: { try session.pump() })
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
  static let unsafeRetry = ErrorPage(
    "unsafe-retry", "A retry may repeat a request that was carried out",
    "A POST or PATCH without an answer may have been carried out; a further attempt would do it "
      + "twice.", help: "if repeating the request is safe, also add '--retry-unsafe'",
    wrong: "post / --body a --retry 3", right: "post / --body a --retry 3 --retry-unsafe",
    proof: .running)

  static let conflictingOptions = ErrorPage(
    "conflicting-options", "Two options cannot be combined", "The message names them.",
    help: "leave one of them out", wrong: "post / --body a --file b.txt", right: "post / --body a",
    proof: .unproven)

  static let inputInUse = ErrorPage(
    "input-in-use", "Standard input is read already",
    "A script that comes from standard input cannot send the rest of it as a body.",
    help: "put the script into a file", wrong: "post / --file -", right: "post / --file body.txt",
    proof: .unproven)
}
