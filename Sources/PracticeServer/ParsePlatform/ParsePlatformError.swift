import OpshJSON

/// An error of the Parse API, with the codes and statuses of the real service.
struct ParsePlatformError: Error, Equatable {
  /// The code, or nil for the one error that has none.
  let code: Int?
  let message: String
  let status: Int

  init(_ code: Int, _ message: String) {
    self.code = code
    self.message = message
    status = code == 101 ? 404 : 400
  }

  private init(status: Int, message: String) {
    code = nil
    self.message = message
    self.status = status
  }

  static let unauthorized = ParsePlatformError(status: 403, message: "unauthorized")
  static let notFound = ParsePlatformError(101, "Object not found.")
  static let notFoundForDelete = ParsePlatformError(101, "Object not found for delete.")
  static let notJSON = ParsePlatformError(107, "invalid JSON")
  static let tooLarge = ParsePlatformError(
    116, "The object is too large -- should be less than 128 kB.")
  static let full = ParsePlatformError(140, "Your application has exceeded its quota.")
  static let tooManyRequests = ParsePlatformError(
    155, "This application has exceeded its request limit.")
  static let duplicateRequest = ParsePlatformError(159, "Duplicate request")
  static let badSession = ParsePlatformError(209, "Invalid session token")

  static func query(_ message: String) -> ParsePlatformError { ParsePlatformError(102, message) }

  static func className(_ name: String) -> ParsePlatformError {
    ParsePlatformError(
      103,
      "Invalid classname: \(name), classnames can only have alphanumeric characters and _, "
        + "and must start with an alpha character ")
  }

  static func fieldName(_ name: String) -> ParsePlatformError {
    ParsePlatformError(105, "Invalid field name: \(name).")
  }

  static func mismatch(
    _ className: String, _ field: String, expected: String, got: String
  ) -> ParsePlatformError {
    ParsePlatformError(
      111, "schema mismatch for \(className).\(field); expected \(expected) but got \(got)")
  }

  /// The answer that tells a client.
  var answer: PracticeAnswer {
    var answer = PracticeAnswer.json(
      status: status, JSONValue(["code": code, "error": message]).bytes())
    // The error without a code is not sent as JSON.
    if code == nil { answer.removeHeader("Content-Type") }
    return answer
  }
}
