/// Holds quotes as they were downloaded, those that are none included.
public struct QuotesPage: Sendable, Equatable {
  /// The records in the order of the service.
  public var records: [QuoteRecord]
  /// How many the service has, if it was asked to count them.
  public var total: Int?
  /// The whole answer, every field as it was sent.
  public var raw: JSONValue

  /// Decodes an answer of the service.
  ///
  /// A record that is not like a quote is none less: what is wrong with it is said in it.
  ///
  /// - Parameter body: JSON text.
  /// - Throws: `NetworkError.serialization` when it is not JSON or has no results.
  public init(decoding body: [UInt8]) throws(NetworkError) {
    raw = try JSONValue(parsing: body)
    guard case .array(let results)? = raw["results"] else {
      throw .serialization("'results' is missing or no array")
    }
    records = results.map(QuoteRecord.init(parsing:))
    total = raw["count"]?.exactInteger()
  }

  /// Refuses an answer of which nothing can be read.
  ///
  /// Single records that are no quotes are passed over; where all are, the answer is another one
  /// than it should be.
  ///
  /// - Throws: `NetworkError.serialization` when there are records and not one is a quote.
  func checkForQuotes() throws(NetworkError) {
    guard let first = records.first, case .failure(let misfit) = first.validated else { return }
    for record in records.dropFirst() {
      if case .success = record.validated { return }
    }
    throw .serialization(
      records.count == 1
        ? "the record is no quote: \(printable(misfit.reason))"
        : "none of the \(records.count) records is a quote; of the first: "
          + printable(misfit.reason))
  }

  /// How many quotes the service has besides these.
  public var missingCount: Int { max(0, (total ?? records.count) - records.count) }
}

extension QuoteRecord {
  /// Reads a record of a download, whatever it is.
  ///
  /// - Parameter json: An element of the results, or an object by itself.
  public init(parsing json: JSONValue) {
    guard case .object = json else {
      self = .misfit(id: nil, reason: "it is \(json.kind) and no object")
      return
    }
    self.init()
    func text(_ name: String, _ what: String) -> String? {
      switch json[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      case let other?:
        misfit = misfit ?? "\(what) is \(other.kind)"
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
      if readCount == nil { misfit = misfit ?? "its read count is \(other.kind)" }
    }
    for (name, property) in [("createdAt", \QuoteRecord.createdAt), ("updatedAt", \.updatedAt)] {
      // A date is a text where the service keeps it, and an object where a program does.
      let value = json[name]?["iso"] ?? json[name]
      switch value {
      case nil, .null?: break
      case .string(let text)?:
        self[keyPath: property] = ParseText.date(text)
        if self[keyPath: property] == nil { misfit = misfit ?? "its \(name) is no date" }
      case let other?: misfit = misfit ?? "its \(name) is \(other.kind)"
      }
    }
  }
}
