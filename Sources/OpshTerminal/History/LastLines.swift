import Foundation

/// Reads the lines of a file from its end to its start, piece by piece.
///
/// So the time to read the last lines does not depend on how long the file is.
struct LastLines {
  private static let pieceSize = 256 << 10

  private let descriptor: Int32
  /// Where the bytes begin that were read.
  private var start: Int
  /// Nothing before this is read.
  private let limit: Int
  /// What was read and not returned.
  private var bytes: ArraySlice<UInt8> = []
  private var hasEnded = false

  /// Begins at the end of a file.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - size: Its size; what is appended later is not read.
  ///   - count: The number of bytes that are read at most.
  init(of descriptor: Int32, size: Int, atMost count: Int) {
    self.descriptor = descriptor
    start = size
    limit = max(0, size - count)
  }

  /// Returns the line before the one that was returned last, without its end; nil before the first.
  mutating func next() -> ArraySlice<UInt8>? {
    var searched = 0
    while !hasEnded {
      let end = bytes.endIndex - searched
      if let feed = Self.lastLineFeed(in: bytes[..<end]) {
        let line = bytes[(feed + 1)...]
        bytes = bytes[..<feed]
        return line
      }
      searched = bytes.count
      guard readPiece() else {
        hasEnded = true
        // The beginning of what is read may be the middle of a line.
        return limit > 0 ? nil : bytes
      }
    }
    return nil
  }

  private mutating func readPiece() -> Bool {
    // Twice as much for a long line, so that its bytes are not moved again and again.
    let count = min(max(Self.pieceSize, bytes.count), start - limit)
    guard count > 0 else { return false }
    var piece = [UInt8](repeating: 0, count: count)
    guard pread(descriptor, &piece, count, off_t(start - count)) == count else { return false }
    start -= count
    bytes = (piece + bytes)[...]
    return true
  }

  private static func lastLineFeed(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBufferPointer { buffer in
      var place = buffer.count - 1
      while place >= 0, buffer[place] != UInt8(ascii: "\n") { place -= 1 }
      return place < 0 ? nil : bytes.startIndex + place
    }
  }
}
