import OpshWebAPIs

/// The parameters of a search for tweets.
struct TweetParameters {
  /// A circle on the earth.
  struct Circle: Hashable {
    var latitude: Double
    var longitude: Double
    var kilometres: Double
  }

  /// Why a search is refused.
  struct Refusal: Error, Equatable {
    let message: String
  }

  let text: String
  let query: TweetQuery
  let page: Int
  let perPage: Int
  let resultType: TweetResultType
  /// Numbers of tweets; 0 for none.
  let sinceIdentifier: Int
  let maximumIdentifier: Int
  let language: String?
  /// The midnight before which tweets were written, in seconds since 1970.
  let until: Int?
  let circle: Circle?
  let includesEntities: Bool
  let showsUser: Bool
  let callback: String?
  /// What the next page's address repeats.
  let repeated: [(name: String, value: String)]

  private static let repeatedNames = [
    "geocode", Tweets.includesEntities.name, Tweets.language.name,
    Tweets.resultType.name, Tweets.perPage.name, "show_user", "until",
  ]
  /// So many tweets can be paged through.
  private static let maximumReach = 1_500

  /// Reads the parameters.
  init(_ values: [String: String]) throws(Refusal) {
    let parameters = Parameters(values)
    let value = parameters.text
    func lenient<Value>(_ parameter: APIParameter<Value>) -> Value {
      (try? parameters[parameter]) ?? parameter.standard
    }
    do throws(APIError) {
      callback = try parameters.callback()
    } catch {
      throw Refusal(message: "Invalid callback")
    }
    text = lenient(Tweets.text) ?? ""
    circle = try Self.circle(value("geocode"))
    guard !text.allSatisfy(\.isWhitespace) || circle != nil else {
      throw Refusal(message: "You must enter a query.")
    }
    guard text.unicodeScalars.count <= TweetQuery.maximumLength else { throw Self.tooComplex }
    query = TweetQuery(text)
    guard query.complexity <= TweetQuery.maximumComplexity else { throw Self.tooComplex }
    // What makes no sense counts as not given, and too much as the most that there is.
    let isTooMuch = value(Tweets.perPage.name).flatMap(Int.init).map { $0 > Tweets.mostPerPage }
    perPage = isTooMuch == true ? Tweets.mostPerPage : lenient(Tweets.perPage)
    page = lenient(Tweets.page)
    guard page <= (Self.maximumReach + perPage - 1) / perPage else {
      throw Refusal(message: "page parameter out of range")
    }
    resultType =
      value(Tweets.resultType.name).flatMap { Tweets.resultType.value(of: $0.lowercased()) }
      ?? Tweets.resultType.standard
    sinceIdentifier = lenient(Tweets.sinceID)
    maximumIdentifier = lenient(Tweets.maxID)
    language = lenient(Tweets.language)?.lowercased() ?? query.language
    if let day = value("until") {
      guard let midnight = TweetQuery.midnight(day) else {
        throw Refusal(message: "until parameter must be a date such as 2012-09-30")
      }
      until = midnight
    } else {
      until = query.until
    }
    includesEntities = Self.isTrue(value(Tweets.includesEntities.name))
    showsUser = Self.isTrue(value("show_user"))
    repeated = Self.repeatedNames.compactMap { name in value(name).map { (name, $0) } }
  }

  private static let tooComplex = Refusal(
    message: "Sorry, your query is too complex. Please reduce complexity and try again.")

  private static func isTrue(_ text: String?) -> Bool {
    text.map { ["true", "t", "1"].contains($0.lowercased()) } ?? false
  }

  private static func circle(_ text: String?) throws(Refusal) -> Circle? {
    guard let text else { return nil }
    let parts = text.split(separator: ",").map { $0.filter { $0 != " " } }
    let failure = Refusal(message: "geocode parameter must be latitude,longitude,radius")
    guard parts.count == 3, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      abs(latitude) <= 90, abs(longitude) <= 180
    else { throw failure }
    let unit = parts[2].suffix(2)
    guard unit == "mi" || unit == "km", let radius = Double(parts[2].dropLast(2)),
      radius > 0, radius < 40_000
    else { throw failure }
    return Circle(
      latitude: latitude, longitude: longitude,
      kilometres: unit == "mi" ? radius * 1.609_344 : radius)
  }
}
