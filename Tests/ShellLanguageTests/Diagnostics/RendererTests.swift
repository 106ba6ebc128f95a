import OpshLocking
import Testing

@testable import ShellLanguage

@Suite("Showing errors")
struct RendererTests {
  private static let renderer = DiagnosticRenderer { character in
    character.unicodeScalars.first.map { $0.value >= 0x1100 ? 2 : 1 } ?? 1
  }

  private func rendered(_ text: String) throws -> [String] {
    Self.renderer.render(try #require(check(text).first))
  }

  @Test("An error shows its line, a caret and help")
  func showsCaret() throws {
    #expect(
      try rendered("echo a\n  fetch questons --count 2\n") == [
        "test.opsh:2:9: error: 'fetch' has no subcommand 'questons' [unknown-subcommand]",
        "    fetch questons --count 2",
        "          ^~~~~~~~",
        "help: did you mean 'questions'?",
      ])
  }

  @Test("The caret is under its place after tabs and wide characters")
  func measuresWidth() throws {
    #expect(
      try rendered("\techo 漢字 $x") == [
        "test.opsh:1:10: error: there is no variable 'x' [undefined-variable]",
        "          echo 漢字 $x",
        "                    ^~", "help: 'let NAME = VALUE' makes a variable",
      ])
    #expect(
      try rendered("fetch 漢字").suffix(3) == [
        "  fetch 漢字", "        ^~~~", "help: one of: answers, questions",
      ])
  }

  @Test("A line is cut to the width there is, and the caret is still under its place")
  func fitsColumns() throws {
    let text = "echo one two three four five six seven eight; echo $x nine ten eleven twelve"
    let diagnostic = try #require(check(text).first)
    for columns in [30, 40, 60] {
      let renderer = DiagnosticRenderer(columns: { columns })
      let lines = renderer.render(diagnostic)
      #expect(lines[1].count <= columns && lines[2].count <= columns, "\(lines)")
      let place = try #require(lines[2].firstIndex(of: "^"))
      let offset = lines[2].distance(from: lines[2].startIndex, to: place)
      #expect(lines[1].dropFirst(offset).hasPrefix("$x"), "\(lines)")
    }
  }

  @Test("Of a line of megabytes the part around the place is shown")
  func longLine() throws {
    // Two bytes for each character: the part must begin with a whole one.
    let filler = String(repeating: "é", count: 200_001)
    let diagnostic = try #require(check("echo '\(filler)' $x '\(filler)'").first)
    let lines = DiagnosticRenderer(columns: { 60 }).render(diagnostic)
    #expect(lines[0].hasPrefix("test.opsh:1:200010: "))
    let place = try #require(lines[2].firstIndex(of: "^"))
    let offset = lines[2].distance(from: lines[2].startIndex, to: place)
    #expect(lines[1].dropFirst(offset).hasPrefix("$x"), "\(lines)")
    #expect(lines[1].hasPrefix("  …é") && lines[1].count <= 60, "\(lines)")
  }

  @Test("A byte order mark does not count as a character of the line")
  func leavesOutMark() throws {
    #expect(
      try rendered("\u{FEFF}echo $x") == [
        "test.opsh:1:6: error: there is no variable 'x' [undefined-variable]", "  echo $x",
        "       ^~",
        "help: 'let NAME = VALUE' makes a variable",
      ])
  }

  @Test("Control characters are escaped")
  func showsControlCharacters() throws {
    let lines = try rendered("ec\u{1B}[31mho $x \u{202E}")
    #expect(lines[1] == "  ec\\u{1B}[31mho $x \\u{202E}")
    #expect(lines.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 } })
  }

  @Test("The caret of an early end is after the line")
  func pointsBehindLine() throws {
    #expect(
      try rendered("let x =") == [
        "test.opsh:1:8: error: expected a value after '=', found the end of the text [missing-value]",
        "  let x =", "         ^", "help: let NAME = COMMAND… | (EXPRESSION) | VALUE | !PROGRAM…",
      ])
  }

  @Test("A very long line is cut to the part around the caret")
  func cutsLongLines() throws {
    let lines = try rendered(
      "echo \(String(repeating: "a", count: 100_000)) $x \(String(repeating: "b", count: 100_000))")
    #expect(lines[1].count < 180)
    let caret = try #require(lines[2].firstIndex(of: "^"))
    let column = lines[2].distance(from: lines[2].startIndex, to: caret)
    #expect(Array(lines[1])[column...].prefix(2) == ["$", "x"])
  }

  @Test("A line with many mistakes is masked once, and again when more is to be hidden")
  func masksOnce() throws {
    let masked = Locked(0)
    let version = Locked(1)
    let renderer = DiagnosticRenderer(
      mask: { text in
        masked.withLock { $0 += 1 }
        let isHidden = version.withLock { $0 } == 2
        return isHidden ? text.replacing("secret", with: "******") : text
      }, maskVersion: { version.withLock { $0 } })
    let script = Parser.parse(
      SourceText(name: "t", text: String(repeating: "eccho secret; ", count: 300)))
    let found = Checker.check(script, catalog: TestHost().catalog)
    try #require(found.count == 300)
    for (index, diagnostic) in found.enumerated() {
      let lines = renderer.render(diagnostic)
      #expect(lines[0].hasPrefix("t:1:\(index * 14 + 1): "))
      let caret = try #require(lines[2].firstIndex(of: "^"))
      #expect(
        Array(lines[1])[lines[2].distance(from: lines[2].startIndex, to: caret)...].prefix(5)
          == Array("eccho")[...])
    }
    #expect(masked.withLock { $0 } == 1)
    version.withLock { $0 = 2 }
    #expect(!renderer.render(found[299])[1].contains("secret"))
  }

  @Test("A place is the same whichever was asked for before")
  func placesInAnyOrder() {
    let text = "é👩‍💻 $x e\u{301}\r\nline 2 e\u{301}👩‍💻 y\n\n\tz"
    let source = SourceText(name: "t", text: text)
    let offsets = Array(0...text.utf8.count)
    let fresh = offsets.map { SourceText(name: "t", text: text).place(of: $0) }
    for first in offsets {
      for second in offsets {
        _ = source.place(of: first)
        #expect(source.place(of: second) == fresh[second])
      }
    }
  }

  @Test("A place on a long line is the same whichever was asked for before")
  func placesOnLongLine() {
    let text =
      "a\n" + String(repeating: "é👩‍💻 e\u{301}x ", count: 300) + String(repeating: "é", count: 900)
    let offsets = text.indices.map { text.utf8.distance(from: text.startIndex, to: $0) }.dropFirst(
      2)
    let columns = Array(1...offsets.count)
    for order in [Array(offsets.indices), offsets.indices.reversed(), offsets.indices.shuffled()] {
      let source = SourceText(name: "t", text: text)
      for index in order {
        _ = source.place(of: index % 7 == 0 ? 0 : text.utf8.count)
        #expect(
          source.place(of: offsets[index]) == SourcePlace(line: 2, column: columns[index - 2]))
      }
    }
  }

  @Test("A place in an included script also shows where it was read from")
  func showsLabels() throws {
    let script = Parser.parse(SourceText(name: "main.opsh", text: "source lib.opsh"))
    let found = Checker.check(script, catalog: TestHost().catalog) { path, _ in
      Parser.parse(SourceText(name: path, text: "echo a\necko b"))
    }
    #expect(
      Self.renderer.render(try #require(found.first)) == [
        "lib.opsh:2:1: error: there is no command 'ecko' [unknown-command]", "  ecko b", "  ^~~~",
        "main.opsh:1:1: note: read from here", "  source lib.opsh", "  ^~~~~~~~~~~~~~~",
        "help: did you mean 'echo'?",
      ])
    #expect(script.statementIndex(of: try #require(found.first)) == 0)
  }

  @Test("Columns count characters, not bytes")
  func countsCharacters() {
    let source = SourceText(name: "t", text: "é👩‍💻x\r\ny", firstLine: 7)
    #expect(source.place(of: "é👩‍💻".utf8.count) == SourcePlace(line: 7, column: 3))
    #expect(source.place(of: source.count) == SourcePlace(line: 8, column: 2))
    #expect(source.lineText(at: 0) == "é👩‍💻x")
  }
}
