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
    let candidates = Self.candidates(parameters, stream)
    let found = Self.ordered(candidates.filter { $0.identifier > since }, parameters.resultType)
    let start = min((parameters.page - 1) * parameters.perPage, found.count)
    let shown = found[start..<min(start + parameters.perPage, found.count)]
    let maximum =
      parameters.maximumIdentifier > 0
      ? parameters.maximumIdentifier : candidates.first?.identifier ?? 0
    let hasNext = start + shown.count < found.count
    if hasNext, since > 0 { warnings.append("since_id removed for pagination.") }

    var json = JSONWriter(escaping: .nonASCII)
    json.beginObject()
    json.key("completed_in")
    json.thousandths(8 + Int(stream.seed % 90))
    json.field("max_id", maximum)
    json.field("max_id_str", "\(maximum)")
    if hasNext {
      json.field(
        "next_page",
        "?page=\(parameters.page + 1)&max_id=\(maximum)&" + Self.fields(parameters, all: true))
    }
    json.field("page", parameters.page)
    json.field("query", PercentEncoding.encode(parameters.text, space: "+"))
    if maximum > 0 {
      json.field(
        "refresh_url", "?since_id=\(maximum)&" + Self.fields(parameters, all: false))
    }
    json.key("results")
    json.beginArray()
    for entry in shown {
      Tweet(entry, of: stream, for: parameters)
        .write(to: &json, withEntities: parameters.includesEntities)
    }
    json.endArray()
    json.field("results_per_page", parameters.perPage)
    json.field("since_id", since)
    json.field("since_id_str", "\(since)")
    if !warnings.isEmpty { json.field("warning", warnings.joined(separator: " -- ")) }
    json.endObject()
    self.json = json.bytes
  }

  private static func candidates(
    _ parameters: TweetParameters, _ stream: TweetStream
  ) -> [TweetStream.Entry] {
    stream.entries.filter { entry in
      if let language = parameters.language, entry.language != language { return false }
      if parameters.maximumIdentifier > 0, entry.identifier > parameters.maximumIdentifier {
        return false
      }
      if let until = parameters.until, entry.time >= until { return false }
      if let since = parameters.query.since, entry.time < since { return false }
      return parameters.resultType != .popular || entry.retweets != nil
    }
  }

  /// Puts the popular ones where the kind of search wants them.
  private static func ordered(
    _ entries: [TweetStream.Entry], _ type: TweetResultType
  ) -> [TweetStream.Entry] {
    let popular = entries.filter { $0.retweets != nil }
      .sorted { ($0.retweets ?? 0, $0.identifier) > ($1.retweets ?? 0, $1.identifier) }
    switch type {
    case .recent: return entries
    case .popular: return popular
    case .mixed:
      let first = popular.prefix(3)
      let chosen = Set(first.map(\.identifier))
      return first + entries.filter { !chosen.contains($0.identifier) }
    }
  }

  private static func fields(_ parameters: TweetParameters, all: Bool) -> String {
    let query = "q=" + PercentEncoding.encode(parameters.text)
    let others = parameters.repeated.filter { all || $0.name != "rpp" }
    return ([query] + others.map { "\($0.name)=\(PercentEncoding.encode($0.value))" })
      .joined(separator: "&")
  }

  private static func hour(_ seconds: Int) -> String {
    let text = ISODate.text(seconds * 1_000)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }
}
