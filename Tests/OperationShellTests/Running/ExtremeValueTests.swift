import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell

@Suite("Extreme sizes, depths and numbers", .timeLimit(.minutes(2)))
struct ExtremeValueTests {
  @Test(
    "An error leaves out the middle of a very long word, and nothing of a long text",
    arguments: [[], ["--json"], ["--check"], ["--check", "--json"]])
  func longWord(options: [String]) throws {
    let folder = try ScratchFolder()
    let word = String(repeating: "x", count: 1 << 20)
    try folder.write("a\(word)b\na\(word)b=5\nlet c = $a\(word)b\n", to: "word.opsh")
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: ["--no-rc", "--no-history"] + options + ["word.opsh"],
      environment: ["LANG": "C.UTF-8"], directory: folder.path)
    #expect(outcome.status == 2)
    let text = outcome.errors + outcome.output
    let shown = "axxx"
    #expect(text.contains("there is no command '\(shown)") && text.contains("xxxb'"))
    #expect(text.contains("to keep a value write: let \(shown)") && text.utf8.count < 10_000)
    let sentence = String(repeating: "some words ", count: 500)
    let whole = try Opsh.run("fail \"\(sentence)\"")
    #expect(whole.errors.contains(sentence.dropLast()))
  }

  @Test(
    "A value whose text no memory could hold is an error",
    arguments: [
      "repeat 25 { let s = ($s + $s) }; let l = (list($s)); let m = ($l + $l)",
      "repeat 21 { let s = ($s + $s) }; let l = (split($s, \"\"))",
    ])
  func size(_ script: String) throws {
    let error = try ShellFixture("let s = \"a\"").error(of: script)
    #expect(error.code == "too-large")
  }

  @Test("'why' and 'doctor' look at each group around an operation once")
  func depth() throws {
    let depth = 40
    let groups = (0..<depth).map { "group g\($0) \($0 == 0 ? "--after a " : ""){ " }.joined()
    let script =
      "delay 1h --name a; \(groups)delay 1ms --name x\(String(repeating: " }", count: depth))"
    let fixture = try ShellFixture(script)
    let reasons = try fixture.output(of: "why x")
    #expect(reasons.count == depth + 2 && reasons.last?.contains("'a'") == true, "\(reasons)")
    #expect(try fixture.output(of: "doctor").last?.contains("all can finish") == true)
    try fixture.run("cancel all; wait")
  }

  @Test("The greatest number in a name begins no row of names")
  func names() throws {
    let outcome = try Opsh.run(
      """
      queue pause; delay 1s --name x9223372036854775807
      for i in 1..8 { delay 1s --name x$i }; cancel all; queue resume; wait
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A file that is larger than memory is refused")
  func sparseFile() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/large.opsh"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 10 << 40) == 0)
    let outcome = try Opsh.run("source '\(path)'")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("[too-large]"), "\(outcome.errors)")
  }

  @Test("Numbers that overflow in sums are read from an edited recording")
  func recording() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/run.opshrec"
    let recorded = try Opsh.run("record '\(path)'; fetch questions --count 2; wait")
    #expect(recorded.status == 0, "\(recorded.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
      .replacing(/"bytes":\d+/, with: "\"bytes\":9223372036854775807")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let outcome = try Opsh.run("replay '\(path)'; stats; ops; blame")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
