import Testing

@testable import OpshTerminal

@Suite("Keys")
struct KeyDecoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let keys: [Key]
    var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }

    init(_ bytes: [UInt8], _ keys: [Key]) {
      self.bytes = bytes
      self.keys = keys
    }

    init(_ text: String, _ keys: [Key]) {
      self.init(Array(text.utf8), keys)
    }
  }

  @Test(
    "Bytes are decoded into keys",
    arguments: [
      Case("a\u{1}é漢👍", "a\u{1}é漢👍".unicodeScalars.map { .scalar($0) }),
      Case("\u{1B}[A\u{1B}OA\u{1B}[1;2B", [.special(.up), .special(.up), .special(.down)]),
      Case("\u{1B}[1;5C\u{1B}[1;3D", [.special(.wordRight), .special(.wordLeft)]),
      Case(
        "\u{1B}[1~\u{1B}[4~\u{1B}OH\u{1B}[F",
        [
          .special(.home), .special(.end), .special(.home), .special(.end),
        ]),
      Case("\u{1B}[15~\u{1B}[[A\u{1B}[?1;2c\u{1B}[13;2u\u{1B}OPx", [.scalar("x")]),
      Case("\u{1B}b\u{1B}\u{1B}[A", [.escape, .scalar("b"), .escape, .special(.up)]),
      Case("\u{1B}[12\nx", [.scalar("\n"), .scalar("x")]),
      Case("\u{1B}[12\u{1B}[A", [.special(.up)]),
      Case("\u{1B}[" + String(repeating: "1", count: 10_000) + "~x", [.scalar("x")]),
      Case("\u{1B}[200~a\u{1B}[201\u{1B}[201~b", [.paste("a\u{1B}[201"), .scalar("b")]),
      Case("\u{1B}[200~a\r\nb\rc\n\rd\n\ne\u{1B}[201~", [.paste("a\nb\nc\nd\n\ne")]),
      Case("\u{1B}[200~\u{1B}[201~", [.paste("")]),
      Case([0xFF, 0xC0, 0x61], [.scalar("\u{FFFD}"), .scalar("\u{FFFD}"), .scalar("a")]),
      Case([0xE6, 0xBC, 0xC3, 0xA9], [.scalar("\u{FFFD}"), .scalar("é")]),
      Case([0xED, 0xA0, 0x80], Array(repeating: .scalar("\u{FFFD}"), count: 3)),
      Case([0xF4, 0x90], Array(repeating: .scalar("\u{FFFD}"), count: 2)),
    ])
  func decoding(_ example: Case) {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in example.bytes { decoder.feed(byte, into: &keys) }
    #expect(keys == example.keys)
    #expect(!decoder.isInsideKey)
  }

  @Test("A paste is read in steps that cannot pass its end")
  func steps() {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    // Each read must stay within the bytes before the end mark.
    let all = Array("\u{1B}[200~some text \u{1B}[20 more\u{1B}[201~ls".utf8)
    let end = all.count - 2
    for (index, byte) in all.prefix(end).enumerated() {
      #expect(index + decoder.greatestRead <= end)
      decoder.feed(byte, into: &keys)
    }
    #expect(keys.contains(.paste("some text \u{1B}[20 more")))
  }

  @Test("A paste without an end mark is limited in size")
  func endlessPaste() {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in "\u{1B}[200~".utf8 { decoder.feed(byte, into: &keys) }
    for _ in 0..<(KeyDecoder.greatestPaste + 1_000) { decoder.feed(0x61, into: &keys) }
    for byte in "\u{1B}[201~".utf8 { decoder.feed(byte, into: &keys) }
    guard case .paste(let text) = keys.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count == KeyDecoder.greatestPaste)
  }

  @Test(
    "Every text is decoded from its code points",
    arguments: [
      "", "abc", "👩‍💻👨‍👩‍👧‍👦🇩🇪", "e\u{301}\u{302}", "\0\u{80}\u{9F}\u{F0000}\u{10FFFF}", "漢字\t\n",
    ])
  func clusters(text: String) {
    let table = ClusterTable()
    let codes = table.encode(text)
    #expect(codes.count == text.count)
    #expect(!codes.contains(0) && !codes.contains { (0x80...0x9F).contains($0) })
    #expect(codes.map { table.decode($0) }.joined() == text)
    #expect(table.encode(text) == codes)
  }
}
