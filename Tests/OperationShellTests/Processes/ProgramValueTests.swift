import Foundation
import TestSupport
import Testing

@Suite("Output of a program as a value", .timeLimit(.minutes(15)))
struct ProgramValueTests {
  @Test(
    "The value is the program's output without trailing newlines",
    arguments: [
      ("let x = !echo one; echo \"<$x>\"", "<one>\n"),
      ("let x = !printf 'a\\nb\\n\\n\\n'; echo \"<$x>\" $x.count", "<a\nb> 3\n"),
      ("let x = !printf 'a\\r\\n'; echo ($x.count)", "2\n"),
      ("let x = !printf ' a '; echo \"<$x>\"", "< a >\n"),
      ("let x = !true; echo \"<$x>\"", "<>\n"),
      ("let n = 4; let x = !seq $n | wc -l; echo ($x + 1)", "5\n"),
      ("let x = !sh -c 'for i in 1 2; do echo $i; done'; echo ($x == \"1\\n2\")", "true\n"),
      ("alias four = !echo 4; let x = four; echo \"<$x>\"", "<4>\n"),
      ("def f { let x = !echo in; echo \"<$x>\" }; f > out.txt; !cat out.txt", "<in>\n"),
      ("if (true) { let x = !echo '}'; echo $x }", "}\n"),
      ("block { let x = !echo body; echo \"<$x>\" }; wait", "<body>\n"),
      ("let x = !(sleep 5 >/dev/null 2>&1 &) ; echo here; echo $x", "here\n\n"),
    ])
  func keepsOutput(_ text: String, _ expected: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(text, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == expected)
  }

  @Test("Only standard error is shown")
  func showsErrors() throws {
    let outcome = try Opsh.run("let _x = !echo value && echo trouble >&2\necho seen")
    #expect(outcome.output == "seen\n")
    #expect(outcome.errors.hasPrefix("trouble\n"))
  }

  @Test("A compound command that '!' cuts off fails with help, a plain status 2 without")
  func helpForCompoundCommands() throws {
    let cut = try Opsh.run("try { !true && if true; echo a } catch e { echo $e.code \"$e.help\" }")
    #expect(cut.output.hasPrefix("exit-status(2) '!' ends at a ';'"), "\(cut.output)")
    let plain = try Opsh.run("try { !exit 2 } catch e { echo $e.code \"${e.help ?? \"none\"}\" }")
    #expect(plain.output == "exit-status(2) none\n")
  }

  @Test("With --json the value is the same, and only objects are printed")
  func json() throws {
    let outcome = try Opsh.run("let x = !echo one; echo \"<$x>\"", options: ["--json"])
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("{\"type\":") }, "\(lines)")
    #expect(lines.first?.contains("\"text\":\"<one>\"") == true)
    #expect(!outcome.errors.contains("one"))
  }

  @Test(
    "A non-zero status, a signal and binary output fail the statement",
    arguments: [
      ("let x = !exit 3; echo $x", "exit-status(3)"),
      ("let x = !echo out && exit 4", "exit-status(4)"),
      ("let x = !kill -9 $$; echo $x", "signal(9)"),
      ("let x = !printf '\\377\\376'; echo $x", "invalid-utf8"),
      ("let x = !head -c 64000001 /dev/zero; echo $x", "too-large"),
    ])
  func fails(_ text: String, _ code: String) throws {
    let outcome = try Opsh.run(
      "try { \(text) } catch e { echo $e.code }\necho next")
    #expect(outcome.output == "\(code)\nnext\n", "\(outcome.errors)")
  }

  @Test("Output beyond the limit ends the program and fails the statement")
  func isBounded() throws {
    let outcome = try Opsh.run("let x = !yes\necho $x")
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("the program prints more than 64 MB"))
  }

  @Test("Program values are an error on the virtual clock")
  func virtualClock() throws {
    let outcome = try Opsh.run("set clock virtual\nlet x = !echo one\necho $x")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("a program takes real time"))
  }
}
