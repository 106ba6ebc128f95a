import Foundation
import ShellLanguage
import OpshTerminal
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Overridden commands", .timeLimit(.minutes(15)))
struct ReplacedCommandTests {
  private func check(_ text: String) throws -> [Diagnostic] {
    let fixture = try ShellFixture()
    return fixture.session.run.check(
      Parser.parse(SourceText(name: "test.opsh", text: text)), isWhole: true, names: .all,
      in: fixture.shell.interpreter.makeContext())
  }

  @Test(
    "A definition or an alias with the name of a command overrides it",
    arguments: [
      ("def version { echo mine }", "version", "mine"),
      ("def fetch what { echo got $what }", "fetch questions", "got questions"),
      ("def wait { echo waited }", "wait", "waited"),
      ("alias version = echo mine", "version", "mine"),
      ("alias echo = echo say", "echo a", "say a"),
      ("alias queue = echo", "queue pause", "pause"),
      ("def say { echo one }; alias say = echo two", "say", "two"),
      ("alias say = echo two; def say { echo one }", "say", "one"),
    ])
  func replaces(_ setup: String, _ command: String, _ output: String) throws {
    let fixture = try ShellFixture(setup)
    #expect(try fixture.output(of: command) == [output])
  }

  @Test(
    "'command' runs the original command",
    arguments: [
      ("def echo text { command echo \"say: $text\" }", "echo a", ["say: a"]),
      ("alias echo = echo say", "command echo a", ["a"]),
      ("def delay time { command delay $time --name mine }", "delay 1ms", []),
      ("def fetch { }; let q = command fetch questions --hold", "echo $q.name", ["questions-1"]),
    ])
  func original(_ setup: String, _ command: String, _ output: [String]) throws {
    let fixture = try ShellFixture(setup)
    #expect(try fixture.output(of: command) == output)
    if setup.contains("mine") { _ = try fixture.operation("mine") }
  }

  @Test(
    "'command' is a keyword", arguments: ["def command { }", "alias command = echo"])
  func reserved(_ script: String) throws {
    #expect(try check(script).map(\.code) == ["name-taken"])
    #expect(try ShellFixture().error(of: script).code == "name-taken")
  }

  @Test(
    "A valid script is never rejected if the meaning of a word is uncertain",
    arguments: [
      "if (false) { def delay x { echo $x } }\ndelay 5ms --name a; wait a",
      "if ($# > 3) { alias delay = echo }\nlet t = delay 5ms; wait delay-1; echo $t.state",
      "alias delay = echo\ndelay hi\nunalias delay\ndelay 5ms\nwait delay-1",
      "def setup { def delay x { echo got $x } }; setup; delay foo",
      "def setup { alias delay = echo }; setup; delay foo",
      "def setup { def foo x { echo got $x } }; setup; foo 1",
      "def f { delay 5ms --name a }; f; wait a; def delay x { echo $x }; delay hello",
      "alias delay = echo; def f { delay hi }; f; unalias delay; delay 5ms; wait delay-1",
      "on queue network empty { delay hi }; alias delay = echo",
      "if (true) { def greet { echo a } } else { def greet name { echo $name } }; greet",
      "repeat 2 { alias say = echo; say a; unalias say }; def say x { echo $x }; say b",
      "alias delay = echo; let name = 'delay'; unalias $name; delay 5ms; wait delay-1",
      "def delay x { command delay $x --name a }; delay 5ms; wait a",
      "try { def fail { echo no } } catch e { echo $e }; fail; echo more",
    ])
  func uncertain(_ script: String) throws {
    let known: Set = ["replaces-command", "unreachable"]
    let found = try check(script).filter { !known.contains($0.code) }
    #expect(found.isEmpty, "\(found)")
    try ShellFixture().run(script)
  }

  @Test(
    "Commands that are certainly not overridden are checked",
    arguments: [
      ("def delay x { echo $x }; delay a b", "unexpected-argument"),
      ("alias delay = echo; unalias delay; delay hi", "wrong-kind"),
      ("def delay x { echo $x }; def f { delay a b }; f", "unexpected-argument"),
      ("if (true) { def greet name { echo $name } }; greet", "missing-argument"),
      ("if (true) { def delay x { echo $x } }; delay $nothing", "undefined-variable"),
    ])
  func certain(_ script: String, _ code: String) throws {
    #expect(try check(script).filter { $0.severity == .error }.map(\.code) == [code])
  }

