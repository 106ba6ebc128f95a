import OpshJSON
import OpshSupport
import OpshWebAPIs

/// One page of what a search has found.
struct TweetPage {
  let json: [UInt8]

  /// Finds and writes a page.
  init(_ parameters: TweetParameters, stream: TweetStream) {
    var since = parameters.sinceIdentifier
    var warnings: [String] = []
    let oldest = TweetStream.oldest
    if since > 0, since < oldest.identifier {
      since = oldest.identifier
      warnings.append(
        "adjusted since_id to \(since) (\(Self.hour(oldest.time))), "
          + "requested since_id was older than allowed")
    }
    let candidates = stream.entries.filter { Self.isCandidate($0, parameters) }
    let found = Selection(part: Part(page: parameters.page, size: parameters.perPage))
      .run(on: Self.ordered(candidates.filter { $0.identifier > since }, parameters.resultType))
    let maximum =
      parameters.maximumIdentifier > 0
      ? parameters.maximumIdentifier : candidates.first?.identifier ?? 0
    if found.hasMore, since > 0 { warnings.append("since_id removed for pagination.") }
    let next = "?page=\(parameters.page + 1)&max_id=\(maximum)&"
    json = JSONValue([
      "completed_in": JSONValue.thousandths(8 + Int(stream.seed % 90)),
      "max_id": maximum,
      "max_id_str": "\(maximum)",
      "next_page": found.hasMore ? next + Self.fields(parameters, all: true) : nil,
      "page": parameters.page,
      "query": PercentEncoding.encode(parameters.text, space: "+"),
      "refresh_url": maximum > 0
        ? "?since_id=\(maximum)&" + Self.fields(parameters, all: false) : nil,
      "results": found.items.map {
        Tweet($0, of: stream, for: parameters).json(withEntities: parameters.includesEntities)
      },
      "results_per_page": parameters.perPage,
      "since_id": since,
      "since_id_str": "\(since)",
      "warning": warnings.isEmpty ? nil : warnings.joined(separator: " -- "),
    ]).bytes(escaping: .nonASCII)
  }

  private static func isCandidate(
    _ entry: TweetStream.Entry, _ parameters: TweetParameters
  ) -> Bool {
    let maximum = parameters.maximumIdentifier
    return parameters.language.map { entry.language == $0 } ?? true
      && (maximum == 0 || entry.identifier <= maximum)
      && entry.time < parameters.until ?? .max && entry.time >= parameters.query.since ?? .min
      && (parameters.resultType != .popular || entry.retweets != nil)
  }

  /// Puts the popular ones where the kind of search wants them.
  private static func ordered(
    _ entries: [TweetStream.Entry], _ type: TweetResultType
  ) -> [TweetStream.Entry] {
    guard type != .recent else { return entries }
    let popular = entries.filter { $0.retweets != nil }
      .sorted { ($0.retweets ?? 0, $0.identifier) > ($1.retweets ?? 0, $1.identifier) }
    let first = type == .popular ? popular[...] : popular.prefix(3)
    let chosen = Set(first.map(\.identifier))
    return first + entries.filter { !chosen.contains($0.identifier) }
  }

  private static func fields(_ parameters: TweetParameters, all: Bool) -> String {
    let others = parameters.repeated.filter { all || $0.name != Tweets.perPage.name }
    return ([(name: "q", value: parameters.text)] + others)
      .map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
  }

  private static func hour(_ seconds: Int) -> String {
    let text = ISODate.text(seconds * 1_000)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }
}
