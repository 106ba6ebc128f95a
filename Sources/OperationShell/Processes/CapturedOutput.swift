import Foundation

/// Keeps what a program prints, up to a limit: the value of `let x = !PROGRAM`.
struct CapturedOutput {
  /// As much as any text of the language can be.
  static let limit = 64 << 20

  private(set) var bytes: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Reads what is there from a non-blocking descriptor.
  ///
  /// - Returns: Whether more may come.
  /// - Throws: A `RedirectionError` where it is more than can be kept.
  mutating func read(from descriptor: Int32) throws(RedirectionError) -> Bool {
    // A program that prints without end must not keep the session from being looked after.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      guard bytes.count + count <= Self.limit else {
        throw RedirectionError(
          code: "too-large", message: "the program prints more than \(Self.limit >> 20) MB")
      }
      bytes += buffer[..<count]
    }
    return true
  }

  /// The text of bytes without its final newlines; nil where they are not UTF-8.
  static func text(of bytes: [UInt8]) -> String? {
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0x0A { end -= 1 }
    return String(validating: bytes[..<end], as: UTF8.self)
  }
}
