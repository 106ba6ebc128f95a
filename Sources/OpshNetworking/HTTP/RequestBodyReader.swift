import Foundation

/// Reads the body of a request piece by piece, so that a file needs no memory of its size.
///
/// It belongs to one thread at a time. Files are opened when their turn comes; reading them blocks,
/// for as long as a local disk takes.
final class RequestBodyReader {
  private let body: RequestBody
  /// The number of the current part, and the position in it.
  private var (index, offset) = (0, 0)
  /// The current part, if it is a file.
  private var descriptor: Int32?

  init(_ body: RequestBody) { self.body = body }

  deinit { closeFile() }

  /// Reads the next bytes.
  ///
  /// - Parameter buffer: Where to put them.
  /// - Returns: Their number; 0 at the end of the body, and only there.
  /// - Throws: `NetworkError.file` if a file is gone, has changed, or can't be read.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int {
    while index < body.parts.count {
      let count =
        switch body.parts[index] {
        case .bytes(let bytes): copy(bytes, into: buffer)
        case .file(let file): try read(file, into: buffer)
        }
      offset += count
      if count > 0 { return count }
      closeFile()
      (index, offset) = (index + 1, 0)
    }
    return 0
  }

  /// Whether all bytes have been read.
  var isAtEnd: Bool {
    let isLast = index == body.parts.count - 1 && offset == body.parts[index].count
    return isLast || index >= body.parts.count
  }

  /// Goes to a position, from which the next bytes are read.
  ///
  /// - Parameter position: The number of bytes before it.
  /// - Returns: Whether the body is that long.
  func seek(to position: Int) -> Bool {
    closeFile()
    (index, offset) = (0, position)
    while index < body.parts.count, offset > body.parts[index].count {
      offset -= body.parts[index].count
      index += 1
    }
    return index < body.parts.count || offset == 0
  }

  private func copy(_ bytes: [UInt8], into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - offset)
    bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    return count
  }

  private func read(
    _ file: BodyFile, into buffer: UnsafeMutableRawBufferPointer
  ) throws(NetworkError) -> Int {
    do throws(FileError) {
      let opened: Int32
      if let descriptor { opened = descriptor } else { opened = try file.open() }
      descriptor = opened
      let wanted = min(buffer.count, file.size - offset)
      guard wanted > 0 else { return 0 }
      var count = 0
      repeat {
        count = pread(opened, buffer.baseAddress, wanted, off_t(offset))
      } while count < 0 && errno == EINTR
      guard count >= 0 else { throw FileError(path: file.path, number: errno) }
      // Shorter than it was; and before its last bytes are sent, what was sent may have changed.
      guard count > 0 else { throw file.changed }
      if offset + count == file.size { try file.check(opened) }
      return count
    } catch {
      throw .file(error)
    }
  }

  private func closeFile() {
    if let descriptor { close(descriptor) }
    descriptor = nil
  }
}

@available(*, unavailable)
extension RequestBodyReader: Sendable {}
