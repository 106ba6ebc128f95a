import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("What was typed, in recordings", .timeLimit(.minutes(5)))
struct TypedLineTests {
  private static func run(_ script: String) throws -> ShellFixture {
    let fixture = try ShellFixture()
    try fixture.shell.run(Parser.parse(SourceText(name: "test", text: script)))
    return fixture
  }

  /// The lines, each as what it says and how many transitions were before it.
  private static func typed(_ fixture: ShellFixture) throws -> [String] {
    var lines = RecordingLines(of: fixture.session.run)
    return try told(lines.end(status: nil))
  }

  private static func told(_ lines: [String]) throws -> [String] {
    var transitions = 0
    return try lines.compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      if object?["type"] as? String == "transition" { transitions += 1 }
      guard let object, object["type"] as? String == "typed" else { return nil }
      let number = (object["command"] as? Int).map(String.init) ?? ""
      let text = (object["text"] ?? object["output"] ?? object["chapter"]) as? String ?? ""
      let kind = object["text"] != nil ? "$" : object["output"] != nil ? ">" : "#"
      return "\(transitions) \(number)\(kind) \(text)"
    }
  }

  @Test("Commands stand before what they did, with the first line that they printed")
  func order() throws {
    let fixture = try Self.run(
      """
      set clock virtual
      delay 1s --name a; block --name b { echo "of the body" }
      sleep 500ms # no comment on a line of its own
      echo "one
      two"
      if (true) { echo "inside" }
      on a finished { echo "of the handler" }
      let x = (1)
      delay 1s --name c
      """)
    #expect(
      try Self.typed(fixture) == [
        "0 1$ set clock virtual", "0 2$ delay 1s --name a",
        "3 3$ block --name b { echo \"of the body\" }",
        "6 4$ sleep 500ms", "7 5$ echo \"one\ntwo\"", "7 5> one",
        "7 6$ if (true) { echo \"inside\" }", "7 6> inside",
        "7 7$ on a finished { echo \"of the handler\" }", "7 8$ let x = (1)",
        "7 9$ delay 1s --name c",
      ])
  }

  @Test("A comment on lines of its own begins a chapter, named after its first line")
  func chapters() throws {
    let fixture = try Self.run(
      """
      #!/usr/bin/env opsh
      # 1. Two slots
      # and what they are for
      set clock virtual # not this one
      echo a

      ## 2. The jam

      echo b; # nor this
      #
      echo c
      """)
    let chapters = try Self.typed(fixture).filter { $0.contains("#") }
    #expect(chapters == ["0 # 1. Two slots", "0 # 2. The jam"])
    try fixture.session.run.noting(typed: "# 3. At the prompt") {
      try fixture.shell.runAtPrompt(
        Parser.parse(SourceText(name: SourceText.promptName, text: "# 3. At the prompt")))
    }
    #expect(try Self.typed(fixture).last == "0 # 3. At the prompt")
  }

  @Test("Typed lines count as one command, with the error if there is one; not those after a space")
  func prompt() throws {
    let fixture = try ShellFixture()
    for text in ["echo a; echo b", "cancel nobody", " echo hidden"] {
      try fixture.session.run.noting(typed: text) {
        try fixture.shell.runAtPrompt(
          Parser.parse(SourceText(name: SourceText.promptName, text: text)))
      }
    }
    let typed = try Self.typed(fixture)
    #expect(typed.dropLast() == ["0 1$ echo a; echo b", "0 1> a", "0 2$ cancel nobody"])
    #expect(typed.last?.contains("there is no operation 'nobody'") == true, "\(typed)")
  }

  @Test("A replay has what was typed in the recorded session, and not what is typed in it")
  func replay() throws {
    let fixture = try Self.run(
      "set clock virtual\n# 1. The start\ndelay 1s --name a\nsleep 500ms\necho hello\nwait")
    var lines = RecordingLines(of: fixture.session.run)
    let recorded = lines.end(status: nil)
    let folder = try ScratchFolder()
    try folder.write(recorded.joined(separator: "\n") + "\n", to: "run")
    let replay = try Self.run("replay '\(folder.path)/run'\nops")
    let (typed, told) = (try Self.typed(replay), try Self.told(recorded))
    #expect(typed == told)
    #expect(try Self.told(recorded).contains("3 4> hello"))
  }
}
