import Foundation
import Operations
import OpshSupport
import OpshWebAPIs

/// The addresses and requests of a Parse service.
struct ParseService: Sendable {
  let context: RequestContext
  let credentials: ParseCredentials
  /// The path of the API after the base address: `/1` at Parse.com and here, `/parse` elsewhere.
  let root: String

  /// The request for quotes, or for one of them.
  func request(
    method: String = "GET", id: String? = nil, query: QuotesQuery? = nil, body: JSONValue? = nil
  ) throws(NetworkError) -> HTTPRequest {
    var path = "\(root)/\(Quotes.path)"
    // An id is one part of a path, whatever characters it has.
    if let id { path += "/" + PercentEncoding.encode(id) }
    var request = try HTTPRequest(
      method: method, address: context.endpoint.address(path: path, query: query?.encoded))
    request.isOfEndpoint = true
    request.headers = try credentials.headers
    if let body {
      try request.headers.set("Content-Type", "application/json")
      request.body = .bytes(Array(body.text.utf8))
    }
    return request
  }
}

/// Makes a request to a Parse service; an error with an explanation becomes `NetworkError.api`.
public class ParseOperation<Value: Sendable>: NetworkOperation<Value>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Creates an operation.
  init(
    name: String?, kind: String, request: HTTPRequest, service: ParseService,
    options: RequestOptions,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    super.init(
      kind: kind, request: request, pause: "\(service.root) parse",
      service.context.with(name, options), completionHandler: completionHandler)
  }

  /// Returns the service's own error if the body explains it.
  public final override func failure(for response: HTTPResponse) -> NetworkError {
    ParseText.error(in: response) ?? super.failure(for: response)
  }
}

/// Parses the responses of Parse services.
enum ParseText {
  private static let names = [
    1: "internal_error", 2: "unavailable", 100: "connection_failed", 101: "object_not_found",
    102: "invalid_query", 103: "invalid_class_name", 104: "missing_object_id",
    105: "invalid_field_name", 106: "invalid_pointer", 107: "invalid_json",
    111: "incorrect_type", 116: "object_too_large", 119: "operation_forbidden", 124: "timeout",
    137: "duplicate_value", 141: "script_failed", 142: "validation_error",
    155: "rate_limited", 209: "invalid_session_token", 403: "unauthorized",
  ]

  /// The error in a response; some have no code, and one has `message` instead of `error`.
  static func error(in response: HTTPResponse) -> NetworkError? {
    guard let body = try? JSONValue(body: response.body),
      case .string(let text)? = body["error"] ?? body["message"]
    else { return nil }
    var id = response.head.status
    if case .integer(let code)? = body["code"], let code = Int(exactly: code) { id = code }
    return .api(id: id, name: names[id] ?? "error", message: printable(text))
  }

  /// A date in an object, `2031-05-06T07:08:09.123Z`.
  static func date(_ text: String) -> Date? {
    (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
      ?? (try? Date.ISO8601FormatStyle().parse(text))
  }
}
