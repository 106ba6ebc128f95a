import COpshZlib

/// Compresses the beginning of a text, to which an end is attached that is not compressed.
///
/// The length of the stream depends on the length of the end, not on its content.
///
/// ```swift
/// let prefix = try GzipPrefix(Array("[1,2,3".utf8))
/// let packed = prefix.completed(with: Array(",4]".utf8))  // a whole gzip stream
/// ```
public struct GzipPrefix: Sendable {
  /// The header and the compressed text, ending at a byte and block boundary.
  private let compressed: [UInt8]
  private let checksum: UInt
  private let count: Int

  /// Compresses the start of a text.
  public init(_ bytes: [UInt8], level: Int = 6) throws(CompressionError) {
    guard (0...9).contains(level) else { throw .invalidLevel(level) }
    var stream = z_stream()
    let started = deflateInit2_(
      &stream, Int32(level), Z_DEFLATED, gzipWindowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard started == Z_OK else { throw .outOfMemory }
    defer { deflateEnd(&stream) }

    // The bound is that of a whole stream; the flush at its end takes 5 more bytes.
    let capacity = Int(deflateBound(&stream, UInt(bytes.count))) + 16
    guard bytes.count <= maximumSlice, capacity <= Int(UInt32.max) else { throw .outOfMemory }
    var status = Z_OK
    compressed = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, written in
      bytes.withUnsafeBufferPointer { input in
        // zlib does not write through `next_in`; its header only lacks the `const`.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(bytes.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(capacity)
        status = deflate(&stream, Z_SYNC_FLUSH)
      }
      written = capacity - Int(stream.avail_out)
    }
    guard status == Z_OK, stream.avail_in == 0, stream.avail_out > 0 else {
      throw .corrupt("deflate gave \(status)")
    }
    checksum = crc32(0, bytes, UInt32(bytes.count))
    count = bytes.count
  }

  /// Creates a whole gzip stream from the start and an end, which is not compressed.
  ///
  /// - Parameter end: The rest of the text; may be empty.
  /// - Returns: A complete gzip stream.
  public func completed(with end: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(compressed.count + end.count + 16)
    output += compressed
    var rest = end[...]
    repeat {
      // A stored block (RFC 1951, 3.2.4): the bit that marks the last one, the length and its
      // complement, the bytes.
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      output.append(rest.isEmpty ? 1 : 0)
      Self.append(UInt16(block.count), to: &output)
      Self.append(~UInt16(block.count), to: &output)
      output += block
    } while !rest.isEmpty
    let total = crc32(checksum, end, UInt32(end.count))
    Self.append(UInt32(truncatingIfNeeded: total), to: &output)
    Self.append(UInt32(truncatingIfNeeded: count + end.count), to: &output)
    return output
  }

  private static func append<Number: FixedWidthInteger>(
    _ number: Number, to output: inout [UInt8]
  ) {
    withUnsafeBytes(of: number.littleEndian) { output.append(contentsOf: $0) }
  }
}
