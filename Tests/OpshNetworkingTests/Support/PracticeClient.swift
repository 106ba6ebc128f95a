import Foundation
import OpshNetworking
import Operations
import PracticeServer

/// A practice server for one test, and the four families of requests that it answers.
struct PracticeClient {
  /// Kinds of requests that can fail in the same ways.
  enum Family: String, CaseIterable, Sendable {
    /// Decoded into types; always compressed.
    case questions
    /// Any JSON.
    case tweets
    /// Any JSON; the headers are not sent to other origins.
    case objects
    /// A POST, which is never sent twice.
    case creation
  }

  let server: PracticeServer
  let place: Workplace

  init(seed: UInt64 = 1, width: Int = 4) throws {
    server = PracticeServer(seed: seed)
    try server.start()
    place = Workplace(width: width)
  }

  /// The address of the running server.
  var url: String { server.baseURL ?? "" }

  /// Creates an operation that is on no queue yet.
  ///
  /// - Parameters:
  ///   - family: The kind of request.
  ///   - timeout: Its deadline.
  ///   - completed: Called with its result.
  /// - Returns: The operation.
  /// - Throws: An error for an invalid request.
  func operation(
    _ family: Family, timeout: Duration, completed: @escaping @Sendable () -> Void = {}
  ) throws -> ObservableOperation {
    var options = RequestOptions()
    options.timeout = timeout
    switch family {
    case .questions:
      // A pacer of its own: a backoff for one operation must not delay the others.
      let manager = QuestionsDataManager(
        queue: place.queue, transport: place.transport, endpoint: try Endpoint(url: url),
        pacer: RequestPacer())
      return manager.makeOperation(query: QuestionsQuery(), options: options) { _ in completed() }
    case .tweets:
      return JSONOperation(
        engine: place.engine, request: try HTTPRequest(url: "\(url)/search.json?q=swift"),
        transport: place.transport, options: options, completionHandler: { _ in completed() })
    case .objects, .creation:
      var request = try HTTPRequest(
        method: family == .creation ? "POST" : "GET", url: "\(url)/1/classes/Quote")
      try request.headers.append("X-Parse-Application-Id", "app")
      try request.headers.append("X-Parse-REST-API-Key", "key")
      if family == .creation {
        try request.headers.append("Content-Type", "application/json")
        request.body = .bytes(Array(#"{"text":"one"}"#.utf8))
      }
      return JSONOperation(
        engine: place.engine, request: request, transport: place.transport, options: options,
        completionHandler: { _ in completed() })
    }
  }

  /// Runs a request to its end.
  func run(_ family: Family, timeout: Duration) async throws -> ObservableOperation {
    let operation = try operation(family, timeout: timeout)
    try place.queue.addOperation(operation)
    try await place.finish(operation)
    return operation
  }

  /// Stops the server and the transport.
  func stop() {
    place.transport.shutdown()
    server.stop()
  }
}

/// Accepts any JSON as its value.
final class JSONOperation: NetworkOperation<JSONValue>, @unchecked Sendable {
  // @unchecked because it has no state of its own.

  convenience init(
    engine: OperationEngine, request: HTTPRequest, transport: any Transport,
    options: RequestOptions,
    completionHandler: @escaping @Sendable (Result<JSONValue, any Error>) -> Void
  ) {
    self.init(
      name: nil, kind: "json", engine: engine, request: request, transport: transport,
      options: options, completionHandler: completionHandler)
  }

  override func decode(_ response: HTTPResponse) throws -> JSONValue {
    try JSONValue(parsing: response.body)
  }
}

/// Counts the connections of this process to or from a port of this machine.
enum SocketCensus {
  static func count(port: UInt16) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)) ?? ""
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    return text.split(separator: "\n").dropFirst().count { line in
      let fields = line.split(separator: " ")
      // The tenth field is the inode; it is 0 for a socket that no process holds, as in TIME_WAIT.
      return fields.count > 9 && fields[9] != "0"
        && (fields[1].hasSuffix(suffix) || fields[2].hasSuffix(suffix))
    }
  }
}
