import OpshJSON

/// Answers searches for tweets as the service did in 2012.
///
/// It belongs to the server's thread.
struct TweetSearch {
  private struct Key: Hashable {
    var text: String
    var circle: TweetParameters.Circle?
    var seed: UInt64
  }

  /// The streams that were asked for last.
  private var streams: [(key: Key, stream: TweetStream)] = []
  private static let keptStreams = 16

  /// Answers one request.
  mutating func answer(_ request: PracticeRequest, seed: UInt64) -> PracticeAnswer {
    guard request.isRead else { return Self.missing }
    do throws(TweetParameters.Refusal) {
      let parameters = try TweetParameters(request.parameters)
      let stream = stream(of: parameters, seed: seed)
      let page = TweetPage(parameters, stream: stream)
      var answer = Self.answer(page.json, callback: parameters.callback)
      let accepted = request.header("Accept-Encoding")?.lowercased() ?? ""
      let isCompressed = accepted.contains("gzip")
      let tag = isCompressed ? EntityTag.weak(of: answer.body) : EntityTag.strong(of: answer.body)
      if isCompressed { answer.compress() }
      answer.setHeader("Vary", "Accept-Encoding")
      answer.revalidate(tag, for: request)
      return answer
    } catch {
      return Self.failure(status: 403, error.message)
    }
  }

  private mutating func stream(of parameters: TweetParameters, seed: UInt64) -> TweetStream {
    let key = Key(text: parameters.text, circle: parameters.circle, seed: seed)
    if let kept = streams.first(where: { $0.key == key }) { return kept.stream }
    let stream = TweetStream(
      parameters.query, text: parameters.text, circle: parameters.circle, seed: seed)
    if streams.count == Self.keptStreams { streams.removeFirst() }
    streams.append((key, stream))
    return stream
  }

  /// What a client gets that asks too often.
  static func rateLimited(seconds: Int) -> PracticeAnswer {
    var answer = failure(status: 420, "You have been rate limited. Enhance your calm.")
    answer.setHeader("Retry-After", "\(seconds)")
    return answer
  }

  /// The answer to a format other than JSON.
  static let notAcceptable = failure(status: 406, "Not acceptable")

  private static let missing = answer(
    status: 404,
    JSONValue([
      "errors": [JSONValue(["message": "Sorry, that page does not exist", "code": 34])]
    ]).bytes())

  private static func failure(status: Int, _ message: String) -> PracticeAnswer {
    answer(status: status, JSONValue(["error": message]).bytes())
  }

  private static func answer(
    status: Int = 200, _ json: [UInt8], callback: String? = nil
  ) -> PracticeAnswer {
    .json(
      status: status, json, cacheControl: "max-age=0, must-revalidate", callback: callback)
  }
}
