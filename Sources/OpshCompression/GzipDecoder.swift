import COpshZlib

/// Decompresses a gzip or deflate stream that arrives in parts.
///
/// Output is produced in pieces of at most 64 kB, however much the input expands to, and the
/// receiver may stop at any piece: a stream that expands a thousandfold needs no more memory than
/// the receiver permits.
///
/// ```swift
/// let decoder = GzipDecoder(format: .gzip)
/// for chunk in chunks {
///   try decoder.decode(chunk) { piece in file.append(piece); return true }
/// }
/// try decoder.finish()
/// ```
///
/// A decoder is used by one thread at a time. After an error or a stop it can't continue.
public final class GzipDecoder {
  /// The wrapper of the stream.
  public enum Format: Sendable, Equatable {
    /// RFC 1952, one or more members.
    case gzip
    /// RFC 1950, which HTTP calls `deflate`.
    case zlib
    /// RFC 1951 without a wrapper, which some servers send as `deflate`.
    case rawDeflate
    /// The one of the three that the first two bytes indicate.
    case automatic
  }

  private enum Phase: Equatable {
    /// The format is not known yet; these are the first bytes.
    case detecting([UInt8])
    /// No data of the stream, or of its next member, has been decoded.
    case atStart(windowBits: Int32)
    case inside
    /// The stream, or a member of it, is complete.
    case afterEnd
    case failed(CompressionError)
    case stopped
  }

  /// The number of produced bytes.
  public private(set) var outputCount = 0

  private let outputLimit: Int
  private var phase: Phase
  private var acceptsFurtherMembers = false
  /// On the heap because zlib's state has a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isStreamOpen = false
  /// The last piece was full, so zlib may have more output although it read all input.
  private var mayHoldOutput = false

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - format: The wrapper of the stream.
  ///   - outputLimit: The maximum total output; more is the error `outputTooLarge`.
  public init(format: Format, outputLimit: Int = .max) {
    self.outputLimit = outputLimit
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    switch format {
    case .gzip:
      phase = .atStart(windowBits: gzipWindowBits)
      acceptsFurtherMembers = true
    case .zlib: phase = .atStart(windowBits: zlibWindowBits)
    case .rawDeflate: phase = .atStart(windowBits: rawWindowBits)
    case .automatic: phase = .detecting([])
    }
  }

  deinit {
    if isStreamOpen { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Decodes one part of the stream and returns its output.
  ///
  /// Only `outputLimit` limits the result; use the other form for untrusted input.
  ///
  /// - Parameter input: The next part; may be empty.
  /// - Returns: The bytes that could be expanded so far, maybe none.
  /// - Throws: `CompressionError` if the stream is invalid or too long.
  public func decode(_ input: [UInt8]) throws(CompressionError) -> [UInt8] {
    var output: [UInt8] = []
    try decode(input) { piece in
      output += piece
      return true
    }
    return output
  }

  /// Decodes one part of the stream and delivers the output in pieces.
  ///
  /// - Parameters:
  ///   - input: The next part; may be empty.
  ///   - deliver: Receives each piece, at most 64 kB; returns false to stop for good.
  /// - Throws: `CompressionError` if the stream is invalid or too long. Pieces before the invalid
  ///   part have been delivered.
  public func decode(
    _ input: [UInt8], deliver: (_ piece: [UInt8]) -> Bool
  ) throws(CompressionError) {
    var input = input[...]
    if case .detecting(let held) = phase {
      let beginning = held + input
      guard beginning.count >= 2 else {
        phase = .detecting(beginning)
        return
      }
      input = beginning[...]
      detectFormat(beginning[0], beginning[1])
    }
    do {
      while !input.isEmpty || mayHoldOutput {
        guard try step(&input, deliver: deliver) else { break }
      }
    } catch {
      phase = .failed(error)
      throw error
    }
  }

  /// Checks that the stream is complete.
  ///
  /// - Throws: `CompressionError.truncated` if it is not, or the earlier error of decoding.
  public func finish() throws(CompressionError) {
    switch phase {
    case .afterEnd, .stopped: return
    case .failed(let error): throw error
    case .detecting, .atStart, .inside: throw .truncated
    }
  }

  private func detectFormat(_ first: UInt8, _ second: UInt8) {
    if [first, second] == Gzip.magic {
      phase = .atStart(windowBits: gzipWindowBits)
      acceptsFurtherMembers = true
    } else if first & 0x0F == 8, (UInt16(first) << 8 | UInt16(second)) % 31 == 0 {
      phase = .atStart(windowBits: zlibWindowBits)
    } else {
      phase = .atStart(windowBits: rawWindowBits)
    }
  }

  /// Produces at most one piece; returns false if the receiver stops.
  private func step(
    _ input: inout ArraySlice<UInt8>, deliver: ([UInt8]) -> Bool
  ) throws(CompressionError) -> Bool {
    switch phase {
    case .failed(let error): throw error
    case .stopped: return false
    case .detecting: return false
    case .atStart(let windowBits):
      try open(windowBits: windowBits)
    case .afterEnd:
      guard acceptsFurtherMembers, input.first == Gzip.magic[0] else { throw .trailingData }
      guard inflateReset(stream) == Z_OK else { throw .outOfMemory }
      phase = .inside
    case .inside: break
    }
    let piece = try inflatePiece(&input)
    guard outputCount <= outputLimit - piece.count else {
      throw .outputTooLarge(limit: outputLimit)
    }
    outputCount += piece.count
    if !piece.isEmpty, !deliver(piece) {
      phase = .stopped
      return false
    }
    return true
  }

  private func open(windowBits: Int32) throws(CompressionError) {
    let status = inflateInit2_(
      stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .outOfMemory }
    isStreamOpen = true
    phase = .inside
  }

  /// Decompresses until a piece is full, or the input or the stream has ended.
  private func inflatePiece(
    _ input: inout ArraySlice<UInt8>
  ) throws(CompressionError) -> [UInt8] {
    let slice = min(input.count, maximumSlice)
    // Short input gets a short piece, so that many small chunks do not each need 64 kB.
    let capacity = mayHoldOutput ? pieceSize : min(pieceSize, max(4096, slice * 4))
    var status = Z_OK
    let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, written in
      input.withUnsafeBufferPointer { source in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.pointee.avail_in = UInt32(slice)
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        status = inflate(stream, Z_NO_FLUSH)
      }
      written = capacity - Int(stream.pointee.avail_out)
    }
    mayHoldOutput = output.count == capacity && status != Z_STREAM_END
    input = input.dropFirst(slice - Int(stream.pointee.avail_in))
    switch status {
    case Z_STREAM_END: phase = .afterEnd
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw .outOfMemory
    case Z_NEED_DICT: throw .corrupt("it needs a preset dictionary")
    default:
      throw .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "inflate gave \(status)")
    }
    return output
  }
}

@available(*, unavailable)
extension GzipDecoder: Sendable {}
