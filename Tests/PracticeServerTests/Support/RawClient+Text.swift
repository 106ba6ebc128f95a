import OpshCompression
import TestSupport

extension RawClient.Reply {
  /// The body, expanded if it says that it is compressed.
  func text() throws -> String {
    guard headers["content-encoding"] == "gzip" else {
      return String(decoding: body, as: UTF8.self)
    }
    return String(decoding: try Gzip.decompress(body), as: UTF8.self)
  }

  func json() throws -> OrderedJSON { try OrderedJSON(parsing: try text()) }
}
