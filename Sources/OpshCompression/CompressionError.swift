/// An error of compression or decompression.
public enum CompressionError: Error, Sendable, Equatable {
  /// The compressed stream ended before its last block and checksum.
  case truncated
  /// The compressed stream is invalid; the text is the library's message.
  case corrupt(String)
  /// There is data after the end of the compressed stream.
  case trailingData
  /// The output would exceed the given number of bytes.
  case outputTooLarge(limit: Int)
  /// The level is outside 0…9.
  case invalidLevel(Int)
  /// The library had no memory for its tables.
  case outOfMemory
}

extension CompressionError: CustomStringConvertible {
  /// One sentence about the error, without a full stop.
  public var description: String {
    switch self {
    case .truncated: "the compressed data ends too early"
    case .corrupt(let why): "the compressed data is broken: \(why)"
    case .trailingData: "there is data after the end of the compressed data"
    case .outputTooLarge(let limit): "the data expands to more than \(limit) bytes"
    case .invalidLevel(let level): "\(level) is not a compression level from 0 to 9"
    case .outOfMemory: "there is no memory left for compressing"
    }
  }
}
