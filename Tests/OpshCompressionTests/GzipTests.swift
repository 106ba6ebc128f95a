import OpshCompression
import Foundation
import Testing

@Suite("Gzip")
struct GzipTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
  }

  static let samples: [Sample] = [
    Sample(testDescription: "nothing", bytes: []),
    Sample(testDescription: "one byte", bytes: [0]),
    Sample(testDescription: "a word", bytes: Array("hello".utf8)),
    Sample(testDescription: "one letter", bytes: Array(repeating: 65, count: 300_000)),
    Sample(
      testDescription: "noise",
      bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }),
  ]

  @Test("What is compressed expands to the same bytes", arguments: samples, [0, 1, 6, 9])
  func roundTrip(sample: Sample, level: Int) throws {
    let packed = try Gzip.compress(sample.bytes, level: level)
    #expect(Array(packed.prefix(2)) == Gzip.magic)
    let isSame = try Gzip.decompress(packed) == sample.bytes
    #expect(isSame)
    let isRepeatable = try Gzip.compress(sample.bytes, level: level) == packed
    #expect(isRepeatable)
  }

  @Test("A level outside 0…9 is refused", arguments: [-1, 10])
  func level(level: Int) {
    #expect(throws: CompressionError.invalidLevel(level)) {
      try Gzip.compress([1], level: level)
    }
  }

  @Test("Every cut of a stream is seen as cut")
  func truncation() throws {
    let packed = try Gzip.compress(Array("hello, hello, hello".utf8))
    for length in 0..<packed.count {
      #expect(throws: CompressionError.truncated) {
        try Gzip.decompress(Array(packed.prefix(length)))
      }
    }
  }

  @Test("Bytes after the end are refused")
  func trailing() throws {
    let packed = try Gzip.compress(Array("hello".utf8))
    #expect(throws: CompressionError.trailingData) { try Gzip.decompress(packed + [0]) }
  }

  @Test("Several members expand to their sum")
  func members() throws {
    let packed = try Gzip.compress(Array("one ".utf8)) + Gzip.compress(Array("two".utf8))
    #expect(try Gzip.decompress(packed) == Array("one two".utf8))
    #expect(throws: CompressionError.truncated) {
      try Gzip.decompress(packed + [0x1F])
    }
  }

  @Test("A wrong checksum is seen")
  func checksum() throws {
    var packed = try Gzip.compress(Array("hello".utf8))
    packed[packed.count - 6] ^= 0xFF
    #expect(throws: CompressionError.corrupt("incorrect data check")) {
      try Gzip.decompress(packed)
    }
  }

  @Test("No change of a single byte traps or loops")
  func damage() throws {
    let plain = Array("hello, hello, hello".utf8)
    let packed = try Gzip.compress(plain)
    for index in packed.indices {
      for bit in 0..<8 {
        var damaged = packed
        damaged[index] ^= 1 << bit
        // In the ten bytes of the header, those of a time or a system (4 to 9) change nothing, and
        // neither does the flag that says that the content is text.
        let isIgnored = (4...9).contains(index) || (index, bit) == (3, 0)
        let output = try? Gzip.decompress(damaged)
        #expect(output == (isIgnored ? plain : nil), "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test("Output beyond the limit is refused")
  func limit() throws {
    let packed = try Gzip.compress(Array(repeating: 0, count: 100_000))
    #expect(throws: CompressionError.outputTooLarge(limit: 99_999)) {
      try Gzip.decompress(packed, outputLimit: 99_999)
    }
    #expect(try Gzip.decompress(packed, outputLimit: 100_000).count == 100_000)
  }
}
