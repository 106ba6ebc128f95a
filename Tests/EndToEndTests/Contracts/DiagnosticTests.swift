import Foundation
import TestSupport
import Testing

@Suite("Format of errors", .timeLimit(.minutes(15)))
struct DiagnosticTests {
  @Test("An error has place and message, then the source line, then a caret below it")
  func form() throws {
    let outcome = try Opsh.text("echo fine\n  show nobody # why")
    #expect(outcome.errorLines.count >= 3)
    #expect(outcome.errorLines.first?.hasPrefix("-c:2:8: error: ") == true)
    #expect(outcome.errorLines[1] == "    show nobody # why")
    #expect(outcome.errorLines[2].hasPrefix(String(repeating: " ", count: 9) + "^"))
    #expect(outcome.output == "fine\n")
  }

  @Test("The place starts with -c, <stdin> or the path as given")
  func names() throws {
    let folder = try TemporaryFolder()
    try folder.write("ecko\n", to: "sub/x.opsh")
    let runs: [([String], String, String)] = [
      (["-c", "ecko"], "", "-c"), ([], "ecko\n", "<stdin>"), (["-"], "ecko\n", "<stdin>"),
      (["sub/x.opsh"], "", "sub/x.opsh"), (["./sub/../sub/x.opsh"], "", "./sub/../sub/x.opsh"),
    ]
    for (arguments, input, name) in runs {
      let outcome = try Opsh.run(arguments, input: input, directory: folder.path)
      #expect(outcome.errors.hasPrefix("\(name):1:1: error: "), "\(outcome.errors)")
    }
  }

  struct Place: Sendable, CustomTestStringConvertible {
    let text: String
    let place: String
    /// The number of blanks before the caret, after the two at the start of every shown line.
    var indent: Int?
    var testDescription: String { text }
  }

  @Test(
    "Columns count characters from 1, and the caret uses display columns",
    arguments: [
      Place(text: "ecko", place: "1:1", indent: 0),
      Place(text: "echo x\n\n\n ecko", place: "4:2", indent: 1),
      Place(text: "echo 漢字; ecko", place: "1:10", indent: 11),
      Place(text: "echo 👩‍💻; ecko", place: "1:9", indent: 9),
      Place(text: "echo e\u{301}; ecko", place: "1:9", indent: 8),
      Place(text: "echo \"größe\"; ecko", place: "1:15", indent: 14),
      // An unclosed brace is reported at its start.
      Place(text: "if (true) {\n  echo x\n", place: "1:11"),
      Place(text: "echo fine\nexpect (1 == 1\n", place: "2:8"),
      Place(text: "echo 'a\nb\nc\n", place: "1:6"),
      Place(text: "echo \"a\nb\nc\n", place: "1:6"),
      Place(text: "def f {\n if (true) {\n }\n", place: "1:7"),
      // An error of a whole statement is reported at its start.
      Place(text: "echo x\n  break", place: "2:3"),
      Place(text: "  try { echo x }", place: "1:3"),
      // Continued lines.
      Place(text: "echo a \\\n  $nothing", place: "2:3"),
      Place(text: "expect (1 == \n  $nothing)", place: "2:3"),
      // CR LF is a single line end.
      Place(text: "echo x\r\necko\r\n", place: "2:1"),
    ])
  func place(_ test: Place) throws {
    let outcome = try Opsh.text(test.text)
    #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("-c:\(test.place): error: "), "\(outcome.errors)")
    if let indent = test.indent {
      let caret = outcome.errorLines.first { $0.trimmingCharacters(in: [" "]).hasPrefix("^") } ?? ""
      #expect(caret.prefix { $0 == " " }.count == indent + 2, "\(outcome.errors)")
    }
  }

  @Test("Line numbers of standard input continue across statements")
  func standardInputPlaces() throws {
    let outcome = try Opsh.run(
      ["--keep-going"], input: "echo a\nif (true) {\n  show nobody\n}\n\n   ecko\n")
    #expect(outcome.errors.contains("<stdin>:3:8: error: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("<stdin>:6:4: error: "))
    let unclosed = try Opsh.run([], input: "echo a\necho 'b\nc\n")
    #expect(unclosed.errors.hasPrefix("<stdin>:2:6: error: "))
  }

