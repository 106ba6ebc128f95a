import OpshJSON
import OpshSupport
import Testing

@testable import PracticeServer

@Suite("JSON that clients of the Parse API send")
struct ParsePlatformJSONTests {
  @Test(
    "JSON is parsed as JavaScript does",
    arguments: [
      ("null", "null"), (" [ 1 , -2.50e1, true ]\n", "[1,-25,true]"), ("-0", "0"),
      (#"{"a":{"b":[]},"a":2}"#, #"{"a":2}"#),
      (#""\u0041\n\/\\\"\ud83d\ude00\b""#, #""A\n/\\\"😀\u0008""#),
      (#""\ud83d x""#, "\"\u{FFFD} x\""), ("9223372036854775807", "9223372036854775807"),
      ("1e2", "100"), ("0.1", "0.1"), (#"{"z":1,"a":2}"#, #"{"z":1,"a":2}"#),
    ])
  func reading(text: String, written: String) throws {
    #expect(try #require(ParsePlatformValue.parse(Array(text.utf8))).text == written)
  }

  @Test(
    "Text that is not JSON is refused",
    arguments: [
      "", " ", "nul", "01", "1.", ".5", "+1", "1e", "-", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":1,}"#,
      "{1:2}", "'a'", "\"a", "\"\t\"", #""\x""#, #""\u12""#, "1 2", "[", "1e999", "NaN", "true x",
      String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
    ])
  func refused(text: String) {
    #expect(ParsePlatformValue.parse(Array(text.utf8)) == nil)
  }

  @Test("Random bytes are safe, and accepted input is written as JSON")
  func noise() {
    var random = RandomSource(seed: 3)
    let pieces = Array(#"{}[]",:\u0ntf-1.eE "#.utf8) + [0xFF, 0xC3, 0x00]
    for _ in 0..<2_000 {
      let bytes = (0..<random.below(40)).map { _ in random.pick(pieces) }
      guard let value = ParsePlatformValue.parse(bytes) else { continue }
      #expect(ParsePlatformValue.parse(Array(value.text.utf8)) == value)
    }
  }
}
