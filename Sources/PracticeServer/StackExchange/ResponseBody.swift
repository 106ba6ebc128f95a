import Compression

/// The JSON of an answer, of which the long part may be compressed already.
enum ResponseBody {
  case text([UInt8])
  /// A beginning and what follows it.
  case page(beginning: PreparedText, end: [UInt8])

  /// An error, with exactly the three keys that the service sends.
  init(_ error: APIError) {
    var json = JSONWriter()
    json.beginObject()
    json.field("error_id", error.identifier)
    json.field("error_message", error.message)
    json.field("error_name", error.name)
    json.endObject()
    self = .text(json.bytes)
  }

  /// Makes the answer that is sent.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - callback: The function to wrap the JSON in, if one is asked for.
  /// - Returns: The answer, compressed.
  func answer(status: Int, callback: String?) -> PracticeAnswer {
    var type = "application/json; charset=utf-8"
    var plain: [UInt8]?
    if let callback {
      type = "application/javascript; charset=utf-8"
      plain = Array("\(callback)(".utf8) + text + Array(");".utf8)
    } else if case .text(let text) = self {
      plain = text
    }
    var answer = PracticeAnswer(
      status: status,
      headers: [
        .init(name: "Content-Type", value: type),
        .init(name: "Cache-Control", value: "private"),
        .init(name: "Access-Control-Allow-Origin", value: "*"),
      ], body: [])
    if let compressed = compressed(plain) {
      answer.headers.append(.init(name: "Content-Encoding", value: "gzip"))
      answer.body = compressed
    } else {
      // The service may answer uncompressed too; zlib fails only when memory is short.
      answer.body = plain ?? text
    }
    return answer
  }

  private func compressed(_ plain: [UInt8]?) -> [UInt8]? {
    if let plain { return try? Gzip.compress(plain) }
    guard case .page(let beginning, let end) = self else { return nil }
    return beginning.compressed?.completed(with: end)
  }

  private var text: [UInt8] {
    switch self {
    case .text(let text): text
    case .page(let beginning, let end): beginning.text + end
    }
  }
}

/// The part of an answer that is the same for every request, with its compressed form.
struct PreparedText {
  let text: [UInt8]
  let compressed: GzipPrefix?

  init(_ text: [UInt8]) {
    self.text = text
    compressed = try? GzipPrefix(text)
  }
}
