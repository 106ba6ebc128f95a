import OpshNetworking
import Testing

@Suite("Formatting of values")
struct TextTests {
  @Test(
    "Byte counts are formatted in decimal units",
    arguments: [
      (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (14_893, "14.9 kB"),
      (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_500_000, "1.5 MB"),
      (3_000_000_000, "3.0 GB"), (Int.max, "9.2 EB"), (-1500, "-1.5 kB"),
    ])
  func bytes(count: Int, text: String) {
    #expect(ByteCount(count).description == text)
  }

  @Test(
    "Entities are decoded once; other text is unchanged",
    arguments: [
      ("Why can&#39;t &quot;X&quot; be &lt;Y&gt;?", "Why can't \"X\" be <Y>?"),
      ("Fran&#231;ois &#xE9;&#x1F600;", "François é😀"), ("&amp;lt;", "&lt;"),
      ("a & b &", "a & b &"), ("&unknown; &;", "&unknown; &;"),
      ("&#0;&#xD800;&#;&#x;", "&#0;&#xD800;&#;&#x;"),
      ("&#99999999999;", "&#99999999999;"), ("&&amp;&", "&&&"), ("&amp", "&amp"),
      ("&amp;\u{301}", "&\u{301}"), ("&#+39;", "&#+39;"), ("plain", "plain"),
    ])
  func entities(input: String, expected: String) {
    #expect(Array(HTMLEntities.decode(input).unicodeScalars) == Array(expected.unicodeScalars))
  }
}
