import Foundation
import OpshJSON
import OpshSupport

/// A tweet with all that is sent of it.
struct Tweet {
  private let entry: TweetStream.Entry
  private let author: TweetPerson
  private let text: TweetText
  private let source: String
  /// The user that the tweet replies to; nil if it is not a reply.
  private let recipient: TweetPerson?
  /// The latitude and the longitude.
  private let place: [Double]?
  private let isSparse: Bool
  private let links: UInt64

  /// Writes a tweet.
  init(_ entry: TweetStream.Entry, of stream: TweetStream, for parameters: TweetParameters) {
    self.entry = entry
    var random = RandomSource(seed: stream.seed ^ 0x7477_6565_74, stream: UInt64(entry.index))
    let query = parameters.query
    var author = TweetPerson(&random)
    if let from = query.from { author = TweetPerson(screenName: from) }
    self.author = author
    source = random.pick(Self.sources)
    isSparse = random.chance(0.2)
    links = random.next()
    var recipient = TweetPerson(&random)
    let isReply = query.to != nil || random.chance(0.15)
    if let to = query.to { recipient = TweetPerson(screenName: to) }
    self.recipient = isReply ? recipient : nil
    place = Self.place(parameters.circle, &random)
    let words = Self.words(
      query, language: entry.language, recipient: isReply ? recipient : nil, &random)
    let plain = TweetText(words)
    text = parameters.showsUser ? TweetText(plain, prefixedBy: author.screenName) : plain
  }

  /// Chooses the words, so that all that is asked for is there and nothing that is not wanted.
  private static func words(
    _ query: TweetQuery, language: String, recipient: TweetPerson?, _ random: inout RandomSource
  ) -> [String] {
    let wanted = query.required.map { choice -> String in
      let possible = choice.filter { !query.isExcluded($0) }
      return random.pick(possible.isEmpty ? choice : possible)
    }
    let link = "http://t.co/" + String((0..<8).map { _ in random.pick(linkLetters) })
    let ending = [query.mood, query.wantsLinks ? link : nil].compactMap { $0 }
    let needed = (recipient.map { ["@\($0.screenName)"] } ?? []) + wanted + ending
    for attempt in 0..<8 {
      var words = needed
      let phrases = query.wantsQuestion || random.chance(0.1) ? Self.questions : Self.sentences
      let sentence = random.pick(phrases[language] ?? [])
      let start = recipient == nil ? 0 : 1
      words.removeFirst(start + min(1, wanted.count))
      let subject = wanted.first ?? "#sky"
      var front = sentencePieces(sentence, subject)
      if recipient == nil, random.chance(0.12) {
        front = ["RT", "@\(TweetPerson(&random).screenName):"] + front
      }
      words = needed.prefix(start) + front + words
      // The first attempts have more in them than the last ones.
      if attempt < 4, random.chance(0.3) { words.append(random.pick(Self.hashtags)) }
      if attempt < 4, !query.wantsLinks, random.chance(0.35) { words.append(link) }
      if TweetText.length(of: words) <= TweetText.maximumLength,
        !query.isExcluded(words.joined(separator: " "))
      {
        return words
      }
    }
    return needed
  }

  /// Splits a sentence where its subject stands, so that the subject is a word of its own.
  private static func sentencePieces(_ sentence: String, _ subject: String) -> [String] {
    let parts = sentence.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    let before = parts[0]
    let after = parts.count > 1 ? parts[1] : ""
    // What follows without a space stays with the subject, as in Japanese or before a full stop.
    let attached = after.prefix { $0 != " " }
    let rest = after.dropFirst(attached.count).drop { $0 == " " }
    let isJoined = before.last.map { $0 != " " } ?? false
    if isJoined { return [before + subject + attached, String(rest)].map { String($0) } }
    let start = before.hasSuffix(" ") ? before.dropLast() : before
    return [String(start), subject + attached, String(rest)]
  }

  private static let linkLetters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  private static func place(
    _ circle: TweetParameters.Circle?, _ random: inout RandomSource
  ) -> [Double]? {
    guard let circle else { return random.chance(0.06) ? random.pick(places) : nil }
    guard random.chance(0.6) else { return nil }
    let distance = circle.kilometres * 0.95 * random.unit().squareRoot()
    let angle = random.unit() * 2 * Double.pi
    let latitude = circle.latitude + distance * cos(angle) / 111.32
    let scale = max(0.01, cos(latitude * Double.pi / 180))
    var longitude = circle.longitude + distance * sin(angle) / (111.32 * scale)
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return [min(90, max(-90, latitude)), min(180, max(-180, longitude))]
  }

