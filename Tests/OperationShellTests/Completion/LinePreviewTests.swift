import OpshTerminal
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Line preview", .timeLimit(.minutes(15)))
struct LinePreviewTests {
  private static let basic = LineTheme(.basic, environment: [:])

  private func makeFixture(_ script: String = "") throws -> ShellFixture {
    try ShellFixture(
      """
      delay 1s --name alpha --hold
      queue new slow --width 1
      let count = 3
      alias qp = queue pause
      \(script)
      """, SessionConfiguration())
  }

  private func look(
    _ marked: String, in fixture: ShellFixture, history entries: [String] = []
  ) -> LineLook {
    let parts = marked.split(separator: "‸", maxSplits: 1, omittingEmptySubsequences: false)
    let history = History(file: nil)
    entries.forEach(history.append)
    let preview = LinePreview(
      shell: fixture.shell, completer: Completer(shell: fixture.shell), history: history)
    return preview.look(
      of: parts.joined(), cursor: parts.count == 1 ? nil : parts[0].utf8.count)
  }

  /// The pieces that have the style of an element.
  private func pieces(
    _ element: LineTheme.Element, of marked: String, in fixture: ShellFixture
  ) throws -> [String] {
    let style = try #require(Self.basic).style(of: element)
    let bytes = Array(marked.replacing("‸", with: "").utf8)
    return look(marked, in: fixture).stretches.filter { $0.style == style }.map { stretch in
      String(decoding: bytes[stretch.range], as: UTF8.self)
    }
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let line: String
    let errors: [String]
    var testDescription: String { line }

    init(_ line: String, _ errors: String...) { (self.line, self.errors) = (line, errors) }
  }

  @Test(
    "What Enter would refuse is marked once the cursor has left it",
    arguments: [
      Wrong("cancle‸"), Wrong("cancle ‸", "cancle"), Wrong("can‸cle alpha"),
      Wrong("queue puase‸"), Wrong("queue puase ‸", "puase"),
      Wrong("cancel nosuch‸"), Wrong("cancel nosuch ‸", "nosuch"), Wrong("cancel alpha ‸"),
      Wrong("cancel alpha --nope‸"), Wrong("cancel alpha --nope ‸", "--nope"),
      Wrong("queue pause nix ‸", "nix"), Wrong("queue pause slow ‸"),
      Wrong("echo $nope ‸", "$nope"), Wrong("echo $count ‸"), Wrong("echo \"a $nope b‸", "$nope"),
      // What is missing may still be typed.
      Wrong("cancel ‸"), Wrong("fetch ‸"), Wrong("cancel; ‸", "cancel"), Wrong("delay 1s --name ‸"),
      Wrong("if (1 == ‸"), Wrong("for i in ‸"), Wrong("try { echo a } ‸"), Wrong("let x = ‸"),
      // Blocks that are open are looked into.
      Wrong("for i in 1..3 { cancle $i; echo $j; ‸", "cancle", "$j"),
      Wrong("if (1 == 1) {\n  queue puase \n‸", "puase"),
      Wrong("delay 1s --name new; cancel new ‸"), Wrong("qp nix ‸", "nix"),
      // What has been entered has no word that is being typed.
      Wrong("cancle", "cancle"), Wrong("cancel", "cancel"),
    ])
  func errors(_ example: Wrong) throws {
    let fixture = try makeFixture()
    #expect(try pieces(.error, of: example.line, in: fixture) == example.errors)
  }

