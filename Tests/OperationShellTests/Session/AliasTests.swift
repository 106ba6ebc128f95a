import Foundation
import ShellLanguage
import OpshTerminal
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Aliases", .timeLimit(.minutes(15)))
struct AliasTests {
  @Test("An alias replaces the start of a command")
  func stands() throws {
    let fixture = try ShellFixture("alias say = echo 'one  two'; let more = 3")
    #expect(try fixture.output(of: "say four $more") == ["one  two four 3"])
    try fixture.run("alias louder = say loud")
    #expect(try fixture.output(of: "louder") == ["one  two loud"])
    #expect(try fixture.output(of: "alias say") == ["alias say = echo 'one  two'"])
    #expect(
      try fixture.output(of: "alias") == [
        "alias louder = say loud", "alias say = echo 'one  two'",
      ])
    try fixture.run("alias quick = delay --name; quick first 1ms; wait")
    #expect(try fixture.outcome(of: "first") == "succeeded")
    #expect(try fixture.output(of: "help quick").first == "'quick' is an alias: delay --name")
    try fixture.run("unalias say louder quick")
    #expect(try fixture.output(of: "alias") == ["no aliases"])
  }

  @Test(
    "Whether an alias is rejected does not depend on the order of definitions",
    arguments: ["alias echo = echo hi; alias say = echo", "alias say = echo; alias echo = echo hi"])
  func order(_ script: String) throws {
    let fixture = try ShellFixture(script)
    #expect(try fixture.output(of: "say x") == ["hi x"])
    #expect(try fixture.error(of: "alias echo = say").code == "alias-loop")
  }

  @Test("A typed option overrides the same option of the alias")
  func laterOptionWins() throws {
    let fixture = try ShellFixture(
      """
      alias slow = delay --priority low --count 2
      alias one = slow --count 1 --hold
      """)
    try fixture.run("one 1ms --priority high --name kept --hold")
    #expect(try fixture.output(of: "echo \"${kept.priority}\" (count of ops)") == ["high 1"])
    let twice = fixture.session.run.check(
      Parser.parse(SourceText(name: "test", text: "slow 1ms --count 3 --count 4")), isWhole: true,
      in: fixture.shell.interpreter.makeContext())
    #expect(twice.map(\.code) == ["duplicate-option"])
  }

  @Test(
    "An error in an alias is reported at its definition",
    arguments: [
      ("alias ops = echo", "replaces-command", 6), ("alias while = echo", "name-taken", 6),
      ("alias x = dilay 1ms", "unknown-command", 10),
      ("alias x = delay --nmae y", "unknown-option", 16),
      ("alias x = x", "alias-loop", 6), ("alias x echo", "missing-argument", 8),
      ("alias x =", "missing-argument", 8), ("alias x = { echo }", "bad-alias", 10),
      ("alias x = echo | cat", "bad-alias", 15), ("alias 3x = echo", "bad-name", 6),
      ("alias x=echo a", "bad-name", 6), ("alias x='echo a'", "bad-name", 6),
      ("alias x = 'echo a'", "bad-alias", 10),
      ("alias x = delay; x 1ms --nmae y", "unknown-option", 23),
      ("alias x = delay 1q; x", "wrong-kind", 16), ("alias x = delay; x", "missing-argument", 17),
    ])
  func checked(_ script: String, _ code: String, _ offset: Int) throws {
    let fixture = try ShellFixture()
    let found = fixture.session.run.check(
      Parser.parse(SourceText(name: "test", text: script)), isWhole: true,
      in: fixture.shell.interpreter.makeContext())
    #expect(found.first?.code == code)
    #expect(found.first?.range.lower == offset)
  }

  @Test("A recursive alias is rejected")
  func loops() throws {
    let fixture = try ShellFixture("alias one = echo; alias two = one; alias three = two")
    #expect(try fixture.error(of: "alias one = three").code == "alias-loop")
    #expect(try fixture.output(of: "three hello") == ["hello"])
    #expect(try fixture.error(of: "alias while = echo").code == "name-taken")
    #expect(try fixture.error(of: "unalias five").code == "unknown-alias")
    let statement = try fixture.error(of: "alias keep = let x = 3")
    #expect(statement.code == "bad-alias" && statement.help?.contains("'def keep { … }'") == true)
  }

  @Test("An error in the words after an alias is reported at those words")
  func places() throws {
    let fixture = try ShellFixture("alias show-it = show")
    let error = try fixture.error(of: "echo one\nshow-it nobody")
    #expect(error.line == 2)
    #expect(error.column == 9)
    #expect(error.source.text == "echo one\nshow-it nobody")
    let inside = try fixture.error(of: "alias wrong = show nobody\nwrong")
    #expect(inside.line == 2)
    #expect(inside.column == 1)
  }

  @Test("An error in a block after an alias is reported in the script that has the block")
  func placesInBlocks() throws {
    let fixture = try ShellFixture("alias g = group")
    let text = "echo one\ng parts {\n  show nobody\n}"
    let script = Parser.parse(SourceText(name: "test", text: text))
    _ = fixture.session.run.check(
      script, isWhole: true, in: fixture.shell.interpreter.makeContext())
    let error = try fixture.error(of: text)
    #expect(error.line == 3 && error.column == 8)
    #expect(error.source.text == text)
  }

  @Test("Completion after an alias is the same as after its expansion")
  func completion() throws {
    let fixture = try ShellFixture("alias few = fetch questions --pagesize 2")
    let completer = Completer(shell: fixture.shell)
    func texts(_ line: String) -> [String] {
      completer.completions(for: line, cursor: line.count).candidates.map(\.text)
    }
    #expect(texts("fe").contains("few"))
    #expect(texts("few --tag").contains { $0.hasPrefix("--tagged") })
    #expect(texts("unalias f").contains("few"))
    #expect(texts("echo (count ").contains("of"))
    #expect(texts("echo (count of q").contains("queues"))
    #expect(texts("echo (count of ops where st").contains("state"))
  }
}
