import Foundation
package import ShellLanguage

/// Stores a program's output, up to a limit: the value of `let x = !PROGRAM`.
package struct CapturedOutput {
  /// The maximum size of any text in the language.
  package static let limit = 64_000_000

  package private(set) var bytes: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  package init() {}

  /// Reads the available data from a non-blocking descriptor.
  ///
  /// - Returns: Whether more may follow.
  /// - Throws: An `UnplacedError` if the output exceeds the limit.
  package mutating func read(from descriptor: Int32) throws(UnplacedError) -> Bool {
    // A program with endless output must not block the session.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      guard bytes.count + count <= Self.limit else {
        throw UnplacedError(.tooLarge, "the program prints more than \(Self.limit / 1_000_000) MB")
      }
      bytes += buffer[..<count]
    }
    return true
  }

  /// The text of bytes without trailing newlines; nil if they are not UTF-8.
  package static func text(of bytes: [UInt8]) -> String? {
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0x0A { end -= 1 }
    return String(validating: bytes[..<end], as: UTF8.self)
  }
}
