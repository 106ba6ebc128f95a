public import Foundation

/// Describes which page of which answers is wanted.
public struct AnswersQuery: Sendable, Equatable {
  /// The site of the network.
  public var site = "stackoverflow"
  /// The page, from 1; nil leaves it to the service.
  public var page: Int?
  /// How many answers a page has, up to 100; nil leaves it to the service.
  public var pageSize: Int?
  /// What they are ordered by.
  public var sort: AnswerSort?
  /// Which way they are ordered.
  public var order: SortOrder?
  /// The least value of what is sorted by.
  public var minimum: Int?
  /// The greatest value of what is sorted by.
  public var maximum: Int?
  /// The earliest time of answering.
  public var fromDate: Date?
  /// The latest time of answering.
  public var toDate: Date?
  /// The filter that says which fields are sent.
  public var filter: String?
  /// The version of the API.
  public var version: StackExchangeVersion = .version23
  /// Only these answers; all when empty.
  public var ids: [Int] = []
  /// Only answers to these questions; goes before `ids`.
  public var questionIDs: [Int] = []

  /// Creates a query for the first page of all answers.
  public init() {}

  /// The path and the encoded query, to be put after an endpoint's base address.
  public var pathAndQuery: String { path + (fields.encoded.map { "?" + $0 } ?? "") }

  var path: String {
    var path = "/\(version.rawValue)"
    if !questionIDs.isEmpty {
      path += "/questions/" + questionIDs.map(String.init).joined(separator: ";") + "/answers"
    } else {
      path += "/answers"
      if !ids.isEmpty { path += "/" + ids.map(String.init).joined(separator: ";") }
    }
    return path
  }

  var fields: QueryFields {
    var fields = QueryFields()
    fields.append("site", site)
    fields.append("page", page)
    fields.append("pagesize", pageSize)
    fields.append("order", order?.rawValue)
    fields.append("sort", sort?.rawValue)
    fields.append("min", minimum)
    fields.append("max", maximum)
    fields.append("fromdate", fromDate?.wholeSeconds)
    fields.append("todate", toDate?.wholeSeconds)
    fields.append("filter", filter)
    return fields
  }

  /// The method of the API, for which the service may ask for a pause.
  var apiMethod: String {
    if !questionIDs.isEmpty { return "questions/ids/answers" }
    return ids.isEmpty ? "answers" : "answers/ids"
  }
}
