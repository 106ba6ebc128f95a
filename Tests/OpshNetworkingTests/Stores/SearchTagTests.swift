import Foundation
import Testing

@testable import OpshNetworking

@Suite("Search tag validation")
struct SearchTagTests {
  @Test(
    "Any single line of text can be a tag",
    arguments: [
      "c++", "R&D", "日本語", "👩‍👩‍👧‍👦", "🇯🇵", "שלום", "مرحبا", "a b", "#swift", "'; DROP TABLE tags; --",
      "%", "_", "\\", "\"", "*", "e\u{301}", "\u{202E}evil", "-", "0",
      "\u{1F3F4}\u{E0067}\u{E007F}",
      String(repeating: "é", count: 500),
    ])
  func accepted(text: String) throws {
    #expect(Array(try SearchTag.checked(text).unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test(
    "White space around a tag is removed",
    arguments: [("  a b ", "a b"), ("\t\nx\r\n", "x"), ("\u{3000}日本\u{A0}", "日本")])
  func trimmed(text: String, expected: String) throws {
    #expect(try SearchTag.checked(text) == expected)
  }

  @Test(
    "Text that is invisible or can't be typed or sent is rejected as a tag",
    arguments: [
      "", "   ", "\n", "\u{200B}", " \u{200D}\u{FE0F} ", "a\u{0}b", "a\nb", "a\u{1B}[31m", "\u{7F}",
      "a\u{85}b", String(repeating: "x", count: 501),
      "x" + String(repeating: "\u{301}", count: 500),
    ])
  func refused(text: String) throws {
    let error = try #require(throws: StoreError.self) { try SearchTag.checked(text) }
    #expect(error.code == "tag-invalid")
    // The message is safe to show on a terminal.
    let categories = error.message.unicodeScalars.map(\.properties.generalCategory)
    #expect(!categories.contains(.control))
  }

  @Test(
    "Tags that differ only in case or composition are equal",
    arguments: [
      ("Swift", "sWIFT", true), ("é", "e\u{301}", true), ("É", "e\u{301}", true),
      ("ΟΔΟΣ", "οδος", true), ("İ", "i\u{307}", true), ("日本", "日本", true), ("c", "c++", false),
      ("e", "é", false), ("ı", "i", false), ("ﬁ", "fi", false), ("ａ", "a", false),
    ])
  func same(first: String, second: String, areSame: Bool) {
    let keys = [first, second].map { Array(SearchTag.comparisonKey(of: $0).utf8) }
    #expect((keys[0] == keys[1]) == areSame)
  }
}
