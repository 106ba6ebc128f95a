/// What a client of the Parse API wants, wherever in the request it says so.
///
/// The usual place for keys is the headers, for a query the URL. Libraries that run in web pages
/// put everything into the body of a POST instead, under names that begin with an underscore.
struct ParseCall {
  let method: String
  /// The parameters of a query.
  let parameters: [String: String]
  private let body: JSONObject?
  private let bodyFailure: ParseError?

  init(_ request: PracticeRequest) throws(ParseError) {
    var body: JSONObject?
    var failure: ParseError?
    if request.method == "POST" || request.method == "PUT" {
      if request.bodyIsTooLong {
        failure = .tooLarge
      } else if request.body.isEmpty {
        body = JSONObject()
      } else {
        body = (try? JSONParser.parse(request.body))?.object
        if body == nil { failure = .notJSON }
      }
    }
    func value(_ header: String, _ field: String) -> String? {
      let found = request.header(header) ?? body?[field]?.string
      return found?.isEmpty == false ? found : nil
    }
    let keys = [
      ("X-Parse-REST-API-Key", "_RESTAPIKey"), ("X-Parse-Master-Key", "_MasterKey"),
      ("X-Parse-Javascript-Key", "_JavaScriptKey"), ("X-Parse-Client-Key", "_ClientKey"),
      ("X-Parse-Windows-Key", "_WindowsKey"),
    ]
    guard value("X-Parse-Application-Id", "_ApplicationId") != nil,
      keys.contains(where: { value($0.0, $0.1) != nil })
    else { throw .unauthorized }
    // Nobody can log in here, so no session is a good one.
    guard value("X-Parse-Session-Token", "_SessionToken") == nil else { throw .badSession }

    var method = request.method
    var parameters = Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
    if method == "POST", let other = body?["_method"]?.string?.uppercased() { method = other }
    for key in body?.keys ?? [] where key.hasPrefix("_") && key != "__op" { body?[key] = nil }
    if method == "GET", let query = body {
      for (key, value) in query where parameters[key] == nil {
        parameters[key] = value.string ?? Self.text(value)
      }
    }
    self.method = method
    self.parameters = parameters
    self.body = body
    bodyFailure = failure
  }

  /// The object that was sent.
  func object() throws(ParseError) -> JSONObject {
    if let bodyFailure { throw bodyFailure }
    return body ?? JSONObject()
  }

  private static func text(_ value: JSONValue) -> String {
    var json = JSONWriter()
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
