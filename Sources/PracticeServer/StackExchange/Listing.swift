import OpshJSON
import OpshWebAPIs

/// A list that a method found, of which one page is sent.
struct Listing {
  let page: Page
  let total: Int
  /// The page's items, written one after the other inside the array.
  let writeItems: (inout JSONWriter) -> Void

  private static let fields = StackExchange.WrapperFields.list.fields

  /// Writes the page as JSON in the wrapper of the service, up to the quota at its end.
  ///
  /// - Parameter filter: Which fields of the wrapper the client asks for.
  /// - Returns: The JSON so far; ``end(after:filter:quota:backoff:)`` completes it.
  func beginning(filter: ResponseFilter) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    switch filter {
    case .none: break
    case .total: json.field(Self.fields.total, total)
    case .standard, .withBody:
      json.key("items")
      json.beginArray()
      writeItems(&json)
      json.endArray()
      json.field(Self.fields.hasMore, page.hasMore(in: total))
    }
    return json
  }

  /// Completes the JSON of a page.
  ///
  /// - Parameters:
  ///   - beginning: What ``beginning(filter:)`` returned.
  ///   - filter: The same filter.
  ///   - quota: The quota of the client.
  ///   - backoff: The backoff that is asked for, in seconds.
  /// - Returns: The rest of the JSON.
  static func end(
    after beginning: JSONWriter, filter: ResponseFilter, quota: Quota, backoff: Int?
  ) -> [UInt8] {
    var json = beginning
    if filter != .none, filter != .total {
      json.field(fields.backoff, backoff)
      json.field(fields.quotaMax, quota.maximum)
      json.field(fields.quotaRemaining, quota.remaining)
    }
    json.endObject()
    return Array(json.bytes.dropFirst(beginning.bytes.count))
  }

}

extension Listing {
  /// Creates a listing of which a page of positions is sent.
  init(page: Page, positions: [Int32], write: @escaping (Int, inout JSONWriter) -> Void) {
    let shown = positions[page.range(in: positions.count)]
    self.init(page: page, total: positions.count) { json in
      for position in shown { write(Int(position), &json) }
    }
  }
}
