import Foundation
import Operations

/// Knows where the objects of a Parse service are, and how to ask for them.
struct ParseService: Sendable {
  let endpoint: Endpoint
  let transport: any Transport
  let credentials: ParseCredentials
  let pacer: RequestPacer
  /// The path of the API after the base address: `/1` at Parse.com and here, `/parse` at others.
  let root: String

  var pacing: RequestPacing {
    RequestPacing(pacer: pacer, method: "\(endpoint.baseURL)\(root) parse")
  }

  /// The request for a class, or for an object of it.
  func request(
    method: String = "GET", className: String, id: String? = nil,
    fields: QueryFields = QueryFields(), body: JSONValue? = nil
  ) throws(NetworkError) -> HTTPRequest {
    var path = "\(root)/classes/\(className)"
    // An id is one part of a path, whatever characters it has.
    if let id { path += "/" + QueryFields.encode(id) }
    var request = try HTTPRequest(
      method: method, address: endpoint.address(path: path, fields: fields))
    request.headers = try credentials.headers
    if let body {
      try request.headers.set("Content-Type", "application/json")
      request.body = Array(body.text.utf8)
    }
    return request
  }
}

/// Asks a Parse service for something; an error that the service explains fails as
/// `NetworkError.api`.
public class ParseOperation<Value: Sendable>: NetworkOperation<Value>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Creates an operation.
  init(
    name: String?, kind: String, log: EventLog, request: HTTPRequest, service: ParseService,
    options: RequestOptions, callbackQueue: DispatchQueue?,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    super.init(
      name: name, kind: kind, log: log, request: request, transport: service.transport,
      options: options, pacing: service.pacing, callbackQueue: callbackQueue,
      completionHandler: completionHandler)
  }

  /// Reads the service's own error.
  ///
  /// - Parameter response: The response.
  /// - Returns: `api` where the body says what is wrong, `invalidStatusCode` otherwise.
  public final override func failure(for response: HTTPResponse) -> NetworkError {
    ParseText.error(in: response) ?? super.failure(for: response)
  }
}

/// Reads what Parse services write.
enum ParseText {
  private static let names = [
    1: "internal_error", 2: "unavailable", 100: "connection_failed", 101: "object_not_found",
    102: "invalid_query", 103: "invalid_class_name", 104: "missing_object_id",
    105: "invalid_field_name", 106: "invalid_pointer", 107: "invalid_json",
    111: "incorrect_type", 116: "object_too_large", 119: "operation_forbidden", 124: "timeout",
    137: "duplicate_value", 141: "script_failed", 142: "validation_error",
    155: "rate_limited", 209: "invalid_session_token", 403: "unauthorized",
  ]

  /// The error that a response explains; some have no code, and one says `message` for `error`.
  static func error(in response: HTTPResponse) -> NetworkError? {
    guard let body = try? JSONValue(parsing: response.body),
      case .string(let text)? = body["error"] ?? body["message"]
    else { return nil }
    var id = response.head.status
    if case .integer(let code)? = body["code"], let code = Int(exactly: code) { id = code }
    return .api(id: id, name: names[id] ?? "error", message: printable(text))
  }

  /// A date as it is in objects, `2031-05-06T07:08:09.123Z`.
  static func date(_ text: String) -> Date? {
    (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
      ?? (try? Date.ISO8601FormatStyle().parse(text))
  }
}
