import Compression

/// Takes the content encoding off a body that arrives in parts.
///
/// It is done here and not by libcurl, which reports a compressed stream that is cut short as a
/// success.
final class BodyDecoder {
  private enum Mode {
    case plain
    case compressed(GzipDecoder)
    /// The server named no encoding although it should have: the first two bytes decide.
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
  ///   - infersCompression: Whether a body without a named encoding may be compressed all the
  ///     same.
  ///   - limit: The greatest length of the result.
  init(headers: HTTPHeaders, infersCompression: Bool, limit: Int) {
    self.limit = limit
    let values = headers.values(of: "Content-Encoding")
    // What nearly every answer says is known at a glance.
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

  /// Decodes a part and delivers what it gives in pieces; false from `deliver` ends it for good.
  func decode(
    _ chunk: [UInt8], deliver: (_ piece: [UInt8]) -> Bool
  ) throws(NetworkError) {
    switch mode {
    case .plain:
      outputCount += chunk.count
      guard outputCount <= limit else { throw .tooLarge }
      _ = deliver(chunk)
    case .compressed(let decoder):
      do {
        try decoder.decode(chunk, deliver: deliver)
      } catch {
        throw Self.networkError(error)
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
      throw .badResponse("its encoding '\(printable(name))' was not asked for")
    }
  }

  /// Checks that the encoded stream was complete, and delivers what was held back.
  func finish(deliver: (_ piece: [UInt8]) -> Bool) throws(NetworkError) {
    switch mode {
    case .plain, .unknown: break
    case .undecided(let held): if !held.isEmpty { _ = deliver(held) }
    case .compressed(let decoder):
      do {
        try decoder.finish()
      } catch {
        throw Self.networkError(error)
      }
    }
  }

  private static func networkError(_ error: CompressionError) -> NetworkError {
    if case .outputTooLarge = error { return .tooLarge }
    return .badResponse(error.description)
  }
}
