/// The quotes of a Parse service: objects of one class.
public enum Quotes: APIEndpoint {
  /// The name of the class.
  public static let className = "Quote"

  /// Conditions as JSON, such as `{"readCount": {"$gte": 5}}`.
  public static let conditions = APIParameter<String?>(
    "where", default: nil, help: "conditions as JSON")
  /// The names of the fields to sort by, with a leading `-` for descending order.
  public static let order = APIParameter<[String]>(
    "order", separator: ",", option: "order",
    help: "field to sort by; a '-' before it sorts from the largest down")
  /// The maximum number.
  public static let limit = APIParameter<Int>(
    "limit", 0...maximumLimit, default: 100, option: "limit", help: "largest number of quotes")
  /// How many to skip at the start.
  public static let skip = APIParameter<Int>(
    "skip", 0...(.max), default: 0, option: "skip",
    help: "number of quotes to skip at the beginning")
  /// Whether the service counts all matches.
  public static let countsAll = APIParameter<Int>(
    "count", 0...1, default: 0, initial: 1, help: "1 to count all matches")

  /// The maximum page size of a service.
  public static let maximumLimit: Int = 1_000

  /// The name in commands.
  public static let name = "quotes"
  /// The path after the root of a service.
  public static let path = "classes/\(className)"
  /// The parameters.
  public static let parameters: [any APIParameterDeclaration] = [
    conditions, order, limit, skip, countsAll,
  ]
}

/// A query for quotes.
public typealias QuotesQuery = APIQuery<Quotes>

extension APIQuery where Endpoint == Quotes {
  /// A query for as many as one request can return.
  public static var all: QuotesQuery {
    var query = QuotesQuery()
    query[Quotes.limit] = Quotes.maximumLimit
    query[Quotes.order] = ["createdAt"]
    return query
  }
}
