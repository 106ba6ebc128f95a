import Foundation
import OpshTexts
import Testing

@Suite("Texts that are compiled in")
struct TextFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/COpshTexts").standardizedFileURL

  @Test("An edited text is compiled again, and each file is compiled in")
  func currentTexts() throws {
    var files = 0
    for folder in ["Data", "Errors", "Help"] {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: Self.folder.appending(path: folder).path)
      for name in names {
        files += 1
        let written = try String(
          contentsOf: Self.folder.appending(path: "\(folder)/\(name)"), encoding: .utf8)
        #expect(TextRecord.text(of: "\(folder)/\(name.prefix { $0 != "." })") == written, "\(name)")
      }
    }
    #expect(files >= 14)
  }

  @Test("A record has fields of one line, of several lines, and items")
  func record() throws {
    let text = """
      == one
      short: a text: with a colon
      long:
        the first
          part

      == two
      things:
        a, b :: what they
          mean
          on :: and on
        @more
      """
    let records = try TextRecord.records(of: text, fields: ["short", "long", "things"])
    #expect(records.map(\.name) == ["one", "two"])
    #expect(records[0].prose("short") == "a text: with a colon")
    #expect(records[0].literal("long") == "the first\n  part")
    #expect(!records[0].has("things"))
    let items = records[1].items("things") { [("c", $0)] }
    #expect(items.map(\.name) == ["a, b", "  on", "c"])
    #expect(items.map(\.text) == ["what they mean", "and on", "more"])
    #expect(TextRecord.list(of: "a, b c,d") == ["a", "b c", "d"])
  }

  @Test(
    "A line that belongs to no field is a mistake",
    arguments: ["== a\nmeening: x", "meaning: x", "== a\n  x", "== a\nmeaning: x\n  y", "x"])
  func mistake(_ text: String) {
    let lines = text.split(separator: "\n")
    let mistake = #expect(throws: TextRecord.Mistake.self) {
      try TextRecord.records(of: text, fields: ["meaning"])
    }
    #expect(mistake?.line == lines.count)
    #expect(mistake?.text == lines.last.map(String.init))
  }
}
