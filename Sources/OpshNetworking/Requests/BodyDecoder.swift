import OpshCompression

/// Decodes the content encoding of a body that arrives in parts.
///
/// This replaces libcurl's decoding, which reports a truncated compressed stream as a success.
final class BodyDecoder {
  private enum Mode {
    case plain
    case compressed(GzipDecoder)
    /// The server may have omitted the encoding: the first two bytes decide.
    case undecided([UInt8])
    case unknown(String)
  }

  private var mode: Mode
  private let limit: Int
  private var outputCount = 0

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - headers: Those of the response.
  ///   - infersCompression: Whether a body without a named encoding may be compressed.
  ///   - limit: The greatest length of the result.
  init(headers: HTTPHeaders, infersCompression: Bool, limit: Int) {
    self.limit = limit
    let values = headers.values(of: "Content-Encoding")
    // Fast path for the most common value.
    let names = values.isEmpty || values == ["gzip"] ? values : Self.names(in: values)
    switch names {
    case []: mode = infersCompression ? .undecided([]) : .plain
    case ["gzip"], ["x-gzip"]: mode = .compressed(GzipDecoder(format: .gzip, outputLimit: limit))
    case ["deflate"]: mode = .compressed(GzipDecoder(format: .automatic, outputLimit: limit))
    default: mode = .unknown(names.joined(separator: ", "))
    }
  }

  /// The encodings that were applied, in lower case.
  private static func names(in values: [String]) -> [String] {
    values
      .flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
      .filter { !$0.isEmpty && $0 != "identity" }
  }

  /// Decodes a part and delivers the result in pieces; if `deliver` returns false, decoding ends.
  func decode(
    _ chunk: [UInt8], deliver: (_ piece: [UInt8]) -> Bool
  ) throws(NetworkError) {
    switch mode {
    case .plain:
      outputCount += chunk.count
      guard outputCount <= limit else { throw .tooLarge(.body, limit: limit) }
      _ = deliver(chunk)
    case .compressed(let decoder):
      do {
        try decoder.decode(chunk, deliver: deliver)
      } catch {
        throw networkError(error)
      }
    case .undecided(let held):
      let beginning = held + chunk
      guard beginning.count >= 2 else {
        mode = .undecided(beginning)
        return
      }
      mode =
        beginning.starts(with: Gzip.magic)
        ? .compressed(GzipDecoder(format: .gzip, outputLimit: limit)) : .plain
      try decode(beginning, deliver: deliver)
    case .unknown(let name):
      throw .unknownEncoding(printable(name))
    }
  }

  /// Checks that the encoded stream was complete, and delivers buffered data.
  func finish(deliver: (_ piece: [UInt8]) -> Bool) throws(NetworkError) {
    switch mode {
    case .plain, .unknown: break
    case .undecided(let held): if !held.isEmpty { _ = deliver(held) }
    case .compressed(let decoder):
      do {
        try decoder.finish()
      } catch {
        throw networkError(error)
      }
    }
  }

  private func networkError(_ error: CompressionError) -> NetworkError {
    if case .outputTooLarge = error { return .tooLarge(.body, limit: limit) }
    return .badResponse(error.description)
  }
}
