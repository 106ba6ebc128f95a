import OpshNetworking

/// The representation of responses in the tables.
enum CacheRow {
  static let columns: String =
    "id, method, url, status, headers, requested, received, body_size, size, hits, revalidations"

  /// The number of the next use; numbers of uses only increase.
  static let nextUse: String = "(SELECT coalesce(max(used), 0) + 1 FROM responses)"

  /// The approximate size of a response without its parts of variable length.
  private static let overhead = 256

  static func size(url: String, headers: String, body: [UInt8]) -> Int {
    url.utf8.count + headers.utf8.count + body.count + overhead
  }

  static func entry(_ row: Row) -> CacheEntry {
    CacheEntry(
      id: row.integer(0), method: row.text(1), url: row.text(2), status: row.integer(3),
      headers: headers(row.text(4)), requestedAt: row.time(5), receivedAt: row.time(6),
      bodySize: row.integer(7), storedSize: row.integer(8), hitCount: row.integer(9),
      revalidationCount: row.integer(10))
  }

  static func packedResponse(
    id: Int, _ connection: Connection
  ) throws(StoreError) -> PackedResponse? {
    let entry = try connection.first(
      "SELECT \(columns) FROM responses WHERE id = ?", .integer(id), body: entry)
    let body = try connection.first(
      "SELECT is_compressed, bytes FROM bodies WHERE response = ?", .integer(id)
    ) { PackedBody(isCompressed: $0.integer(0) != 0, bytes: $0.blob(1)) }
    guard let entry, let body else { return nil }
    return PackedResponse(entry: entry, body: body)
  }

  /// Headers are a JSON array of pairs: names may repeat, and the order matters.
  static func text(_ headers: HTTPHeaders) -> String {
    JSONValue.array(headers.fields.map { .array([.string($0.name), .string($0.value)]) }).text
  }

  private static func headers(_ text: String) -> HTTPHeaders {
    guard case .array(let pairs)? = try? JSONValue(parsing: Array(text.utf8)) else {
      return HTTPHeaders()
    }
    return HTTPHeaders(
      received: pairs.compactMap { pair in
        guard case .string(let name)? = pair[0], case .string(let value)? = pair[1] else {
          return nil
        }
        return (name, value)
      })
  }

  /// Names of headers contain no comma.
  static func text(_ names: [String]) -> String { names.joined(separator: ",") }

  static func names(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0) }
  }
}
