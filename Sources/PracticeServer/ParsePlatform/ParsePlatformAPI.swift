import OpshJSON

/// Answers requests as a Parse server does: objects are created, read, changed, deleted and found.
///
/// It belongs to the server's thread. What it does not have, such as relations, `include` and
/// `$regex`, is refused with an error of Parse.
struct ParsePlatformAPI {
  private var store: (seed: UInt64, generation: Int, store: ParsePlatformStore)?

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
    _ request: PracticeRequest, route: ParsePlatformRoute, seed: UInt64, generation: Int,
    wall: UInt64
  ) -> PracticeAnswer {
    do throws(ParsePlatformError) {
      try Self.authorize(request)
      guard let className = route.className else { return Self.unknownPlace(request) }
      guard ParsePlatformStore.isName(className) else { throw .className(className) }
      let store = store(seed: seed, generation: generation)
      store.wall = wall
      if ["POST", "PUT"].contains(request.method),
        let name = request.header("X-Parse-Request-Id"), !name.isEmpty
      {
        try store.admit(request: String(name.prefix(200)))
      }
      switch (request.method, route.objectIdentifier) {
      case ("GET", nil), ("HEAD", nil):
        let query = try ParsePlatformQuery(Self.parameters(request))
        return Self.tagged(query.run(on: store.objects(of: className)), for: request)
      case ("GET", let identifier?), ("HEAD", let identifier?):
        return try Self.read(identifier, of: className, request, in: store)
      case ("POST", nil): return try Self.create(className, route, request, in: store)
      case ("PUT", let identifier?):
        return try Self.update(identifier, of: className, request, in: store)
      case ("DELETE", let identifier?):
        guard store.remove(identifier, from: className) else { throw .notFoundForDelete }
        return .json(Array("{}".utf8))
      default: return Self.unknownPlace(request)
      }
    } catch {
      return error.answer
    }
  }

  /// What a service says to a client that asks too much.
  static func rateLimited(seconds: Int) -> PracticeAnswer {
    var answer = ParsePlatformError.tooManyRequests.answer
    answer.setHeader("Retry-After", "\(seconds)")
    return answer
  }

  /// Makes the answer to a read, or one without a body if the client has it already.
  private static func tagged(_ json: [UInt8], for request: PracticeRequest) -> PracticeAnswer {
    var answer = PracticeAnswer.json(json)
    answer.revalidate(EntityTag.strong(of: json), for: request)
    return answer
  }

  private mutating func store(seed: UInt64, generation: Int) -> ParsePlatformStore {
    if let kept = store, kept.seed == seed, kept.generation == generation { return kept.store }
    let new = ParsePlatformStore(seed: seed)
    store = (seed, generation, new)
    return new
  }

  private static func unknownPlace(_ request: PracticeRequest) -> PracticeAnswer {
    let text = HTMLText.encode("Cannot \(request.method) \(request.path)")
    var answer = PracticeAnswer.text(
      status: 404,
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

      """)
    answer.setHeader("Content-Type", "text/html; charset=utf-8")
    return answer
  }

  // MARK: Reading requests

  private static let keyHeaders = [
    "X-Parse-REST-API-Key", "X-Parse-Master-Key", "X-Parse-Javascript-Key", "X-Parse-Client-Key",
    "X-Parse-Windows-Key",
  ]

  /// Refuses a request without an application and a key; any will do.
  private static func authorize(_ request: PracticeRequest) throws(ParsePlatformError) {
    func has(_ name: String) -> Bool { request.header(name)?.isEmpty == false }
    guard has("X-Parse-Application-Id"), keyHeaders.contains(where: has) else {
      throw .unauthorized
    }
    // There are no users here, so no session is valid.
    guard !has("X-Parse-Session-Token") else { throw .badSession }
  }

  /// The parameters by name; of a name that is given twice the first counts.
  private static func parameters(_ request: PracticeRequest) -> [String: String] {
    Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The members of the object that was sent.
  private static func body(
    _ request: PracticeRequest
  ) throws(ParsePlatformError) -> [JSONValue.Member] {
    guard !request.bodyIsTooLong else { throw .tooLarge }
    if request.body.isEmpty { return [] }
    guard let members = ParsePlatformValue.parse(request.body)?.members else { throw .notJSON }
    return members
  }

  // MARK: Objects

  private static func read(
    _ identifier: String, of className: String, _ request: PracticeRequest,
    in store: ParsePlatformStore
  ) throws(ParsePlatformError) -> PracticeAnswer {
    let parameters = parameters(request)
    guard parameters.keys.allSatisfy({ $0 == "keys" }) else {
      throw .query("Improper encode of parameter")
    }
    guard let object = store.object(identifier, of: className) else { throw .notFound }
    return tagged(object.json(keys: ParsePlatformQuery.keys(parameters)).bytes(), for: request)
  }

  private static func create(
    _ className: String, _ route: ParsePlatformRoute, _ request: PracticeRequest,
    in store: ParsePlatformStore
  ) throws(ParsePlatformError) -> PracticeAnswer {
    let write = try ParsePlatformWrite(try body(request), to: nil, of: className, in: store)
    let identifier = store.newIdentifier(for: className)
    let now = store.nextMoment()
    try store.put(
      ParsePlatformObject(
        identifier: identifier, createdAt: now, updatedAt: now, fields: write.fields),
      in: className, types: write.types)
    let json = JSONValue(["objectId": identifier, "createdAt": ISODate.text(now)])
    var answer = PracticeAnswer.json(status: 201, json.bytes())
    let host = request.header("Host") ?? "127.0.0.1"
    answer.setHeader(
      "Location", "http://\(host)\(route.base)/classes/\(className)/\(identifier)")
    return answer
  }

  private static func update(
    _ identifier: String, of className: String, _ request: PracticeRequest,
    in store: ParsePlatformStore
  ) throws(ParsePlatformError) -> PracticeAnswer {
    let changes = try body(request)
    guard var object = store.object(identifier, of: className) else { throw .notFound }
    let write = try ParsePlatformWrite(changes, to: object, of: className, in: store)
    object.fields = write.fields
    object.updatedAt = store.nextMoment()
    try store.put(object, in: className, types: write.types)
    var result = [JSONValue.Member(name: "updatedAt", value: ISODate.text(object.updatedAt).json)]
    for change in write.results { result[change.name] = change.value }
    return .json(JSONValue.object(result).bytes())
  }
}
