/// An error of the Parse API, with the numbers and statuses of the real one.
struct ParseError: Error, Equatable {
  /// The number, or nil for the one error that has none.
  let code: Int?
  let message: String
  let status: Int

  init(_ code: Int, _ message: String) {
    self.code = code
    self.message = message
    status = code == 101 ? 404 : code == 1 ? 500 : 400
  }

  private init(status: Int, message: String) {
    code = nil
    self.message = message
    self.status = status
  }

  static let unauthorized = ParseError(status: 403, message: "unauthorized")
  static let internalError = ParseError(1, "Internal server error.")
  static let notFound = ParseError(101, "Object not found.")
  static let notFoundForDelete = ParseError(101, "Object not found for delete.")
  static let notJSON = ParseError(107, "invalid JSON")
  static let tooLarge = ParseError(
    116, "The object is too large -- should be less than 128 kB.")
  static let tooMuchWork = ParseError(
    124, "The request was slow and timed out.")
  static let full = ParseError(140, "Your application has exceeded its quota.")
  static let tooManyRequests = ParseError(
    155, "This application has exceeded its request limit.")
  static let duplicateRequest = ParseError(159, "Duplicate request")
  static let badSession = ParseError(209, "Invalid session token")

  static func query(_ message: String) -> ParseError { ParseError(102, message) }

  static func className(_ name: String) -> ParseError {
    ParseError(
      103,
      "Invalid classname: \(name), classnames can only have alphanumeric characters and _, "
        + "and must start with an alpha character ")
  }

  static func fieldName(_ name: String) -> ParseError {
    ParseError(105, "Invalid field name: \(name).")
  }

  static func mismatch(
    _ className: String, _ field: String, expected: String, got: String
  ) -> ParseError {
    ParseError(
      111, "schema mismatch for \(className).\(field); expected \(expected) but got \(got)")
  }

  /// The answer that tells a client.
  var answer: PracticeAnswer {
    var json = JSONWriter()
    json.beginObject()
    json.field(optional: "code", code)
    // The only error under another key: nobody meant to send it.
    if code == 1 { json.field("message", message) } else { json.field("error", message) }
    json.endObject()
    var answer = ParseAPI.answer(status: status, json.bytes)
    // What is refused at the door is no JSON by its type.
    if code == nil { answer.removeHeader("Content-Type") }
    return answer
  }
}
