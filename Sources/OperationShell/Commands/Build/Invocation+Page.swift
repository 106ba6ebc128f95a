import Foundation
import Networking
import ShellLanguage

/// The options that all lists of the Stack Exchange API share.
extension Invocation {
  static func pageOptions(sorts: [String]) -> [CommandSignature.Option] {
    [
      .init("site", .string, help: "the site to ask; stackoverflow if left out"),
      .init("page", .integer(minimum: 1), help: "which page, from 1"),
      .init("pagesize", .integer(minimum: 0, maximum: 100), help: "items on a page: 0 to 100"),
      .init("sort", .choice(sorts), help: "what to sort by"),
      .init(
        "order", .choice(Networking.SortOrder.allCases.map(\.rawValue)), help: "which way to sort"),
      .init("min", .integer(), help: "lower bound of what is sorted by"),
      .init("max", .integer(), help: "upper bound of what is sorted by"),
      .init("fromdate", .integer(minimum: 0), help: "created then or later, epoch seconds"),
      .init("todate", .integer(minimum: 0), help: "created then or earlier, epoch seconds"),
      .init("filter", .string, help: "which fields to send: default, withbody, none, total"),
      .init(
        "version", .choice(StackExchangeVersion.allCases.map(\.rawValue)),
        help: "the version of the API"),
    ]
  }

  /// Reads those options.
  func readPageOptions(into query: inout some PageQuery) {
    if let site = call.string("site") { query.site = site }
    query.page = call.integer("page")
    query.pageSize = call.integer("pagesize")
    query.order = call.string("order").flatMap(Networking.SortOrder.init(rawValue:))
    query.minimum = call.integer("min")
    query.maximum = call.integer("max")
    query.fromDate = call.integer("fromdate").map { Date(timeIntervalSince1970: Double($0)) }
    query.toDate = call.integer("todate").map { Date(timeIntervalSince1970: Double($0)) }
    query.filter = call.string("filter")
    if let version = call.string("version").flatMap(StackExchangeVersion.init(rawValue:)) {
      query.version = version
    }
  }
}

/// What the queries of all lists have in common.
protocol PageQuery {
  var site: String { get set }
  var page: Int? { get set }
  var pageSize: Int? { get set }
  var order: Networking.SortOrder? { get set }
  var minimum: Int? { get set }
  var maximum: Int? { get set }
  var fromDate: Date? { get set }
  var toDate: Date? { get set }
  var filter: String? { get set }
  var version: StackExchangeVersion { get set }
}

extension QuestionsQuery: PageQuery {}

extension AnswersQuery: PageQuery {}
