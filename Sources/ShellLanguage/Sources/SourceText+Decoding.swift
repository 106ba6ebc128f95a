import Foundation

extension SourceText {
  /// The largest script that is read, in bytes.
  public static let maximumByteCount = 64_000_000

  /// Makes a source text of bytes, or says what in them cannot be one.
  ///
  /// - Parameters:
  ///   - bytes: The content of a file or of standard input.
  ///   - name: What stands for the file in messages.
  ///   - firstLine: The number of the first line.
  /// - Returns: The text.
  /// - Throws: The error with the place of the first bad byte.
  public static func decoding(
    bytes: [UInt8], name: String, firstLine: Int = 1
  ) throws(Diagnostic) -> SourceText {
    if bytes.count > maximumByteCount {
      throw .tooLarge(SourceText(name: name, text: "", firstLine: firstLine))
    }
    if let text = String(validating: bytes, as: UTF8.self) {
      let source = SourceText(name: name, text: text, firstLine: firstLine)
      if let offset = text.utf8.firstOffset(of: 0) {
        throw .nulByte(source, at: offset)
      }
      return source
    }
    // The text before the first bad byte is the same in the repaired text, so that
    // the offset names the same place in both.
    let source = SourceText(
      name: name, text: String(decoding: bytes, as: UTF8.self), firstLine: firstLine)
    throw .invalidUTF8(source, at: validPrefixLength(of: bytes))
  }

  private static func validPrefixLength(of bytes: some Collection<UInt8>) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var length = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): length += UTF8.width(scalar)
      case .emptyInput, .error: return length
      }
    }
  }
}

extension Collection where Element == UInt8 {
  /// The offset of the first byte with the given value.
  func firstOffset(of byte: UInt8) -> Int? {
    // The C library looks at many bytes at once.
    let found = withContiguousStorageIfAvailable { bytes -> Int? in
      guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), bytes.count)
      else { return nil }
      return UnsafeRawPointer(place) - UnsafeRawPointer(start)
    }
    return found ?? firstIndex(of: byte).map { distance(from: startIndex, to: $0) }
  }
}

extension Diagnostic {
  static func tooLarge(_ source: SourceText) -> Diagnostic {
    Diagnostic(
      .tooLarge, "the script is larger than 64 MB", source: source, range: SourceRange(0, 0))
  }

  static func nulByte(_ source: SourceText, at offset: Int) -> Diagnostic {
    Diagnostic(
      .nulByte, "a script cannot hold a NUL byte", source: source,
      range: SourceRange(offset, offset + 1))
  }

  static func invalidUTF8(_ source: SourceText, at offset: Int) -> Diagnostic {
    Diagnostic(
      .invalidUTF8, "the script is not valid UTF-8", source: source,
      range: SourceRange(offset, offset + 1))
  }
}

extension ErrorPage {
  package static let tooLarge = ErrorPage(
    "too-large", "A text, a list or a file is larger than it can be",
    """
    A script has at most 64 MB, and so has a text that a script makes; a list that a script \
    makes has at most 1,000,000 elements. A loop that doubles a text soon gets there.
    """,
    help: "split it into several", wrong: "let t = \"ab\"\nwhile (true) { let t = \"$t$t$t$t\" }",
    right: "let t = \"ab\"\nrepeat 3 { let t = \"$t$t\" }\necho $t", proof: .running)

  static let nulByte = ErrorPage(
    "nul-byte", "There is a NUL byte in the script",
    "A script is text. A NUL byte means that it is something else, or was damaged.",
    help: "\\u{…} in double quotes writes other control characters", wrong: "(a NUL byte)",
    right: "echo \"\\u{7}\"")

  package static let invalidUTF8 = ErrorPage(
    "invalid-utf8", "The script is not valid UTF-8",
    "The place is that of the first byte that does not fit. Other encodings are not read.",
    help: "save the file as UTF-8", wrong: "(a byte such as 0xFF)", right: "echo ü")
}
