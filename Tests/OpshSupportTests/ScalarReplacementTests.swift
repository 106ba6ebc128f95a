import OpshSupport
import Testing

@Suite("Replaced scalars")
struct ScalarReplacementTests {
  @Test(
    "Scalars are replaced also where they are one character with the next one",
    arguments: [
      ("a'b", "a\\'b"), ("'\u{301}", "\\'\u{301}"), ("\r\n", "\\r\\n"), ("\n\r", "\\n\\r"),
      ("", ""),
      ("größe", "größe"), ("''", "\\'\\'"),
    ])
  func replacing(text: String, expected: String) {
    let escapes: [Unicode.Scalar: String] = ["'": "\\'", "\r": "\\r", "\n": "\\n"]
    let found = text.replacing(scalars: escapes)
    #expect(Array(found.unicodeScalars) == Array(expected.unicodeScalars))
  }
}
