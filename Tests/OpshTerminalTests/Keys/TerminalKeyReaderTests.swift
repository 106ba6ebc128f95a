import Testing

@testable import OpshTerminal

@Suite("Keys of the full screen")
struct TerminalKeyReaderTests {
  static let sequences: [(bytes: String, key: TerminalKey)] = [
    ("a", .character("a")), ("é", .character("é")), ("漢", .character("漢")), ("?", .character("?")),
    ("\u{1B}[A", .up), ("\u{1B}[B", .down), ("\u{1B}OA", .up), ("\u{1B}OB", .down),
    ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
    ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}[1~", .home), ("\u{1B}[4~", .end),
    ("\t", .tab), ("\r", .enter), ("\n", .enter), ("\u{7F}", .backspace), ("\u{8}", .backspace),
    ("\u{3}", .interrupt), ("\u{1}", .other),
    ("\u{1B}[200~c\u{1B}[A\u{1B}[201~", .paste("c\u{1B}[A")),
  ]

  @Test("A key is decoded whole and byte by byte", arguments: sequences.map(\.bytes))
  func decodes(_ bytes: String) throws {
    let key = try #require(Self.sequences.first { $0.bytes == bytes }?.key)
    var whole = TerminalKeyReader()
    #expect(whole.feed(bytes.utf8) == [key])
    #expect(!whole.isInsideKey)
    var split = TerminalKeyReader()
    let keys = bytes.utf8.flatMap { split.feed([$0]) }
    #expect(keys == [key])
    #expect(!split.isInsideKey)
  }

  @Test("A lone Escape is a key only after a pause")
  func escape() {
    var reader = TerminalKeyReader()
    #expect(reader.feed([0x1B]).isEmpty)
    #expect(reader.isInsideKey)
    #expect(reader.endKey() == [.escape])
    #expect(!reader.isInsideKey)
    // The rest of a sequence that comes too late is not one any more, but an incomplete one is
    // dropped.
    #expect(reader.feed(Array("\u{1B}[".utf8)).isEmpty)
    #expect(reader.endKey().isEmpty)
    #expect(reader.feed(Array("j".utf8)) == [.character("j")])
  }

  @Test("Unknown sequences are ignored", arguments: ["\u{1B}[15~", "\u{1B}[1;2R", "\u{1B}[[A"])
  func unknown(_ bytes: String) {
    var reader = TerminalKeyReader()
    #expect(reader.feed((bytes + "q").utf8) == [.character("q")])
  }

  @Test("Hostile bytes neither trap nor block the keys after them")
  func hostile() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var reader = TerminalKeyReader()
      let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = reader.feed(bytes)
      // Whatever is incomplete, even a paste, ends here.
      _ = reader.endKey()
      #expect(reader.feed("q".utf8) == [.character("q")], "\(bytes)")
    }
    var reader = TerminalKeyReader()
    #expect(reader.feed(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 1 << 20)).isEmpty)
    #expect(reader.feed("~j".utf8) == [.character("j")])
    #expect(reader.feed([0xFF, 0xC3, 0x28]) == [.other, .other, .character("(")])
  }
}
