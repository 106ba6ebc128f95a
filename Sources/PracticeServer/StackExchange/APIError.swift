import OpshJSON

/// An error of the imitated API, with the numbers and names of the real one.
struct APIError: Error, Equatable {
  let identifier: Int
  let name: String
  let message: String

  private init(_ identifier: Int, _ name: String, _ message: String) {
    self.identifier = identifier
    self.name = name
    self.message = message
  }

  static func badParameter(_ message: String) -> APIError {
    APIError(400, "bad_parameter", message)
  }

  static let siteRequired = badParameter("site is required")

  static func unknownSite(_ name: String) -> APIError {
    badParameter("No site found for name `\(name)`")
  }

  static let searchNeedsTag = badParameter("one of tagged or intitle must be set")

  static let unknownFilter = badParameter("Invalid filter specified")

  static let unknownMethod = APIError(404, "no_method", "no method found with this name")

  static let pageNeedsKey = APIError(
    403, "access_denied", "page above 25 requires access token or app key")

  static let backoffViolated = APIError(
    502, "throttle_violation", "Violation of backoff parameter")

  static func tooManyRequests(secondsLeft: Int) -> APIError {
    APIError(
      502, "throttle_violation",
      "too many requests from this IP, more requests available in \(secondsLeft) seconds")
  }

  /// The errors that `/errors/{id}` gives on request, in the order of their numbers.
  static let all: [APIError] = [
    APIError(400, "bad_parameter", "An invalid parameter was passed"),
    APIError(401, "access_token_required", "A method that requires an access token was called"),
    APIError(402, "invalid_access_token", "An invalid access token was passed to a method"),
    APIError(403, "access_denied", "A method was called without sufficient permissions"),
    APIError(404, "no_method", "An attempt was made to call a method that does not exist"),
    APIError(405, "key_required", "A method was called that requires an application's key"),
    APIError(406, "access_token_compromised", "An access token is no longer believed secure"),
    APIError(407, "write_failed", "A write operation was rejected"),
    APIError(409, "duplicate_request", "A request was recognized as a duplicate"),
    APIError(500, "internal_error", "An unexpected error occurred in the API"),
    APIError(502, "throttle_violation", "An application violated the request limits"),
    APIError(503, "temporarily_unavailable", "Some or all of the API is unavailable"),
  ]

  /// The error with exactly the three keys that the service sends.
  var json: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.field("error_id", identifier)
    json.field("error_message", message)
    json.field("error_name", name)
    json.endObject()
    return json.bytes
  }

  static func simulated(_ text: String) throws(APIError) -> APIError {
    guard let identifier = Int(text) else { throw .unknownMethod }
    guard let error = all.first(where: { $0.identifier == identifier }) else {
      throw .badParameter("id")
    }
    return error
  }
}