  // MARK: JSON

  /// The tweet with its keys in alphabetical order, as the service sends it.
  func json(withEntities: Bool) -> JSONValue {
    let earlier = recipient == nil ? nil : entry.identifier - (240_000 << 22)
    return JSONValue([
      "created_at": TweetDate.text(entry.time),
      "entities": withEntities ? entities : nil,
      "from_user": author.screenName,
      "from_user_id": author.identifier,
      "from_user_id_str": "\(author.identifier)",
      "from_user_name": author.name,
      "geo": place.map(Self.json) ?? .null,
      "id": entry.identifier,
      "id_str": "\(entry.identifier)",
      "in_reply_to_status_id": earlier,
      "in_reply_to_status_id_str": earlier.map(String.init),
      "iso_language_code": entry.language,
      "metadata": JSONValue([
        "recent_retweets": entry.retweets,
        "result_type": entry.retweets == nil ? "recent" : "popular",
      ]),
      "profile_image_url": author.image(host: "http://a0.twimg.com"),
      "profile_image_url_https": author.image(host: "https://si0.twimg.com"),
      "source": source,
      "text": text.text,
      "to_user": recipient?.screenName.json ?? .null,
      "to_user_id": recipient?.identifier ?? 0,
      "to_user_id_str": "\(recipient?.identifier ?? 0)",
      "to_user_name": recipient?.name.json ?? .null,
    ])
  }

  private static func json(_ place: [Double]) -> JSONValue {
    JSONValue([
      "coordinates": place.map { JSONValue.real(($0 * 10_000).rounded() / 10_000) },
      "type": "Point",
    ])
  }

  private var entities: JSONValue {
    let page = "example.org/\(entry.index % 7 == 0 ? "q?a=1&b=" : "posts/")\(links % 10_000)"
    return JSONValue([
      "hashtags": entities(.hashtag) { entity, indices in
        JSONValue(["text": String(entity.text.dropFirst()), "indices": indices])
      },
      "urls": entities(.link) { entity, indices in
        JSONValue([
          "url": entity.text, "expanded_url": "http://\(page)", "display_url": page,
          "indices": indices,
        ])
      },
      "user_mentions": entities(.mention) { entity, indices in
        let person = TweetPerson(screenName: String(entity.text.dropFirst()))
        return JSONValue([
          "screen_name": person.screenName, "name": person.name, "id": person.identifier,
          "id_str": "\(person.identifier)", "indices": indices,
        ])
      },
    ])
  }

  /// The special forms in the text; nil for an empty list, of which the service left some out.
  private func entities(
    _ kind: TweetText.Entity.Kind, _ json: (TweetText.Entity, [Int]) -> JSONValue
  ) -> [JSONValue]? {
    let found = text.entities.filter { $0.kind == kind }
    if found.isEmpty, isSparse { return nil }
    return found.map { json($0, [$0.range.lowerBound, $0.range.upperBound]) }
  }

  // MARK: Words

  private static let texts = PracticeTexts.twitter
  /// The sentences by language; `%` stands for what they are about.
  private static let sentences = phrases("sentences")
  private static let questions = phrases("questions")
  private static let hashtags = texts.strings("hashtags")
  /// The programs that tweets come from, with their markup encoded as the service does.
  private static let sources = texts.strings("sources")
  private static let places = texts.list("places").map { ($0.elements ?? []).compactMap(\.double) }

  private static func phrases(_ kind: String) -> [String: [String]] {
    let languages = (texts[kind]?.members ?? []).map(\.name)
    return Dictionary(
      uniqueKeysWithValues: languages.map { ($0, texts[kind]?.strings($0) ?? []) })
  }
}

/// Moments as the service writes them.
enum TweetDate {
  /// Such as `Wed, 19 Jan 2011 20:44:13 +0000`.
  static func text(_ seconds: Int) -> String {
    HTTPDate.text(secondsSince1970: seconds).replacing("GMT", with: "+0000")
  }
}
