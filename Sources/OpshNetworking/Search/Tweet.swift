public import Foundation
import OpshSupport

/// A tweet as the search of 2012 sent it.
///
/// Over the years fields were added and removed, and some were sent as null, as 0 or not at all.
/// Only the id and the text are required; every other field that is missing or has the wrong type
/// is nil.
public struct Tweet: Sendable, Equatable, Identifiable {
  /// A user of the service.
  public struct Person: Sendable, Equatable {
    /// The user's id, if known.
    public var id: Int64?
    /// The name after the `@`.
    public var screenName: String?
    /// The display name.
    public var name: String?
  }

  /// A place on the earth.
  public struct Coordinates: Sendable, Equatable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
  }

  /// The id; it may exceed the precision of a floating-point number.
  public var id: Int64
  /// The text, without entities.
  public var text: String
  /// When it was written.
  public var createdAt: Date?
  /// The author.
  public var author: Person
  /// The user it replies to.
  public var recipient: Person?
  /// The tweet it replies to.
  public var repliedID: Int64?
  /// The language, such as `en`.
  public var languageCode: String?
  /// The program it was written with, as HTML.
  public var source: String?
  /// The address of the author's picture.
  public var profileImage: String?
  /// Where it was written.
  public var coordinates: Coordinates?
  /// `recent` or `popular`.
  public var resultType: String?
  /// The recent number of retweets, for a popular one.
  public var recentRetweets: Int?
  /// The tags in it, without `#`; empty also if the service does not list them.
  public var hashtags: [String]
  /// The addresses in it, expanded if known.
  public var links: [String]
  /// The screen names in it, without `@`.
  public var mentions: [String]
}

extension Tweet {
  /// Reads a tweet.
  ///
  /// - Parameters:
  ///   - json: An element of the results.
  ///   - path: Its path, for the error.
  /// - Throws: `NetworkError.serialization` if it has no id or no text.
  init(_ json: JSONValue, path: String) throws(NetworkError) {
    guard case .object = json else {
      throw .serialization("'\(path)' is \(json.kind) instead of an object")
    }
    let fields = TweetFields(json)
    guard let id = fields.identifier("id") else {
      throw .serialization("'\(path).id' is missing or not a number")
    }
    guard let text = fields.string("text") else {
      throw .serialization("'\(path).text' is missing or not a string")
    }
    self.id = id
    self.text = HTMLEntities.decode(text)
    createdAt = fields.string("created_at").flatMap(TweetDate.parse)
    author = fields.person("from_user") ?? Person()
    recipient = fields.person("to_user")
    repliedID = fields.identifier("in_reply_to_status_id")
    languageCode = fields.string("iso_language_code")
    source = fields.string("source").map(HTMLEntities.decode)
    profileImage = fields.string("profile_image_url_https") ?? fields.string("profile_image_url")
    coordinates = TweetFields(json["geo"]).coordinates
    let metadata = TweetFields(json["metadata"])
    resultType = metadata.string("result_type")
    recentRetweets = json["metadata"]?["recent_retweets"]?.exactInteger()
    let entities = TweetFields(json["entities"])
    hashtags = entities.list("hashtags") { $0.string("text") }
    links = entities.list("urls") { $0.string("expanded_url") ?? $0.string("url") }
    mentions = entities.list("user_mentions") { $0.string("screen_name") }
  }
}

/// Reads fields that may be missing, null or of another type.
private struct TweetFields {
  private let json: JSONValue?

  init(_ json: JSONValue?) {
    self.json = json
  }

  func string(_ name: String) -> String? {
    guard case .string(let text)? = json?[name] else { return nil }
    return text
  }

  /// The id from its text field, which is exact even if the JSON number is not; nil for 0.
  func identifier(_ name: String) -> Int64? {
    let number = string(name + "_str").flatMap { Int64($0) } ?? json?[name]?.exactInteger()
    return number == 0 ? nil : number
  }

  func person(_ name: String) -> Tweet.Person? {
    let person = Tweet.Person(
      id: identifier(name + "_id"), screenName: string(name), name: string(name + "_name"))
    return person == Tweet.Person() ? nil : person
  }

  var coordinates: Tweet.Coordinates? {
    guard case .array(let pair)? = json?["coordinates"], pair.count == 2 else { return nil }
    let numbers = pair.compactMap { value -> Double? in
      value.double.flatMap { $0.isFinite ? $0 : nil }
    }
    guard numbers.count == 2 else { return nil }
    return Tweet.Coordinates(latitude: numbers[0], longitude: numbers[1])
  }

  func list(_ name: String, _ read: (TweetFields) -> String?) -> [String] {
    guard case .array(let elements)? = json?[name] else { return [] }
    return elements.compactMap { read(TweetFields($0)) }
  }
}

/// Parses the date format of the search: `Wed, 19 Jan 2011 20:44:13 +0000`.
enum TweetDate {
  static func parse(_ text: String) -> Date? {
    var words = text.split(separator: " ").map(String.init)
    guard words.count == 6, let zone = words.last, zone.utf8.count == 5,
      zone.hasPrefix("+") || zone.hasPrefix("-"), let offset = Int(zone.dropFirst()),
      offset % 100 < 60
    else { return nil }
    words[5] = "GMT"
    let seconds = Double((offset / 100 * 60 + offset % 100) * 60)
    return HTTPDate.parse(words.joined(separator: " "))?
      .addingTimeInterval(zone.hasPrefix("+") ? -seconds : seconds)
  }
}
