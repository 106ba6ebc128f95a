/// Downloaded quotes, including invalid records.
public struct QuotesPage: Sendable, Equatable {
  /// The records in the order of the service.
  public var records: [QuoteRecord]
  /// How many the service has, if it was asked to count them.
  public var total: Int?
  /// The complete response with every field as it was sent.
  public var raw: JSONValue

  /// Decodes a response of the service.
  ///
  /// An invalid record is included, with the reason why it is invalid.
  ///
  /// - Parameter body: JSON text.
  /// - Throws: `NetworkError.serialization` if it is not JSON or has no results.
  public init(decoding body: [UInt8]) throws(NetworkError) {
    var parsing = try QuotesParsing(body)
    parsing.parse(parsing.total)
    self = parsing.page
  }

  fileprivate init(records: [QuoteRecord], raw: JSONValue) {
    self.records = records
    total = raw["count"]?.exactInteger()
    self.raw = raw
  }

  /// Throws if no record is valid.
  ///
  /// Single invalid records are skipped; if all are invalid, the response is not one of quotes.
  ///
  /// - Throws: `NetworkError.serialization` if there are records and none is a quote.
  func checkForQuotes() throws(NetworkError) {
    guard let first = records.first, case .failure(let problem) = first.validated else { return }
    for record in records.dropFirst() {
      if case .success = record.validated { return }
    }
    throw .serialization(
      records.count == 1
        ? "the record is not a quote: \(printable(problem.reason))"
        : "none of the \(records.count) records is a quote; the first: "
          + printable(problem.reason))
  }

  /// The number of quotes on the service that are not in this page.
  public var missingCount: Int { max(0, (total ?? records.count) - records.count) }
}

/// A page of which a part of the records has been parsed.
struct QuotesParsing: Sendable {
  private let raw: JSONValue
  private let results: [JSONValue]
  private var records: [QuoteRecord] = []

  /// Reads the JSON text, and no record yet.
  init(_ body: [UInt8]) throws(NetworkError) {
    raw = try JSONValue(body: body)
    guard case .array(let results)? = raw["results"] else {
      throw .serialization("'results' is missing or not an array")
    }
    self.results = results
  }

  /// How many records have been parsed.
  var done: Int { records.count }
  /// How many there are.
  var total: Int { results.count }

  /// Parses further records, until that many are.
  mutating func parse(_ count: Int) {
    for result in results[done..<count] { records.append(QuoteRecord(parsing: result)) }
  }

  /// The page with the records that have been parsed.
  var page: QuotesPage { QuotesPage(records: records, raw: raw) }
}

extension QuoteRecord {
  /// Reads a record of a download, valid or not.
  ///
  /// - Parameter json: An element of the results, or a single object.
  public init(parsing json: JSONValue) {
    guard case .object = json else {
      self = .invalid(id: nil, reason: "it is \(json.kind) and not an object")
      return
    }
    self.init()
    func text(_ name: String, _ what: String) -> String? {
      switch json[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      case let other?:
        problem = problem ?? "\(what) is \(other.kind)"
        return nil
      }
    }
    id = text("objectId", "its object id")
    self.text = text("text", "its text")
    author = text("author", "its author")
    switch json["readCount"] {
    case nil, .null?: readCount = nil
    case let other?:
      readCount = other.exactInteger()
      if readCount == nil { problem = problem ?? "its read count is \(other.kind)" }
    }
    for (name, property) in [("createdAt", \QuoteRecord.createdAt), ("updatedAt", \.updatedAt)] {
      // A date is a text if the service set it, and an object if a program did.
      let value = json[name]?["iso"] ?? json[name]
      switch value {
      case nil, .null?: break
      case .string(let text)?:
        self[keyPath: property] = ParseText.date(text)
        if self[keyPath: property] == nil { problem = problem ?? "its \(name) is not a date" }
      case let other?: problem = problem ?? "its \(name) is \(other.kind)"
      }
    }
  }
}
