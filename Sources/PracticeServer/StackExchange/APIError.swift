import OpshJSON

/// An error of the imitated API, with the numbers and names of the real one.
struct APIError: Error, Equatable {
  let identifier: Int
  let name: String
  let message: String

  /// An error that the service has, with its own message or that of a request.
  init(_ identifier: Int, _ message: String? = nil) {
    let known = Self.all.first { $0["id"] == identifier.json }
    self.identifier = identifier
    name = known?.text("name") ?? ""
    self.message = message ?? known?.text("message") ?? ""
  }

  static func badParameter(_ message: String) -> APIError { APIError(400, message) }

  static let siteRequired = badParameter("site is required")

  static func unknownSite(_ name: String) -> APIError {
    badParameter("No site found for name `\(name)`")
  }

  static let searchNeedsTag = badParameter("one of tagged or intitle must be set")

  static let unknownFilter = badParameter("Invalid filter specified")

  static let unknownMethod = APIError(404, "no method found with this name")

  static let pageNeedsKey = APIError(403, "page above 25 requires access token or app key")

  static let backoffViolated = APIError(502, "Violation of backoff parameter")

  static func tooManyRequests(secondsLeft: Int) -> APIError {
    APIError(
      502, "too many requests from this IP, more requests available in \(secondsLeft) seconds")
  }

  /// The errors that `/errors/{id}` gives on request, in the order of their numbers.
  static let all = PracticeTexts.stackExchange.list("errors")

  /// The error with exactly the three keys that the service sends.
  var json: JSONValue {
    JSONValue(["error_id": identifier, "error_message": message, "error_name": name])
  }
}
