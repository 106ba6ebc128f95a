import OpshCompression
import Testing

@Suite("A compressed beginning")
struct GzipPrefixTests {
  @Test(
    "Beginning and end together make one whole stream", arguments: [0, 1, 100, 70_000, 300_000])
  func whole(count: Int) throws {
    let beginning = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    let prefix = try GzipPrefix(beginning)
    for end in [0, 1, 65_535, 65_536, 200_000] {
      let rest = (0..<end).map { UInt8(truncatingIfNeeded: $0 * 31) }
      #expect(try Gzip.decompress(prefix.completed(with: rest)) == beginning + rest)
    }
  }

  @Test("Levels outside 0 to 9 are refused")
  func levels() {
    #expect(throws: CompressionError.invalidLevel(10)) { try GzipPrefix([], level: 10) }
  }
}
