import Foundation
import TestSupport
import Testing

@testable import ShellLanguage

@Suite("Canonical layout", .timeLimit(.minutes(15)))
struct FormatterTests {
  private func format(_ text: String) -> String {
    ScriptFormatter.format(Parser.parse(SourceText(name: "t", text: text)))
  }

  struct Layout: CustomTestStringConvertible, Sendable {
    let before: String
    let after: String

    init(_ before: String, _ after: String) {
      self.before = before
      self.after = after
    }

    var testDescription: String { before }
  }

  @Test(
    "A script gets its canonical layout",
    arguments: [
      Layout("", ""), Layout("\n\n", ""), Layout("echo  a", "echo a\n"),
      Layout("echo a;echo b ; echo c", "echo a\necho b\necho c\n"),
      Layout("echo a\n\n\n\necho b", "echo a\n\necho b\n"),
      Layout(
        "#!/usr/bin/env opsh\n\n# why\necho a   # because\n",
        "#!/usr/bin/env opsh\n\n# why\necho a  # because\n"),
      Layout("\techo 'a  b' \"c  $x\"", "echo 'a  b' \"c  $x\"\n"),
      Layout("if(true){echo a}else{echo b}", "if (true) { echo a } else { echo b }\n"),
      Layout(
        "if ( $a==1 or\n $b )\n{", "if ( $a==1 or\n $b )\n{\n"),
      Layout("if ( true or\n false ) {\necho a\n}", "if (true or false) {\n  echo a\n}\n"),
      Layout(
        "if (true) { # yes\necho a\n# no more\n} else if (false) {\necho b }",
        "if (true) {  # yes\n  echo a\n  # no more\n} else if (false) {\n  echo b\n}\n"),
      Layout("let x=5\nlet  y =( 1 +  2 )", "let x = 5\nlet y = (1 + 2)\n"),
      Layout("def f a b=2{\nreturn $a }", "def f a b=2 {\n  return $a\n}\n"),
      Layout("try{fail no}catch e{ }", "try { fail no } catch e { }\n"),
      Layout("repeat 3 {\n}", "repeat 3 { }\n"),
      Layout(
        "for x in 1..3 a   (2 ..4){ echo $x;continue }",
        "for x in 1..3 a (2 ..4) { echo $x; continue }\n"),
      Layout("echo a|sort -r>f", "echo a | sort -r > f\n"),
      Layout("ops>>  'my file'", "ops >> 'my file'\n"),
      Layout("! ls  -l ;  echo  a", "!ls  -l\necho a\n"),
      Layout("!ls\\\r", "!ls\\\r ;\n"),
      Layout("if (true) {!a  {} ;!b}", "if (true) { !a  {}; !b }\n"),
      Layout("alias  ll =  ! ls;time  !a; echo  ! 'a'", "alias ll = !ls\ntime !a\necho ! 'a'\n"),
      Layout("echo a \\\n  b \\\r\n c", "echo a b c\n"),
      Layout("echo (replace(\"a  b\" ,\"  \",',' ))", "echo (replace(\"a  b\", \"  \", ','))\n"),
      Layout("echo (1 + # one\n 2)", "echo (1 + # one\n 2)\n"),
      Layout(
        "let x = (list(1))\necho ($x[ 0 ]) \"a  ${ 1 +  2 }  b\"",
        "let x = (list(1))\necho ($x[0]) \"a  ${1 + 2}  b\"\n"),
      Layout("echo \"${upper( \"a  b\" )}\"$x[1].y", "echo \"${upper(\"a  b\")}\"$x[1].y\n"),
      Layout("fetch questions --count=( 1 + 2 )", "fetch questions --count=(1 + 2)\n"),
      Layout("on q finished {\n\n\necho a\n\n}", "on q finished {\n  echo a\n}\n"),
      Layout(
        "while (true) {\nif (false) { break }\n\n\n# end\n}",
        "while (true) {\n  if (false) { break }\n\n  # end\n}\n"),
    ])
  func lays(_ layout: Layout) {
    let script = Parser.parse(SourceText(name: "t", text: layout.before))
    guard script.diagnostics.isEmpty else { return }
    let formatted = ScriptFormatter.format(script)
    #expect(formatted == layout.after)
    #expect(format(formatted) == formatted, "formatting again changes it")
  }

  @Test("A long command is broken between words, a long block opened")
  func breaksLines() {
    let words = (1...40).map { "word\($0)" }.joined(separator: " ")
    let lines = format("echo \(words) > file").split(separator: "\n")
    #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 100 })
    #expect(lines.dropLast().allSatisfy { $0.hasSuffix(" \\") })
    let block = format("repeat 2 { echo \(words.prefix(90)); echo b }")
    #expect(block.hasPrefix("repeat 2 {\n  echo word1"))
    expectStable("repeat 2 { repeat 3 { echo \(words) } }")
    // It grows beyond the length up to which blocks are tried on one line.
    expectStable("echo a" + String(repeating: "|bbbbbbbb c\\\nd", count: 55))
  }

  private func expectStable(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let script = Parser.parse(SourceText(name: "t", text: text))
    guard script.diagnostics.isEmpty else { return }
    let once = ScriptFormatter.format(script)
    let again = Parser.parse(SourceText(name: "t", text: once))
    #expect(again.diagnostics.isEmpty, "\(text) → \(once)", sourceLocation: sourceLocation)
    #expect(
      ScriptOutline.text(of: again) == ScriptOutline.text(of: script), "\(text) → \(once)",
      sourceLocation: sourceLocation)
    #expect(
      ScriptFormatter.format(again) == once, "not stable: \(text)", sourceLocation: sourceLocation)
  }

  @Test("Formatting keeps the meaning, and formatting again changes nothing", arguments: 0..<8)
  func keepsMeaning(seed: UInt64) {
    var generator = FuzzTests.Generator(state: seed)
    for _ in 0..<TestScale.count(150) {
      expectStable(
        RandomScript.text(statements: Int.random(in: 1...6, using: &generator), using: &generator))
    }
  }

  @Test("The examples are in canonical layout")
  func examples() throws {
    let folder = URL(fileURLWithPath: PackageFolder.path + "/scripts/examples")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "opsh" }
    #expect(files.count > 5)
    for file in files {
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      #expect(format(text) == text, "\(file.lastPathComponent)")
    }
  }

  @Test("Comments stay, in their order")
  func keepsComments() {
    let text = "# a\necho 1 # b\n\n# c\nif (true) { # d\n# e\necho 2 # f\n} # g\n# h"
    let comments = format(text).split(separator: "\n").compactMap { line in
      line.firstIndex(of: "#").map { String(line[$0...]) }
    }
    #expect(comments == ["# a", "# b", "# c", "# d", "# e", "# f", "# g", "# h"])
  }

  @Test("Deep nesting is formatted too")
  func formatsDeepScripts() {
    let text =
      String(repeating: "repeat 1 {\n", count: 900) + "echo a" + String(repeating: "}", count: 900)
    expectStable(text)
    expectStable(text.filter { $0 != "\n" })
  }
}
