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
      .init("order", .choice(["desc", "asc"]), help: "which way to sort"),
      .init("min", .integer(), help: "lower bound of what is sorted by"),
      .init("max", .integer(), help: "upper bound of what is sorted by"),
      .init("fromdate", .integer(minimum: 0), help: "created then or later, epoch seconds"),
      .init("todate", .integer(minimum: 0), help: "created then or earlier, epoch seconds"),
      .init("filter", .string, help: "which fields to send: default, withbody, none, total"),
      .init("version", .choice(["2.3", "2.2"]), help: "the version of the API"),
    ]
  }

  /// Reads those options.
  func readPageOptions(into query: inout some StackExchangeQuery) throws {
    if let site = call.string("site") { query.site = site }
    query.page = call.integer("page").map { Int($0) }
    query.pageSize = call.integer("pagesize").map { Int($0) }
    query.sort = call.string("sort")
    query.order = call.string("order")
    query.minimum = call.integer("min")
    query.maximum = call.integer("max")
    query.fromDate = call.integer("fromdate")
    query.toDate = call.integer("todate")
    query.filter = call.string("filter")
    if let version = call.string("version") { query.version = version }
  }
}
