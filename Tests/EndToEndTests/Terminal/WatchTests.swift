import Foundation
import TestSupport
import Testing

/// `watch` in a pseudo terminal.
@Suite("Watching on the whole screen", .serialized, .timeLimit(.minutes(15)))
struct WatchTests {
  private func start(
    _ lines: String..., columns: Int = 100, rows: Int = 30, arguments: [String] = [],
    environment: [String: String] = [:]
  ) throws -> PromptSession {
    let session = try PromptSession(
      columns: columns, rows: rows, arguments: arguments, environment: environment)
    session.enter("events off")
    for line in lines { session.enter(line) }
    return session
  }

  /// Starts `watch` and returns what the screen showed before its picture.
  private func open(_ session: PromptSession, _ line: String = "watch") -> [String] {
    session.terminal.write(line + "\r")
    see(session, "opsh watch")
    return []
  }

  private func see(
    _ session: PromptSession, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isThere = session.terminal.wait(timeout: .seconds(30)) { screen in
      screen.isAlternate && screen.lines.contains { $0.contains(text) }
    }
    #expect(isThere, "no '\(text)' in:\n\(session.screen.text)", sourceLocation: sourceLocation)
  }

  private func leave(
    _ session: PromptSession, with key: String = "q",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    session.terminal.write(key)
    // First the old screen: in the picture, a row that is being painted may look like a prompt.
    let isBack = session.terminal.wait(timeout: .seconds(30)) { !$0.isAlternate }
    #expect(isBack, sourceLocation: sourceLocation)
    session.waitForPrompt(sourceLocation: sourceLocation)
    #expect(!session.screen.isAlternate, sourceLocation: sourceLocation)
  }

  /// The screen without the prompt that follows.
  private func screen(_ session: PromptSession) -> [String] {
    session.screen.lines.filter {
      !$0.isEmpty && $0.wholeMatch(of: /opsh\*?( [\d.]+)?( \[.*\])?>/) == nil
    }
  }

