import COpshZlib

/// Compresses and decompresses whole byte arrays in the gzip format.
///
/// ```swift
/// let packed = try Gzip.compress(Array("hello".utf8))
/// let plain = try Gzip.decompress(packed)
/// ```
public enum Gzip: Sendable {
  /// The first two bytes of every gzip stream.
  public static let magic: [UInt8] = [0x1F, 0x8B]

  /// Compresses bytes into one gzip member.
  ///
  /// The same input gives the same output: the header holds no time and no file name.
  ///
  /// - Parameters:
  ///   - bytes: The data; may be empty.
  ///   - level: From 0 (stored) to 9 (smallest).
  /// - Returns: A complete gzip stream.
  /// - Throws: `CompressionError.invalidLevel`, or `outOfMemory`.
  public static func compress(
    _ bytes: [UInt8], level: Int = 6
  ) throws(CompressionError) -> [UInt8] {
    guard (0...9).contains(level) else { throw .invalidLevel(level) }
    var stream = z_stream()
    let started = deflateInit2_(
      &stream, Int32(level), Z_DEFLATED, gzipWindowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard started == Z_OK else { throw .outOfMemory }
    defer { deflateEnd(&stream) }

    var output: [UInt8] = []
    output.reserveCapacity(bytes.count / 4 + 64)
    var offset = 0
    var status = Z_OK
    repeat {
      // zlib's counters have 32 bits, so long input is passed in slices.
      let slice = min(bytes.count - offset, maximumSlice)
      let isLast = offset + slice == bytes.count
      var consumed = 0
      let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, written in
        bytes.withUnsafeBufferPointer { input in
          // zlib does not write through `next_in`; its header only lacks the `const`.
          stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.advanced(by: offset))
          stream.avail_in = UInt32(slice)
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(pieceSize)
          status = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
          consumed = slice - Int(stream.avail_in)
        }
        written = pieceSize - Int(stream.avail_out)
      }
      offset += consumed
      output += piece
    } while status == Z_OK || status == Z_BUF_ERROR
    guard status == Z_STREAM_END else { throw .corrupt("deflate gave \(status)") }
    return output
  }

  /// Decompresses a complete gzip stream of one or more members.
  ///
  /// - Parameters:
  ///   - bytes: The whole stream.
  ///   - outputLimit: The maximum length of the result; a longer one is an error.
  /// - Returns: The decompressed bytes.
  /// - Throws: `CompressionError` for a stream that is invalid, truncated, followed by other bytes,
  ///   or too long when decompressed.
  public static func decompress(
    _ bytes: [UInt8], outputLimit: Int = 1 << 30
  ) throws(CompressionError) -> [UInt8] {
    let decoder = GzipDecoder(format: .gzip, outputLimit: outputLimit)
    let output = try decoder.decode(bytes)
    try decoder.finish()
    return output
  }
}

/// 15 bits of window, and 16 for the gzip format.
let gzipWindowBits: Int32 = 15 + 16
/// 15 bits of window with the zlib format.
let zlibWindowBits: Int32 = 15
/// 15 bits of window without a wrapper.
let rawWindowBits: Int32 = -15
/// The size of an output piece.
let pieceSize = 64 * 1024
/// The size of an input slice.
let maximumSlice = 1 << 30