  struct Spelling: Sendable, CustomTestStringConvertible {
    let text: String
    let meant: String
    /// Help topics are looked up when the command runs; all other names are checked statically.
    var testDescription: String { text }
  }

  @Test(
    "An unknown name gets a suggestion",
    arguments: [
      Spelling(text: "ecko x", meant: "echo"),
      Spelling(text: "fetch qestions", meant: "questions"),
      Spelling(text: "fetch questions --pagsize 5", meant: "pagesize"),
      Spelling(text: "queue paus", meant: "pause"),
      Spelling(text: "delay 1ms --name alpha; show alpa", meant: "alpha"),
      Spelling(text: "queue new fast; queue pause fats", meant: "fast"),
      Spelling(text: "let number = 1; echo $number $numbre", meant: "number"),
      Spelling(text: "delay 1ms; priority last hihg", meant: "high"),
      Spelling(text: "delay 1ms --hold; observe last isFinishd", meant: "isFinished"),
      Spelling(text: "delay 1ms --hold; expect (last.stat == created)", meant: "state"),
      Spelling(text: "help fetsh", meant: "fetch"),
      Spelling(text: "def greet { echo x }\ngret", meant: "greet"),
    ])
  func suggestion(_ spelling: Spelling) throws {
    let outcome = try Opsh.text(spelling.text)
    #expect(outcome.status == 2)
    let help = outcome.errorLines.first { $0.contains("help: ") } ?? ""
    #expect(help.contains(/help: (write: |did you mean ')/), "\(outcome.errors)")
    #expect(help.contains(spelling.meant), "\(outcome.errors)")
  }

  @Test("Unknown command-line options get a suggestion")
  func optionSuggestion() throws {
    let outcome = try Opsh.run(["--jason"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("did you mean '--json'?"))
  }

  @Test("An error object has the same data as its text")
  func object() throws {
    let outcome = try Opsh.text("echo fine\n  ecko", options: ["--json"])
    let error = try #require(JSONContract.lines(of: outcome).first)
    #expect(error.type == "error")
    #expect(error.string("file") == "-c")
    #expect(error.integer("line") == 2)
    #expect(error.integer("column") == 3)
    #expect(error.string("help") == "write: echo")
    let message = try #require(error.string("message"))
    #expect(outcome.errors.hasPrefix("-c:2:3: error: \(message) [unknown-command]\n"))
    #expect(error.string("code") == "unknown-command")
  }

  @Test(
    "Nesting of up to 1,000 levels works, and deeper nesting is an error",
    arguments: [("if (true) { ", " }"), ("(", ")"), ("repeat 1 { ", " }")])
  func nesting(opening: String, closing: String) throws {
    let folder = try TemporaryFolder()
    for (depth, isAllowed) in [(990, true), (1_010, false), (100_000, false)] {
      let inner = opening == "(" ? "1" : "echo x"
      let text =
        String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)
      let file = try folder.write(text + "\n", to: "deep-\(depth).opsh")
      let outcome = try Opsh.run([file])
      #expect(outcome.shellStatus == (isAllowed ? 0 : 2), "\(depth): \(outcome.errors.prefix(300))")
      if !isAllowed { #expect(outcome.errors.contains(": error: ")) }
      let piped = try Opsh.run([], input: text + "\n")
      #expect(piped.shellStatus == (isAllowed ? 0 : 2), "\(depth): \(piped.errors.prefix(300))")
    }
  }

  @Test("Endless recursion is an error", arguments: ["f", "block { f }; wait"])
  func recursion(call: String) throws {
    let outcome = try Opsh.text("def f { f }\n\(call)")
    #expect(outcome.shellStatus == 1, "\(outcome.errors.prefix(300))")
    #expect(outcome.errors.contains(": error: "))
  }

  @Test("A file of more than 64 MB, a folder and a missing file are errors")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/large.opsh"
    #expect(FileManager.default.createFile(atPath: path, contents: Data("echo x\n".utf8)))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 64_000_001)
    try handle.close()
    for name in [path, folder.path, folder.path + "/missing"] {
      let outcome = try Opsh.run([name])
      #expect(outcome.status == 2, "\(name)")
      #expect(outcome.errors.contains(name))
      #expect(outcome.output == "")
    }
  }
}
