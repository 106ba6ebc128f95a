import Foundation
import Locking
import Networking
import Operations
import ShellLanguage

/// What the commands for single requests share: the address, the body, and building the operation.
extension Invocation {
  static let bodyOptions: [CommandSignature.Option] = [
    .init("body", .string, help: "a text to send"),
    .init("file", .file, help: "a file whose content is sent; '-' is standard input"),
    .init("json", .string, help: "JSON to send; checked first, and sent as application/json"),
    unsafeRetryOption,
  ]

  static let jsonHelp = "single quotes around it keep its double quotes: '{\"a\":1}'"

  /// What their help says about the body.
  static let bodyDiscussion = """
    The body is a text, JSON that is checked before anything is sent, the content of a file, or \
    standard input ('--file -'). Its value is the response. What may have changed something is \
    not sent a second time by itself: '--retry' wants '--retry-unsafe' besides.
    """

  /// Builds the operations of a command such as `get` or `post`.
  func buildRequest(method: String) throws -> Value {
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
    return try build(kind: method.lowercased()) { [request] name in
      cached(
        HTTPOperation(
          name: name, log: session.log, request: request, transport: session.world.transport,
          options: options, pacer: session.world.pacer, completionHandler: forget))
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
    guard !isSafe, (call.integer("retry") ?? 0) > 0, !call.flag("retry-unsafe") else { return }
    throw call.failure(
      "unsafe-retry",
      "\(what) that got no answer may have done its work, and a further attempt would do it again",
      at: "retry", help: "where that does no harm, say '--retry-unsafe' besides")
  }

  /// The request for the address that the call names; a path is one of the endpoint in use.
  func request(method: String) throws -> HTTPRequest {
    var url = call.string("url") ?? ""
    if url.hasPrefix("/") { url = try session.world.endpoint().baseURL + url }
    let request: HTTPRequest
    do {
      request = try HTTPRequest(method: method, url: url)
    } catch {
      throw call.failure(error.code, error.message, at: "url")
    }
    if !session.world.canReach(request) {
      try refuseOnVirtualClock("a server elsewhere takes real time", at: "url")
    }
    return request
  }

  /// What is to be sent, and what it is called; nil for a request without a body.
  private func readBody() throws -> (bytes: [UInt8], type: String?)? {
    let given = ["body", "file", "json"].filter(call.has)
    guard given.count < 2 else {
      throw call.failure(
        "conflicting-options", "'--\(given[0])' and '--\(given[1])' both give the body",
        at: given[1])
    }
    if let text = call.string("body") { return (Array(text.utf8), "text/plain; charset=utf-8") }
    if let text = call.string("json") {
      let bytes = Array(text.utf8)
      do {
        _ = try JSONValue(parsing: bytes)
      } catch {
        throw call.failure(
          error.code, "the body is not JSON, and nothing was sent: \(error.reason)", at: "json",
          help: Self.jsonHelp)
      }
      return (bytes, "application/json")
    }
    guard let path = call.string("file") else { return nil }
    let bytes = try readBody(at: path)
    return (bytes, path.hasSuffix(".json") ? "application/json" : "application/octet-stream")
  }

  private func readBody(at path: String) throws -> [UInt8] {
    let isStandardInput = path == "-"
    if isStandardInput {
      guard !session.isInteractive, !session.state.withLock({ $0.readsProgramFromInput }) else {
        throw call.failure(
          "input-in-use", "standard input is where the commands come from", at: "file",
          help: "'--body' takes a text, '--file' a path")
      }
    }
    do {
      return try InputFile.read(
        isStandardInput ? nil : session.place(of: path),
        checkEnd: { try session.pump() })
    } catch let error as InputFile.Failure {
      throw call.failure(error.code, "'\(path)': \(error.message)", at: "file")
    }
  }
}

extension NetworkError {
  /// What is wrong with JSON, without the words that are about a response.
  var reason: String {
    if case .serialization(let why) = self { why } else { message }
  }
}
