/// Answers requests as a Parse server does.
///
/// It belongs to the server's thread.
struct ParseAPI {
  private var store: (seed: UInt64, generation: Int, store: ParseStore)?

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The place that its path names.
  ///   - seed: What the first data is made from.
  ///   - generation: Changes when what was written is to be forgotten.
  ///   - wall: Nanoseconds since 1970.
  /// - Returns: The answer, which may be one that says what is wrong.
  mutating func answer(
    _ request: PracticeRequest, route: ParseRoute, seed: UInt64, generation: Int,
    wall: UInt64
  ) -> PracticeAnswer {
    // What a page from elsewhere may ask is allowed in all that this server answers.
    if request.method == "OPTIONS" { return Self.answer(status: 200, []) }
    do throws(ParseError) {
      let call = try ParseCall(request)
      guard let className = route.className else { return Self.unknownPlace(request) }
      guard ParseStore.isName(className) else { throw .className(className) }
      let store = store(seed: seed, generation: generation)
      store.wall = wall
      if ["POST", "PUT"].contains(call.method), let name = request.header("X-Parse-Request-Id"),
        !name.isEmpty
      {
        try store.admit(request: String(name.prefix(200)))
      }
      var answer: PracticeAnswer
      switch (call.method, route.objectIdentifier) {
      case ("GET", nil), ("HEAD", nil):
        answer = Self.answer(
          status: 200, try ParseQuery(call.parameters, of: className, in: store).run())
      case ("GET", let identifier?), ("HEAD", let identifier?):
        answer = try Self.read(identifier, of: className, call, in: store)
      case ("POST", nil): answer = try Self.create(className, call, route, request, in: store)
      case ("PUT", let identifier?):
        answer = try Self.update(identifier, of: className, call, in: store)
      case ("DELETE", let identifier?):
        guard store.remove(identifier, from: className) else { throw .notFoundForDelete }
        answer = Self.answer(status: 200, Array("{}".utf8))
      default: return Self.unknownPlace(request)
      }
      if answer.status == 200, call.method == "GET" || call.method == "HEAD" {
        answer.revalidate(EntityTag.weak(of: answer.body), for: request)
      }
      return answer
    } catch {
      return error.answer
    }
  }

  /// What a service says to a client that asks too much.
  static func rateLimited(seconds: Int) -> PracticeAnswer {
    var answer = ParseError.tooManyRequests.answer
    answer.setHeader("Retry-After", "\(seconds)")
    return answer
  }

  /// Makes an answer of JSON.
  static func answer(status: Int, _ json: [UInt8]) -> PracticeAnswer {
    PracticeAnswer(
      status: status,
      headers: [
        .init(name: "Content-Type", value: "application/json; charset=utf-8"),
        .init(name: "Access-Control-Allow-Origin", value: "*"),
        .init(name: "Access-Control-Allow-Methods", value: "GET,PUT,POST,DELETE,OPTIONS"),
        .init(
          name: "Access-Control-Allow-Headers",
          value: "X-Parse-Master-Key, X-Parse-REST-API-Key, X-Parse-Javascript-Key, "
            + "X-Parse-Application-Id, X-Parse-Client-Version, X-Parse-Session-Token, "
            + "X-Requested-With, X-Parse-Revocable-Session, X-Parse-Request-Id, Content-Type, "
            + "Pragma, Cache-Control"),
      ], body: json)
  }

  private mutating func store(seed: UInt64, generation: Int) -> ParseStore {
    if let kept = store, kept.seed == seed, kept.generation == generation { return kept.store }
    let new = ParseStore(seed: seed)
    store = (seed, generation, new)
    return new
  }

  private static func unknownPlace(_ request: PracticeRequest) -> PracticeAnswer {
    let text = HTMLText.encode("Cannot \(request.method) \(request.path)")
    var answer = answer(status: 404, [])
    answer.setHeader("Content-Type", "text/html; charset=utf-8")
    answer.body = Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>Error</title>
      </head>
      <body>
      <pre>\(text)</pre>
      </body>
      </html>

      """.utf8)
    return answer
  }

  private static func read(
    _ identifier: String, of className: String, _ call: ParseCall, in store: ParseStore
  ) throws(ParseError) -> PracticeAnswer {
    let form = try ParseQuery.form(ofObject: call.parameters)
    guard let object = store.object(identifier, of: className) else { throw .notFound }
    var json = JSONWriter()
    json.value(
      .object(
        try ParseQuery.json(
          object, of: className, form, store: store, budget: ParseBudget())))
    return answer(status: 200, json.bytes)
  }

  private static func create(
    _ className: String, _ call: ParseCall, _ route: ParseRoute, _ request: PracticeRequest,
    in store: ParseStore
  ) throws(ParseError) -> PracticeAnswer {
    let write = try ParseWrite(try call.object(), to: nil, of: className, in: store)
    let identifier = store.newIdentifier(for: className)
    let now = store.nextMoment()
    try store.put(
      ParseObject(
        identifier: identifier, createdAt: now, updatedAt: now, fields: write.fields,
        relations: write.relations),
      in: className, types: write.types)
    var json = JSONWriter()
    json.beginObject()
    json.field("objectId", identifier)
    json.field("createdAt", ParseDate.text(now))
    json.endObject()
    var answer = answer(status: 201, json.bytes)
    let host = request.header("Host") ?? "127.0.0.1"
    answer.setHeader(
      "Location", "http://\(host)\(route.base)/classes/\(className)/\(identifier)")
    return answer
  }

  private static func update(
    _ identifier: String, of className: String, _ call: ParseCall, in store: ParseStore
  ) throws(ParseError) -> PracticeAnswer {
    let changes = try call.object()
    guard var object = store.object(identifier, of: className) else { throw .notFound }
    let write = try ParseWrite(changes, to: object, of: className, in: store)
    (object.fields, object.relations) = (write.fields, write.relations)
    object.updatedAt = store.nextMoment()
    try store.put(object, in: className, types: write.types)
    var json = JSONWriter()
    var result = JSONObject([("updatedAt", .string(ParseDate.text(object.updatedAt)))])
    for (key, value) in write.results { result[key] = value }
    json.value(.object(result))
    return answer(status: 200, json.bytes)
  }
}