  @Test("What is typed is no secret of the session before it is entered")
  func secrets() throws {
    let fixture = try makeFixture()
    for text in [
      "let token = abcd ‸", "let token = abcdefgh ‸", "fetch questions --key kkkkkkkkk ‸",
    ] {
      _ = look(text, in: fixture)
    }
    #expect(
      fixture.session.screen.secrets.mask("abcd abcdefgh kkkkkkkkk") == "abcd abcdefgh kkkkkkkkk")
  }

  @Test("Names of operations and queues that live have a style of their own")
  func names() throws {
    let fixture = try makeFixture()
    #expect(try pieces(.name, of: "echo alpha slow beta‸", in: fixture) == ["alpha", "slow"])
    #expect(try pieces(.name, of: "(alpha.state == x) ‸", in: fixture) == ["alpha"])
  }

  @Test("Both signs of a pair are marked while the cursor is at one, and signs that nothing closes")
  func brackets() throws {
    let fixture = try makeFixture()
    #expect(try pieces(.pair, of: "echo ‸(1 + (2))", in: fixture) == ["(", ")"])
    #expect(try pieces(.pair, of: "echo (1 + (2))‸", in: fixture) == ["(", ")"])
    #expect(try pieces(.pair, of: "echo (1 ‸+ (2))", in: fixture).isEmpty)
    #expect(try pieces(.unclosed, of: "repeat 2 { echo \"a‸", in: fixture) == ["{", "\""])
    #expect(try pieces(.unclosed, of: "repeat 2 { echo \"a\" }‸", in: fixture).isEmpty)
  }

  @Test("The prompt of a further line says what is open, and is indented")
  func continuations() throws {
    let fixture = try makeFixture()
    let text = "repeat 2 {\nif (1 == 1) {\necho 'a\nb'\n  echo c\n}\n}\n‸"
    #expect(
      look(text, in: fixture).continuations.map(\.plain) == [
        "{...   ", "{...     ", "'... ", "{... ", "{...   ", "{... ", "... ",
      ])
  }

  struct Suggestion: Sendable, CustomTestStringConvertible {
    let line: String
    var suggests = ""
    var hints = ""
    var testDescription: String { line }
  }

  @Test(
    "What could follow comes from the history, else from the candidates, else it is the argument",
    arguments: [
      Suggestion(line: "ec‸", suggests: "ho newer"), Suggestion(line: "echo n‸", suggests: "ewer"),
      Suggestion(line: "echo o‸", suggests: "lder\necho lines"),
      // The latest would be refused now.
      Suggestion(line: "cancel ‸", suggests: "alpha"),
      Suggestion(line: "cancel al‸", suggests: "pha"),
      Suggestion(line: "queue pause sl‸", suggests: "ow"),
      Suggestion(line: "prio‸", suggests: "rity"),
      Suggestion(line: "queue width ‸", hints: "[QUEUE]"),
      Suggestion(line: "why ‸", hints: "[OPERATION…]"),
      Suggestion(line: "delay ‸", hints: "DURATION"),
      Suggestion(line: "delay 1s --timeout ‸", hints: "DURATION"),
      Suggestion(line: "‸"), Suggestion(line: "echo n‸ x"), Suggestion(line: "zzz‸"),
      Suggestion(line: "repeat 2 {\necho n‸"),
    ])
  func suggestions(_ example: Suggestion) throws {
    let fixture = try makeFixture()
    let entries = ["cancel alpha", "echo older\necho lines", "echo newer", "cancel gone-1"]
    let look = look(example.line, in: fixture, history: entries)
    #expect(look.suggestion == example.suggests)
    if example.suggests.isEmpty { #expect(look.hint == example.hints) }
  }

  @Test("Themes follow the terminal: true colour, 256 colours, the terminal's own, none")
  func themes() throws {
    func color(_ choice: ThemeChoice, _ environment: [String: String]) -> TextColor? {
      LineTheme(choice, environment: environment)?.style(of: .error).color
    }
    let many = ["TERM": "xterm-256color"]
    let all = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
    #expect(color(.dark, all) == .rgb(0xFF, 0x5F, 0x5F))
    #expect(color(.dark, many) == .palette(203))
    #expect(color(.dark, ["TERM": "xterm"]) == .red)
    #expect(color(.light, many) == .palette(160))
    #expect(color(.basic, all) == .red)
    #expect(color(.auto, all) == .red)
    #expect(color(.auto, many.merging(["COLORFGBG": "15;0"]) { $1 }) == .palette(203))
    #expect(color(.auto, many.merging(["COLORFGBG": "0;default;15"]) { $1 }) == .palette(160))
    #expect(LineTheme(.off, environment: all) == nil)
    for choice in [ThemeChoice.dark, .light, .basic] {
      let theme = try #require(LineTheme(choice, environment: all))
      #expect(theme.style(of: .error).underlined && theme.style(of: .unclosed).underlined)
    }
    let grey = LineTheme(.dark, environment: many)?.style(of: .suggestion)
    #expect(grey == TextStyle(color: .palette(245)))

    let fixture = try makeFixture("set theme off")
    let look = look("cancle alpha ‸", in: fixture, history: ["cancle alpha x"])
    #expect(look.stretches.isEmpty && look.suggestionStyle == nil)
  }
}
