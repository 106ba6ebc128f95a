/// Describes which quotes are wanted.
public struct QuotesQuery: Sendable, Equatable {
  /// The most that a service sends at once.
  public static let maximumLimit: Int = 1_000

  /// How many at most; nil leaves it to the service, which sends 100.
  public var limit: Int?
  /// How many to leave out at the beginning.
  public var skip: Int?
  /// The names of the fields that they are ordered by, `-` before one that falls.
  public var order: [String] = []
  /// Conditions, such as `{"readCount": {"$gte": 5}}`.
  public var conditions: JSONValue?
  /// Whether the service counts all that meet the conditions.
  public var countsAll: Bool = true

  /// Creates a query for the first hundred quotes.
  public init() {}

  /// All that can be had with one request.
  public static var all: QuotesQuery {
    var query = QuotesQuery()
    query.limit = maximumLimit
    query.order = ["createdAt"]
    return query
  }

  static let className = "Quote"

  var fields: QueryFields {
    var fields = QueryFields()
    fields.append("where", conditions?.text)
    fields.append("order", order.isEmpty ? nil : order.joined(separator: ","))
    fields.append("limit", limit)
    fields.append("skip", skip)
    fields.append("count", countsAll ? 1 : nil)
    return fields
  }
}