  @Test("'command' takes one command")
  func originalOfBlock() throws {
    #expect(try ShellFixture().error(of: "command { echo a; echo b }").code == "expected-command")
    #expect(try ShellFixture().error(of: "command nothing").code == "unknown-command")
    #expect(try check("command { echo a; echo b }").map(\.code) == ["expected-command"])
  }

  @Test("A definition that calls itself instead of the overridden command gets an error with help")
  func recursion() throws {
    let error = try ShellFixture("def version { version }").error(of: "version")
    #expect(error.code == "too-deep")
    #expect(error.help == "'version' is a definition here; 'command version' runs the command")
  }

  @Test(
    "Checking warns about an overridden command and a recursive override",
    arguments: [
      ("def ‸echo text { }\necho a", "replaces-command"),
      ("def ‸fetch { }\nfetch", "replaces-command"),
      ("alias ‸version = echo a\nversion", "replaces-command"),
      ("alias ‸echo = echo a\necho b", "replaces-command"),
    ])
  func warns(_ marked: String, _ code: String) throws {
    let text = marked.filter { $0 != "‸" }
    let mark = try #require(marked.firstIndex(of: "‸"))
    let found = try check(text)
    #expect(found.map(\.code) == [code])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.range.lower == marked[..<mark].utf8.count)
  }

  @Test(
    "Inside a definition its own name means the definition",
    arguments: [
      ("def echo text { echo $text }\necho a", ["replaces-command", "replaces-command"]),
      ("def echo text { command echo $text }\necho a", ["replaces-command"]),
      ("def f n { if ($n > 0) { f ($n - 1) } }\nf 3", []),
      (
        "def echo text { command wait }\ndef wait { echo a }\nwait",
        ["replaces-command", "replaces-command"]
      ),
    ])
  func ownName(_ text: String, _ codes: [String]) throws {
    #expect(try check(text).map(\.code) == codes)
  }

  @Test(
    "Arguments are checked against the override, not the original command",
    arguments: [
      ("def delay { }\ndelay", [String]()), ("def delay { }\ndelay 1ms", ["unexpected-argument"]),
      ("def exit { }\nexit\necho a", []), ("alias quit = echo\nquit a\necho b", []),
      ("set clock virtual\ndef run x { echo $x }\nrun ls", []),
      ("set clock virtual\nalias run = echo\nrun ls", []),
      ("set clock virtual\ndef run x { echo $x }\ncommand delay", ["missing-argument"]),
      ("def wait { }\ndelay 1ms --name a\ncommand wait a", []),
      ("def alias a b c { echo $a $b $c }\nalias x = y | cat", []),
    ])
  func checked(_ text: String, _ codes: [String]) throws {
    let found = try check(text).filter { $0.code != "replaces-command" }
    #expect(found.map(\.code) == codes, "\(found)")
  }

  @Test(
    "Overriding a keyword is rejected",
    arguments: ["def if { }", "alias for = echo", "def let { }", "alias try = echo a"])
  func keywords(_ text: String) throws {
    #expect(try check(text).contains { $0.code == "name-taken" && $0.severity == .error })
  }

  @Test("Help shows the override and the original command")
  func help() throws {
    let fixture = try ShellFixture("def version { echo mine }; def mine { echo a }")
    let page = try fixture.output(of: "help version")
    #expect(page.first == "'version' is defined in a script:")
    #expect(page.contains("  def version { echo mine }"))
    #expect(page.contains("'command version' runs the command:"))
    #expect(try fixture.output(of: "help mine").count == 2)
  }

  @Test("Completion uses the present meaning of a name")
  func completion() throws {
    let fixture = try ShellFixture(
      "def queue name { echo $name }; alias delay = delay --queue system")
    let completer = Completer(shell: fixture.shell)
    func texts(_ line: String) -> [String] {
      completer.completions(for: line, cursor: line.count).candidates.map(\.text)
    }
    #expect(!texts("queue ").contains("pause"))
    #expect(texts("del").filter { $0 == "delay" }.count == 1)
    #expect(texts("delay 1s --qu").isEmpty == false)
  }
}
