import OpshTerminal
import Testing

@testable import OperationShell

@Suite("Help of the program")
struct ProgramHelpTests {
  @Test("It fits the terminal and says all at every width", arguments: [40, 60, 80, 95])
  func fits(_ columns: Int) {
    let lines = ProgramOption.help(columns: columns).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
    func words(_ lines: [String]) -> [Substring] {
      lines.flatMap { $0.split(separator: " ") }
    }
    let widest = ProgramOption.help(columns: 200).split(separator: "\n").map(String.init)
    #expect(words(lines) == words(widest))
    // Where there is room for them beside the options, the texts are there.
    let beside = lines.contains { $0.hasPrefix(String(repeating: " ", count: 27)) }
    #expect(beside == (columns >= 60))
  }

  @Test("What roff would take for a request, an argument or a font is text")
  func roff() {
    var page = RoffPage("x", section: 1, summary: "s")
    page.paragraph(".de is a request")
    page.paragraph("'br too")
    page.paragraph("one ` alone")
    page.paragraph("a `word` in bold")
    page.heading("the \"rest\"")
    page.code([".fi", "a\\b"])
    let lines = page.text.split(separator: "\n").map(String.init)
    for line in [
      "\\&.de is a request", "\\&\\(aqbr too", "one \\(ga alone", "a \\fBword\\fR in bold",
      ".SH \"THE \"\"REST\"\"\"", "\\&.fi", "a\\eb",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  @Test("In the manual page of the language each paragraph is one of its own")
  func paragraphs() throws {
    let lines = try ManualPage.text(named: "opsh-language").split(separator: "\n")
    let index = try #require(lines.firstIndex(of: ".SS \"save\""))
    let part = lines[index...].dropFirst().prefix { !$0.hasPrefix(".SS") }
    let summary = "Writes the lines typed at the prompt as a script that runs."
    let place = try #require(part.firstIndex { $0 == summary })
    #expect(lines[place - 1] == ".PP" && lines[place + 1] == ".PP")
  }
}
