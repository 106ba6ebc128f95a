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
  private let place: (latitude: Double, longitude: Double)?
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
    source = random.pick(TweetPhrases.sources)
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
      let phrases =
        query.wantsQuestion || random.chance(0.1)
        ? TweetPhrases.questions(in: language) : TweetPhrases.sentences(in: language)
      let sentence = random.pick(phrases)
      let start = recipient == nil ? 0 : 1
      words.removeFirst(start + min(1, wanted.count))
      let subject = wanted.first ?? "#sky"
      var front = sentencePieces(sentence, subject)
      if recipient == nil, random.chance(0.12) {
        front = ["RT", "@\(TweetPerson(&random).screenName):"] + front
      }
      words = needed.prefix(start) + front + words
      // The first attempts have more in them than the last ones.
      if attempt < 4, random.chance(0.3) { words.append(random.pick(TweetPhrases.hashtags)) }
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
  ) -> (latitude: Double, longitude: Double)? {
    guard let circle else {
      return random.chance(0.06) ? random.pick(TweetPhrases.places) : nil
    }
    guard random.chance(0.6) else { return nil }
    let distance = circle.kilometres * 0.95 * random.unit().squareRoot()
    let angle = random.unit() * 2 * Double.pi
    let latitude = circle.latitude + distance * cos(angle) / 111.32
    let scale = max(0.01, cos(latitude * Double.pi / 180))
    var longitude = circle.longitude + distance * sin(angle) / (111.32 * scale)
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return (min(90, max(-90, latitude)), min(180, max(-180, longitude)))
  }

  // MARK: JSON

  /// Writes the tweet with its keys in alphabetical order, as the service does.
  func write(to json: inout JSONWriter, withEntities: Bool) {
    json.beginObject()
    json.field("created_at", TweetDate.text(entry.time))
    if withEntities { writeEntities(to: &json) }
    json.field("from_user", author.screenName)
    json.field("from_user_id", author.identifier)
    json.field("from_user_id_str", "\(author.identifier)")
    json.field("from_user_name", author.name)
    json.key("geo")
    if let place { Self.write(place, to: &json) } else { json.null() }
    json.field("id", entry.identifier)
    json.field("id_str", "\(entry.identifier)")
    if recipient != nil {
      let earlier = entry.identifier - (240_000 << 22)
      json.field("in_reply_to_status_id", earlier)
      json.field("in_reply_to_status_id_str", "\(earlier)")
    }
    json.field("iso_language_code", entry.language)
    json.key("metadata")
    json.beginObject()
    json.field(optional: "recent_retweets", entry.retweets)
    json.field("result_type", entry.retweets == nil ? "recent" : "popular")
    json.endObject()
    json.field("profile_image_url", author.image(host: "http://a0.twimg.com"))
    json.field("profile_image_url_https", author.image(host: "https://si0.twimg.com"))
    json.field("source", source)
    json.field("text", text.text)
    writeRecipient(to: &json)
    json.endObject()
  }

  private func writeRecipient(to json: inout JSONWriter) {
    if let recipient {
      json.field("to_user", recipient.screenName)
      json.field("to_user_id", recipient.identifier)
      json.field("to_user_id_str", "\(recipient.identifier)")
      json.field("to_user_name", recipient.name)
    } else {
      json.key("to_user")
      json.null()
      json.field("to_user_id", 0)
      json.field("to_user_id_str", "0")
      json.key("to_user_name")
      json.null()
    }
  }

  private static func write(
    _ place: (latitude: Double, longitude: Double), to json: inout JSONWriter
  ) {
    json.beginObject()
    json.key("coordinates")
    json.beginArray()
    json.value(.real((place.latitude * 10_000).rounded() / 10_000))
    json.value(.real((place.longitude * 10_000).rounded() / 10_000))
    json.endArray()
    json.field("type", "Point")
    json.endObject()
  }

  private func writeEntities(to json: inout JSONWriter) {
    json.key("entities")
    json.beginObject()
    writeEntities(.hashtag, "hashtags", to: &json) { entity, json in
      json.field("text", String(entity.text.dropFirst()))
    }
    writeEntities(.link, "urls", to: &json) { entity, json in
      let page = "example.org/\(entry.index % 7 == 0 ? "q?a=1&b=" : "posts/")\(links % 10_000)"
      json.field("url", entity.text)
      json.field("expanded_url", "http://\(page)")
      json.field("display_url", page)
    }
    writeEntities(.mention, "user_mentions", to: &json) { entity, json in
      let person = TweetPerson(screenName: String(entity.text.dropFirst()))
      json.field("screen_name", person.screenName)
      json.field("name", person.name)
      json.field("id", person.identifier)
      json.field("id_str", "\(person.identifier)")
    }
    json.endObject()
  }

  private func writeEntities(
    _ kind: TweetText.Entity.Kind, _ key: StaticString, to json: inout JSONWriter,
    _ body: (TweetText.Entity, inout JSONWriter) -> Void
  ) {
    let found = text.entities.filter { $0.kind == kind }
    // The service left some empty lists out.
    if found.isEmpty, isSparse { return }
    json.key(key)
    json.beginArray()
    for entity in found {
      json.beginObject()
      body(entity, &json)
      json.key("indices")
      json.beginArray()
      json.integer(entity.range.lowerBound)
      json.integer(entity.range.upperBound)
      json.endArray()
      json.endObject()
    }
    json.endArray()
  }
}

/// Moments as the service writes them.
enum TweetDate {
  /// Such as `Wed, 19 Jan 2011 20:44:13 +0000`.
  static func text(_ seconds: Int) -> String {
    HTTPDate.text(secondsSince1970: seconds).replacing("GMT", with: "+0000")
  }
}
