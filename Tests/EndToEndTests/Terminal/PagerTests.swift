import Foundation
import TestSupport
import Testing

@Suite("Programs and pagers on the terminal", .serialized, .timeLimit(.minutes(15)))
struct PagerTests {
  /// Reads its input, and then a line of keys from the terminal.
  private static let reader =
    #"sh -c 'c=$(wc -l); echo "got $c lines"; read key </dev/tty; echo "key <$key>"'"#

  private func waitForProgram(_ session: PromptSession, _ text: String) {
    #expect(
      session.terminal.wait(timeout: .seconds(30)) { $0.lines.contains { $0.hasPrefix(text) } },
      "\(session.screen.text)")
    #expect(!session.screen.marksPastes, "The editor does not use the terminal")
  }

  @Test("The last program of a pipe reads keys and draws on the screen")
  func pipe() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    session.terminal.write("echo one | cat | \(Self.reader)\r")
    waitForProgram(session, "got 1 lines")
    session.terminal.write("typed\r")
    session.see("key <typed>")
    session.waitForPrompt()
    // Its own escape sequences reach the terminal.
    session.enter(#"echo text | sh -c 'cat; printf "\033]0;title\007" '"#)
    #expect(
      String(decoding: session.terminal.output, as: UTF8.self).contains("\u{1B}]0;title\u{7}"))
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A program that handles Ctrl-C receives it, and the command continues")
  func caughtInterrupt() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    session.terminal.write(
      // A 'read' would handle a signal that comes right before it only when it has read.
      #"echo x | bash -c 'trap "echo caught; c=1" INT; cat >/dev/null; echo up; "#
        + #"until [ "$c" ]; do sleep 0.05; done; read k </dev/tty; echo "k <$k>"'"# + "\r")
    waitForProgram(session, "up")
    session.terminal.write("\u{3}")
    #expect(session.terminal.wait { $0.lines.contains { $0.hasSuffix("caught") } })
    session.terminal.write("a\r")
    session.see("k <a>")
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.contains("interrupted") })
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C that a program has handled does not stop the command after the program's end")
  func interruptBeforeTheEnd() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    session.terminal.write(
      #"echo x | bash -c 'trap "echo caught" INT; cat >/dev/null; echo up; read k </dev/tty; "#
        + #"read k </dev/tty; echo "k <$k>"'"# + "\r")
    waitForProgram(session, "up")
    // All of it happens while opsh does not run.
    session.terminal.send(signal: SIGSTOP)
    session.terminal.write("\u{3}")
    #expect(session.terminal.wait { $0.lines.contains { $0.hasSuffix("caught") } })
    session.terminal.write("a\rb\r")
    session.see(/k <[ab]>/)
    let shell = session.terminal.processIdentifier
    #expect(eventually { state(ofChildOf: shell) == "Z" })
    session.terminal.send(signal: SIGCONT)
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.contains("interrupted") }, "\(session.screen.text)")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  /// The state of the only child of a process, as in /proc/PID/stat.
  private func state(ofChildOf process: Int32) -> Substring? {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    let children = (threads ?? []).compactMap { thread in
      try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
    }
    guard let child = children.joined().split(separator: " ").first,
      let stat = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
    else { return nil }
    return stat.split(separator: ")").last?.split(separator: " ").first
  }

  @Test("Text longer than the screen is paged, shorter text is not")
  func pager() throws {
    let session = try PromptSession(
      rows: 20, arguments: ["--no-rc", "--no-history"], environment: ["PAGER": Self.reader])
    session.enter("version")
    session.enter("for x in 1..30 { echo line $x }")
    session.see("line 30")
    #expect(!session.lines.contains { $0.hasPrefix("got ") })
    session.terminal.write("for x in 1..2 { help }\r")
    for turn in 1...2 {
      #expect(
        session.terminal.wait { $0.logicalLines.count { $0.hasPrefix("got ") } == turn },
        "\(session.screen.text)")
      session.terminal.write("\(turn)\r")
      session.see("key <\(turn)>")
    }
    session.waitForPrompt()
    session.enter("set pager off")
    session.enter("help")
    session.see("'help COMMAND' says how it is used")
    #expect(session.lines.count { $0.hasPrefix("got ") } == 2)
    session.enter("set pager on")
    session.enter("help --json > /dev/null")
    session.enter("set pager")
    #expect(session.lines.contains("on"))
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Output of a waiting command is shown at once")
  func waiting() throws {
    let session = try PromptSession(
      rows: 10, arguments: ["--no-rc", "--no-history"], environment: ["PAGER": Self.reader])
    session.enter("run --name talk sh -c 'seq 100; exec sleep 60'")
    session.terminal.write("follow talk\r")
    #expect(session.terminal.wait { $0.lines.contains("100") }, "\(session.screen.text)")
    session.terminal.write("\u{3}")
    session.see("stopped following 'talk'")
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.hasPrefix("got ") })
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A script has no pager, even if its output is a terminal")
  func script() throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 10)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["-c", "set pager on; help"],
      environment: Opsh.environment(["PAGER": Self.reader]))
    #expect(terminal.waitForExit()?.status == 0)
    #expect(!terminal.screen.logicalLines.contains { $0.hasPrefix("got ") })
    #expect(terminal.screen.logicalLines.contains { $0.contains("'help COMMAND' says") })
  }

  @Test(
    "In a script, text of a program that ends no line stays, and what follows begins a row",
    arguments: [
      "!printf keepme; delay 1s; wait", "echo keepme | tr -d '\\n'; delay 1s; wait",
      "events off; !printf keepme; time { delay 1s }",
      "events off; echo keepme | tr -d '\\n'; delay 1s; wait; echo end",
    ])
  func unendedLine(_ script: String) throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 10)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["--no-rc", "-c", script],
      environment: Opsh.environment())
    #expect(terminal.waitForExit()?.status == 0)
    let lines = terminal.screen.lines
    #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces) == "keepme" }, "\(lines)")
  }

  @Test("If the pager is not installed, less is used; PAGER=cat disables paging")
  func choice() throws {
    let plain = try PromptSession(
      rows: 10, arguments: ["--no-rc", "--no-history"], environment: ["PAGER": "cat"])
    plain.enter("help")
    plain.see("'help COMMAND' says how it is used")
    plain.terminal.write("quit\r")
    plain.expectExit(0)
    let folder = try TemporaryFolder()
    // Without less, text is printed unpaged.
    let bare = try PromptSession(
      rows: 10, arguments: ["--no-rc", "--no-history"],
      environment: ["PAGER": "no-such-pager -x", "PATH": folder.path])
    bare.enter("help")
    bare.see("'help COMMAND' says how it is used")
    bare.terminal.write("quit\r")
    bare.expectExit(0)
    let less = try folder.write(
      "#!/bin/sh\necho \"less $*\"\nexec /bin/cat >/dev/null\n", to: "less")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: less)
    let found = try PromptSession(
      rows: 10, arguments: ["--no-rc", "--no-history"],
      environment: ["PAGER": "no-such-pager", "PATH": folder.path])
    found.enter("help")
    found.see("less -FRX")
    found.terminal.write("quit\r")
    found.expectExit(0)
  }

  @Test("'clear' clears the screen, and prints nothing without a terminal")
  func clear() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    session.enter("echo before")
    session.terminal.write("clear\r")
    #expect(
      session.terminal.wait {
        $0.lines.first == "opsh>" && !$0.lines.contains("before") && $0.marksPastes
      }, "\(session.screen.text)")
    session.enter("echo after")
    #expect(session.lines.contains("after"))
    session.terminal.write("quit\r")
    session.expectExit(0)
    let outcome = try Opsh.text("echo a; clear; echo b")
    #expect(outcome.output == "a\nb\n")
  }
}
