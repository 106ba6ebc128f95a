import OpshCompression
import Testing

@Suite("GzipDecoder")
struct GzipDecoderTests {
  /// "hello" with the zlib wrapping.
  static let zlibHello: [UInt8] = [
    0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15,
  ]
  /// The same without any wrapping.
  static let rawHello: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var format: GzipDecoder.Format
    var input: [UInt8]
  }

  static let cases: [Case] = [
    Case(testDescription: "zlib", format: .zlib, input: zlibHello),
    Case(testDescription: "raw", format: .rawDeflate, input: rawHello),
    Case(testDescription: "zlib told", format: .automatic, input: zlibHello),
    Case(testDescription: "raw told", format: .automatic, input: rawHello),
  ]

  @Test("Each wrapping decodes, whole and byte by byte", arguments: cases)
  func formats(testCase: Case) throws {
    let whole = GzipDecoder(format: testCase.format)
    #expect(try whole.decode(testCase.input) == Array("hello".utf8))
    try whole.finish()

    let slow = GzipDecoder(format: testCase.format)
    var output: [UInt8] = []
    for byte in testCase.input { output += try slow.decode([byte]) }
    try slow.finish()
    #expect(output == Array("hello".utf8))
    #expect(slow.outputCount == 5)
  }

  @Test("A stream that expands a thousandfold comes in small pieces and can be stopped")
  func bomb() throws {
    let packed = try Gzip.compress(Array(repeating: 0, count: 20_000_000), level: 9)
    let decoder = GzipDecoder(format: .automatic)
    var pieces = 0
    var longest = 0
    try decoder.decode(packed) { piece in
      pieces += 1
      longest = max(longest, piece.count)
      return pieces < 10
    }
    #expect(pieces == 10)
    #expect(longest <= 64 * 1024)
    #expect(decoder.outputCount < 1_000_000)
    try decoder.decode(packed) { _ in
      Issue.record("a stopped decoder delivered")
      return true
    }
  }

  @Test("All output comes even when the input ended long before")
  func draining() throws {
    let packed = try Gzip.compress(Array(repeating: 7, count: 5_000_000), level: 9)
    let decoder = GzipDecoder(format: .gzip)
    var count = 0
    for byte in packed.dropLast(8) { count += try decoder.decode([byte]).count }
    #expect(count == 5_000_000)
    #expect(throws: CompressionError.truncated) { try decoder.finish() }
    #expect(try decoder.decode(Array(packed.suffix(8))).isEmpty)
    try decoder.finish()
  }

  @Test("A broken stream stays broken")
  func broken() throws {
    let decoder = GzipDecoder(format: .gzip)
    #expect(throws: CompressionError.corrupt("incorrect header check")) {
      try decoder.decode(Array("plain text".utf8))
    }
    #expect(throws: CompressionError.corrupt("incorrect header check")) { try decoder.decode([1]) }
    #expect(throws: CompressionError.corrupt("incorrect header check")) { try decoder.finish() }
  }

  @Test("An empty stream is a cut one")
  func empty() {
    #expect(throws: CompressionError.truncated) { try GzipDecoder(format: .automatic).finish() }
  }
}
