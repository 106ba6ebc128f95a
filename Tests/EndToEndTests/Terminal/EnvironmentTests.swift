import Foundation
import TestSupport
import Testing

@Suite("Environment of the prompt", .serialized, .timeLimit(.minutes(15)))
struct EnvironmentTests {
  @Test("TERM=dumb has a plain prompt without escape sequences", arguments: ["dumb", ""])
  func dumbTerminal(name: String) throws {
    let terminal = try PseudoTerminal()
    let home = try TemporaryFolder()
    try terminal.start(
      try BuiltProducts.executable("opsh"),
      environment: Opsh.environment(["HOME": home.path, "TERM": name]))
    #expect(terminal.wait { $0.cursorLine == "opsh>" }, "\(terminal.screen.text)")
    terminal.write("delay 1ms; wait; echo plain\r")
    #expect(terminal.wait { $0.lines.contains("plain") && $0.cursorLine == "opsh>" })
    terminal.write("ecko\r")
    #expect(
      terminal.wait { $0.lines.contains { $0.hasPrefix("error: there is no command 'ecko'") } })
    #expect(terminal.wait { $0.cursorLine == "opsh>" })
    terminal.write("sleep 60s\r")
    #expect(terminal.wait { $0.lines.contains("opsh> sleep 60s") })
    terminal.write("\u{3}")
    #expect(terminal.wait { $0.cursorLine == "opsh>" }, "\(terminal.screen.text)")
    terminal.write("\u{4}")
    #expect(terminal.waitForExit()?.status == 0)
    #expect(!terminal.output.contains(0x1B))
  }

  @Test("With TERM=dumb no event appears in the middle of a typed line")
  func dumbHalfTyped() throws {
    let terminal = try PseudoTerminal(columns: 120)
    let home = try TemporaryFolder()
    try terminal.start(
      try BuiltProducts.executable("opsh"),
      environment: Opsh.environment(["HOME": home.path, "TERM": "dumb"]),
      directory: home.path)
    #expect(terminal.wait { $0.cursorLine == "opsh>" }, "\(terminal.screen.text)")
    terminal.write(
      "run --name b sh -c 'until [ -e go ]; do sleep 0.01; done'; "
        + "on b finished { echo done > told }\r")
    #expect(terminal.wait { $0.cursorLine == "opsh>" && $0.text.contains("told }") })
    terminal.write("echo ha")
    #expect(terminal.wait { $0.cursorLine == "opsh> echo ha" })
    try home.write("", to: "go")
    // The handler runs after its event was shown or buffered.
    #expect(terminal.wait { _ in home.read("told") != nil })
    terminal.write("lf\r")
    #expect(terminal.wait { $0.lines.contains("half") }, "\(terminal.screen.text)")
    let lines = terminal.screen.lines
    let typed = try #require(lines.firstIndex(of: "opsh> echo half"), "\(terminal.screen.text)")
    let event = try #require(lines.firstIndex { $0.contains("executing → finished") })
    #expect(event > typed)
    terminal.write("\u{4}")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test(
    "A crash restores the terminal, and the status shows the signal",
    arguments: [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP, SIGVTALRM])
  func crash(signal: Int32) throws {
    let session = try PromptSession()
    let side = try session.terminal.openProgramSide()
    defer { close(side) }
    var modes = termios()
    tcgetattr(side, &modes)
    #expect(modes.c_lflag & tcflag_t(ECHO | ICANON) == 0, "The terminal is in the editor's mode")
    session.terminal.send(signal: signal)
    let end = session.terminal.waitForExit()
    #expect(end?.signal == signal)
    tcgetattr(side, &modes)
    #expect(modes.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON))
    #expect(!session.screen.marksPastes)
  }

  @Test("Ctrl-C right after a line stops or discards it, and the plain prompt returns")
  func interruptedLines() throws {
    let terminal = try PseudoTerminal()
    let home = try TemporaryFolder()
    try terminal.start(
      try BuiltProducts.executable("opsh"),
      environment: Opsh.environment(["HOME": home.path, "TERM": "dumb"]))
    #expect(terminal.wait { $0.cursorLine == "opsh>" }, "\(terminal.screen.text)")
    func promptCount() -> Int {
      String(decoding: terminal.output, as: UTF8.self).components(separatedBy: "opsh> ").count
    }
    for _ in 1...20 {
      let before = promptCount()
      terminal.write("sleep 60s\r")
      terminal.write("\u{3}")
      let isBack = terminal.wait { _ in promptCount() > before }
      #expect(isBack, "\(terminal.screen.text)")
      guard isBack else { break }
    }
    terminal.write("echo on\r")
    #expect(terminal.wait { $0.lines.contains("on") }, "\(terminal.screen.text)")
    terminal.write("\u{4}")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test("NO_COLOR and --color never disable colours, which a terminal has by default")
  func color() throws {
    let colors = /\u{1B}\[[0-9;]*3[0-7][0-9;]*m/
    for (arguments, variables, isColored) in [
      ([], ["NO_COLOR": ""], true), ([], ["NO_COLOR": "1"], false),
      (["--color", "never"], ["NO_COLOR": ""], false),
      (["--color", "always"], ["NO_COLOR": "1"], true),
    ] as [([String], [String: String], Bool)] {
      let session = try PromptSession(arguments: arguments, environment: variables)
      session.enter("delay 1ms; wait")
      session.terminal.write("quit\r")
      session.expectExit(0)
      let text = String(decoding: session.terminal.output, as: UTF8.self)
      #expect(text.contains(colors) == isColored, "\(arguments) \(variables)")
    }
  }

  @Test("In the C locale the prompt works, and only ASCII is sent")
  func asciiTerminal() throws {
    let session = try PromptSession(environment: ["LANG": "C", "LC_ALL": "C"])
    session.enter("delay 1ms; wait; ops; queue")
    session.see(/delay-1 +executing -> finished/)
    session.enter("echo \"\\u{e9} \\u{2713}\"")
    session.see(/^\\u\{e9\} ok/)
    session.terminal.write("quit\r")
    session.expectExit(0)
    #expect(session.terminal.output.allSatisfy { $0 < 0x80 })
  }

  @Test("Typed lines are stored in a file that only the user can read, and are recalled")
  func history() throws {
    let home = try TemporaryFolder()
    let first = try PromptSession(home: home)
    first.enter("echo one")
    first.enter(" echo secret")
    first.terminal.write("quit\r")
    first.expectExit(0)
    let second = try PromptSession(home: home)
    second.terminal.write("\u{1B}[A\u{1B}[A")
    #expect(second.terminal.wait { $0.cursorLine == "opsh> echo one" }, "\(second.screen.text)")
    second.terminal.write("\u{5} two\r")
    second.see("one two")
    second.waitForPrompt()
    second.enter("history")
    second.terminal.write("quit\r")
    second.expectExit(0)
    let path = ".local/state/opsh/history"
    #expect(
      home.read(path)?.replacing(#/\\@\d+ /#, with: "").split(separator: "\n").map(String.init)
        == ["echo one", "quit", "echo one two", "history", "quit"])
    let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/" + path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let folder = home.path + "/.local/state/opsh"
    let owner = try FileManager.default.attributesOfItem(atPath: folder)
    #expect((owner[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  @Test("--no-history stores none; XDG_STATE_HOME and --data set the location")
  func historyPlaces() throws {
    let (home, place) = (try TemporaryFolder(), try TemporaryFolder())
    for (arguments, variables) in [
      (["--no-history"], [:]), ([], ["XDG_STATE_HOME": place.path + "/state"]),
      (["--data", place.path + "/data"], [:]),
    ] as [([String], [String: String])] {
      let session = try PromptSession(arguments: arguments, environment: variables, home: home)
      session.enter("echo here")
      session.terminal.write("quit\r")
      session.expectExit(0)
    }
    #expect(home.read(".local/state/opsh/history") == nil)
    for path in ["state/opsh/history", "data/history"] {
      #expect(place.read(path)?.replacing(#/\\@\d+ /#, with: "") == "echo here\nquit\n")
    }
  }

  @Test("Two concurrent sessions keep all lines of each other's history")
  func twoHistories() throws {
    let home = try TemporaryFolder()
    let (first, second) = (try PromptSession(home: home), try PromptSession(home: home))
    first.enter("echo a1")
    second.enter("echo b1")
    first.enter("echo a2")
    second.terminal.write("quit\r")
    second.expectExit(0)
    first.enter("echo a3")
    first.terminal.write("quit\r")
    first.expectExit(0)
    let kept = home.read(".local/state/opsh/history")?.replacing(#/\\@\d+ /#, with: "")
      .split(separator: "\n").map(String.init)
    #expect(kept == ["echo a1", "echo b1", "echo a2", "quit", "echo a3", "quit"])
  }

  @Test("The startup file is read at the prompt only, and not with --no-rc")
  func startupFile() throws {
    let home = try TemporaryFolder()
    try home.write("let fromStartup = 42\necho startup ran\n", to: ".config/opsh/rc")
    let session = try PromptSession(home: home)
    #expect(session.lines.contains("startup ran"))
    session.enter("echo \"it is $fromStartup\"")
    #expect(session.lines.contains("it is 42"))
    session.terminal.write("quit\r")
    session.expectExit(0)
    let without = try PromptSession(arguments: ["--no-rc"], home: home)
    #expect(!without.lines.contains("startup ran"))
    without.terminal.write("quit\r")
    without.expectExit(0)
    let variables = ["HOME": home.path]
    #expect(try Opsh.run(["-c", "echo x"], environment: variables).output == "x\n")
    #expect(try Opsh.run([], input: "echo x\n", environment: variables).output == "x\n")
  }

  @Test("An error in the startup file is shown with its place, and the prompt starts nevertheless")
  func faultyStartupFile() throws {
    let home = try TemporaryFolder()
    let file = try home.write("echo fine\necko\n", to: "config/opsh/rc")
    let session = try PromptSession(
      columns: 200, environment: ["XDG_CONFIG_HOME": home.path + "/config"])
    session.see("\(file):2:1: error: ")
    session.enter("echo prompt")
    #expect(session.lines.contains("prompt"))
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Script output on a terminal has colours, but no prompt and no other sequence")
  func scriptInTerminal() throws {
    let terminal = try PseudoTerminal()
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["-c", "delay 1ms; wait; echo plain"],
      environment: Opsh.environment(["NO_COLOR": "1"]))
    #expect(terminal.waitForExit()?.status == 0)
    #expect(!terminal.output.contains(0x1B))
    #expect(terminal.screen.lines.contains("plain"))
    #expect(!terminal.screen.text.contains("opsh>"))
  }

  @Test("A signal ends a script on a terminal that Ctrl-S has stopped")
  func stoppedTerminal() throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["-c", "while (true) { echo going }"],
      environment: Opsh.environment())
    #expect(terminal.wait(for: "going"))
    terminal.write("\u{13}")
    terminal.pump(for: .milliseconds(500))
    terminal.send(signal: SIGTERM)
    #expect(terminal.waitForExit(timeout: .seconds(20))?.status == 128 + SIGTERM)
  }

  @Test("--json at a prompt writes objects above the line")
  func jsonAtPrompt() throws {
    let session = try PromptSession(columns: 400, arguments: ["--json"])
    session.enter("echo hello")
    session.see(#""command":"echo","text":"hello"}"#)
    session.terminal.write("quit\r")
    session.expectExit(0)
    session.see(#"{"type":"summary""#)
  }

  @Test("A terminal that disconnects ends the session")
  func hangUp() throws {
    let home = try TemporaryFolder()
    var session: PromptSession? = try PromptSession(home: home)
    session?.enter("delay 60s")
    let process = session?.terminal.processIdentifier ?? 0
    #expect(process > 0)
    session?.terminal.send(signal: SIGHUP)
    session?.expectExit(128 + SIGHUP)
    session = nil
    #expect(kill(process, 0) != 0)
  }
}
