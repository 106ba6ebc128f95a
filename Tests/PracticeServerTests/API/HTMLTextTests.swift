import Testing

@testable import PracticeServer

@Suite("Encoding of text")
struct HTMLTextTests {
  @Test(
    "Text is encoded as the service does",
    arguments: [
      ("a < b && c > \"d\"", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;"),
      ("Don't", "Don&#39;t"), ("François", "Fran&#231;ois"),
      ("Novák Tomáš", "Nov&#225;k Tom&#225;š"),
      ("美咲", "美咲"), ("", ""),
    ])
  func encoding(plain: String, encoded: String) {
    #expect(HTMLText.encode(plain) == encoded)
  }

  @Test(
    "Question links end in a slug",
    arguments: [
      ("Why can't I use \"<T>\"?", "why-cant-i-use-t"), ("  C++ & C#  ", "c-c"),
      ("Weiß", "wei%c3%9f"), ("", ""), ("???", ""),
    ])
  func slugs(plain: String, slug: String) {
    #expect(HTMLText.slug(plain) == slug)
    #expect(HTMLText.slug(String(repeating: "ab ", count: 100)).utf8.count <= 82)
  }
}
