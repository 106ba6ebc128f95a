public import Foundation

/// Describes which page of which questions is wanted.
///
/// ```swift
/// var query = QuestionsQuery()
/// query.tagged = ["swift", "c++"]
/// query.pageSize = 5
/// ```
public struct QuestionsQuery: Sendable, Equatable {
  /// The site of the network.
  public var site = "stackoverflow"
  /// The page, from 1; nil leaves it to the service.
  public var page: Int?
  /// How many questions a page has, up to 100; nil leaves it to the service.
  public var pageSize: Int?
  /// What they are ordered by.
  public var sort: QuestionSort?
  /// Which way they are ordered.
  public var order: SortOrder?
  /// The tags that a question must all have.
  public var tagged: [String] = []
  /// The least value of what is sorted by.
  public var minimum: Int?
  /// The greatest value of what is sorted by.
  public var maximum: Int?
  /// The earliest time of asking.
  public var fromDate: Date?
  /// The latest time of asking.
  public var toDate: Date?
  /// The filter that says which fields are sent.
  public var filter: String?
  /// The version of the API.
  public var version: StackExchangeVersion = .version23
  /// Only these questions; all when empty.
  public var ids: [Int] = []

  /// Creates a query for the first page of all questions.
  public init() {}

  /// The path and the encoded query, to be put after an endpoint's base address.
  public var pathAndQuery: String { path + (fields.encoded.map { "?" + $0 } ?? "") }

  var path: String {
    var path = "/\(version.rawValue)/questions"
    if !ids.isEmpty { path += "/" + ids.map(String.init).joined(separator: ";") }
    return path
  }

  var fields: QueryFields {
    var fields = QueryFields()
    fields.append("site", site)
    fields.append("page", page)
    fields.append("pagesize", pageSize)
    fields.append("order", order?.rawValue)
    fields.append("sort", sort?.rawValue)
    fields.append("tagged", tagged.isEmpty ? nil : tagged.joined(separator: ";"))
    fields.append("min", minimum)
    fields.append("max", maximum)
    fields.append("fromdate", fromDate?.wholeSeconds)
    fields.append("todate", toDate?.wholeSeconds)
    fields.append("filter", filter)
    return fields
  }

  /// The method of the API, for which the service may ask for a pause.
  var apiMethod: String { ids.isEmpty ? "questions" : "questions/ids" }
}

extension Date {
  /// Seconds since 1970, as the API counts; nil for a time beyond all calendars.
  var wholeSeconds: Int? { Int(exactly: timeIntervalSince1970.rounded(.down)) }
}