  @Test(
    "It shows operations, and leaves the screen as it was", arguments: ["q", "\u{1B}", "\u{3}"])
  func opens(key: String) throws {
    let session = try start("echo before", "delay 1h --count 3")
    let before = screen(session)
    _ = open(session)
    see(session, "delay-3")
    see(session, "network is full")
    see(session, "executing 2")
    let text = session.screen.text
    #expect(!text.contains("echo before"))
    leave(session, with: key)
    #expect(screen(session).filter { !$0.hasSuffix("> watch") } == before)
    session.enter("echo after")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A key runs the ordinary command and shows it, and 'history' keeps it")
  func keys() throws {
    let session = try start("delay 1h --count 4")
    _ = open(session)
    see(session, "delay-4")
    session.terminal.write("p")
    see(session, "opsh> queue pause network")
    see(session, "paused")
    session.terminal.write("s")
    see(session, "opsh> queue step network")
    see(session, "nothing can start")
    session.terminal.write("\u{1B}[B\u{1B}[B")
    session.terminal.write("+")
    see(session, "opsh> priority delay-3 high")
    session.terminal.write("r")
    see(session, "opsh> queue resume network")
    session.terminal.write("c")
    see(session, "opsh> cancel delay-3")
    see(session, "cancelled")
    session.terminal.write("s")
    see(session, "[not-suspended]")
    leave(session)
    session.enter("history")
    session.see("queue pause network")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("What keys ran is in the saved script, without 'watch'")
  func saved() throws {
    let folder = try TemporaryFolder()
    let session = try PromptSession(arguments: ["--no-rc"], directory: folder.path)
    session.enter("delay 1h --count 3")
    _ = open(session)
    see(session, "delay-3")
    session.terminal.write("p")
    see(session, "opsh> queue pause network")
    session.terminal.write("s")
    see(session, "opsh> queue step network")
    leave(session)
    session.enter("save kept.opsh")
    let text = try String(contentsOfFile: folder.path + "/kept.opsh", encoding: .utf8)
    #expect(
      text == "#!/usr/bin/env opsh\n\ndelay 1h --count 3\nqueue pause network\nqueue step network\n"
    )
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Handlers run meanwhile, and what they print follows after leaving")
  func handlers() throws {
    let session = try start(
      "delay 1s --name first --hold", "on first finished { delay 1h --name second; echo handled }")
    _ = open(session, "start first; watch")
    see(session, "second")
    #expect(!session.screen.text.contains("handled"))
    leave(session)
    session.see("handled")
    session.enter("log first")
    session.see("executing → finished")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Of what handlers print meanwhile, the latest lines follow, and the others are counted")
  func chattyHandler() throws {
    let session = try start(
      "delay 1s --name first --hold", "on first finished { for i in 1..3000 { echo line $i } }")
    _ = open(session, "start first; watch")
    see(session, "✓")
    leave(session)
    session.see("2,000 earlier lines were left out")
    session.see("line 3000")
    #expect(!session.lines.contains("line 2000"))
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("It follows the size of the window")
  func resizes() throws {
    let session = try start("delay 1h --count 60")
    _ = open(session)
    see(session, "delay-9")
    for (columns, rows) in [(40, 12), (200, 50), (80, 24), (60, 14)] {
      session.terminal.resize(columns: columns, rows: rows)
      let fits = session.terminal.wait(timeout: .seconds(30)) { screen in
        screen.lines[0].hasPrefix("opsh watch  2 executing")
          && screen.lines[rows - 3].contains("? help  q quit")
          && screen.lines.contains { $0.contains("delay-1 ") && $0.contains("executing") }
      }
      #expect(fits, "\(columns)x\(rows):\n\(session.screen.text)")
    }
    leave(session)
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Keys filter, sort, explain, show help, pause a queue and freeze the screen")
  func views() throws {
    let session = try start(
      "queue new slow --width 1", "delay 1h --count 2 --queue slow --name slow",
      "delay 1h --name other", "delay 1h --name later --after other")
    _ = open(session)
    see(session, "waits for other")
    session.terminal.write("/later\r")
    #expect(
      session.terminal.wait(timeout: .seconds(30)) { screen in
        screen.text.contains("waits for other") && !screen.text.contains("slow-1")
          && screen.lines[0].contains("filter later")
      }, "\(session.screen.text)")
    session.terminal.write("w")
    see(session, "later is pending and does not run because")
    see(session, "opsh> why later")
    session.terminal.write("\u{1B}")
    #expect(
      session.terminal.wait(timeout: .seconds(30)) { !$0.text.contains("Esc close") })
    #expect(session.screen.isAlternate, "Escape closed the panel only")
    see(session, "Esc clear")
    session.terminal.write("\u{1B}")
    see(session, "slow-1")
    #expect(session.screen.isAlternate, "Escape cleared the filter only")
    session.terminal.write("/")
    see(session, "Esc clear")
    session.terminal.write("\u{1B}")
    see(session, "slow-1")
    session.terminal.write("?")
    see(session, "filter by words")
    session.terminal.write("?o")
    see(session, "by id")
    session.terminal.write("\t\tp")
    see(session, "opsh> queue pause slow")
    session.terminal.write("f")
    see(session, "frozen")
    leave(session)
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Ctrl-Z leaves the screen, and the program continues with it")
  func stops() throws {
    let session = try start("delay 1h")
    _ = open(session)
    see(session, "delay-1")
    // Without a shell that could continue it, the kernel ignores the stop, and the picture returns.
    session.terminal.write("\u{1A}")
    func count(_ sequence: String) -> Int {
      String(decoding: session.terminal.output, as: UTF8.self)
        .components(separatedBy: "\u{1B}[?1049" + sequence).count - 1
    }
    #expect(session.terminal.wait(timeout: .seconds(30)) { _ in count("h") == 2 })
    #expect(count("l") == 1)
    see(session, "delay-1")
    leave(session)
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A signal that ends the shell restores the screen", arguments: [SIGTERM, SIGHUP, SIGSEGV])
  func ends(signal: Int32) throws {
    let session = try start("delay 1h")
    _ = open(session)
    see(session, "delay-1")
    session.terminal.send(signal: signal)
    #expect(session.terminal.waitForExit(timeout: .seconds(30)) != nil)
    #expect(!session.screen.isAlternate)
    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(output.contains("\u{1B}[?25h"))
    let side = try session.terminal.openProgramSide()
    defer { close(side) }
    var modes = termios()
    #expect(tcgetattr(side, &modes) == 0)
    #expect(modes.c_lflag & tcflag_t(ICANON) != 0 && modes.c_lflag & tcflag_t(ECHO) != 0)
  }

  @Test("Without a terminal it is an error", arguments: ["watch", "block { watch }; wait"])
  func needsTerminal(text: String) throws {
    for options in [[], ["--json"]] {
      let outcome = try Opsh.text(text, options: options)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("'watch' needs a terminal"), "\(outcome.errors)")
      #expect(outcome.errors.contains("[needs-terminal]"), "\(outcome.errors)")
    }
  }

  @Test("A terminal that can't move its cursor, objects, files and pipes are an error too")
  func unfit() throws {
    let session = try start()
    for line in ["watch --json", "watch > out.txt", "watch | cat", "block { watch }; wait last"] {
      session.terminal.write(line + "\r")
      session.see("'watch' needs a terminal")
      session.waitForPrompt()
      session.terminal.write("clear\r")
      session.waitForPrompt()
    }
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["-c", "watch"],
      environment: Opsh.environment(["TERM": "dumb"]))
    #expect(terminal.waitForExit()?.status == 1)
    #expect(terminal.screen.logicalLines.contains { $0.contains("[needs-terminal]") })
  }

  @Test("A script on a terminal shows it, and the virtual clock goes on by keys")
  func script() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    try terminal.start(
      try BuiltProducts.executable("opsh"),
      arguments: [
        "--events", "off", "-c",
        "set clock virtual; delay 20ms --count 2; delay 150ms; watch; echo left",
      ],
      environment: Opsh.environment())
    #expect(terminal.wait { $0.isAlternate && $0.text.contains("virtual time 0.0 s") })
    terminal.write("n")
    #expect(terminal.wait { $0.text.contains("0.020 after 1 step") }, "\(terminal.screen.text)")
    #expect(terminal.wait { $0.text.contains("1 finished") }, "\(terminal.screen.text)")
    terminal.write("n")
    #expect(terminal.wait { $0.text.contains("2 finished") }, "\(terminal.screen.text)")
    terminal.write("t")
    #expect(terminal.wait { $0.text.contains("66%") }, "\(terminal.screen.text)")
    terminal.write("T")
    #expect(terminal.wait { $0.text.contains("3 finished") }, "\(terminal.screen.text)")
    terminal.write("q")
    #expect(terminal.waitForExit()?.status == 0)
    #expect(terminal.screen.text == "left")
  }

  @Test("A slow terminal delays neither operations nor keys")
  func slow() throws {
    let session = try start("queue width unlimited")
    session.terminal.slowness = (bytes: 20, pause: .milliseconds(1))
    _ = open(session, "delay 5ms --count 20000; delay 3s --name end; watch")
    see(session, "end")
    session.terminal.write("w")
    see(session, "opsh> why")
    let output = session.terminal.output.count
    leave(session)
    session.terminal.slowness = nil
    #expect(session.terminal.output.count - output < 40_000)
    session.enter("wait")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }
}
