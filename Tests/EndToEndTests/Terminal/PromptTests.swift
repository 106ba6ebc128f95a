import Foundation
import TestSupport
import Testing

@Suite("The prompt", .serialized, .timeLimit(.minutes(15)))
struct PromptTests {
  @Test("The greeting is wrapped between words", arguments: [40, 60])
  func greeting(columns: Int) throws {
    let session = try PromptSession(columns: columns)
    let rows = session.screen.lines.prefix { !$0.hasPrefix("opsh>") }
    let words = rows.flatMap { $0.split(separator: " ") }
    #expect(rows.count > 1 && words.first == "opsh", "\(rows)")
    #expect(
      words.joined(separator: " ").hasSuffix(
        ", the operation shell. 'help' shows where to begin, Ctrl-D leaves."), "\(rows)")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test(
    "A word that stands for a line and was not replaced names the keys that replace it",
    arguments: ["!!", "!$", "!12", "!-2", "!?x", "let x = !!"])
  func historyWords(line: String) throws {
    let session = try PromptSession()
    session.enter(line)
    session.see("[history-word]")
    session.see("help: press Tab or Space after it; 'history' lists the lines")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("With anything else after it, '!' runs a program at the prompt")
  func programs() throws {
    let folder = try TemporaryFolder()
    for name in ["12a", "2-", "12"] {
      _ = try folder.write(
        "#!/bin/sh\necho ran $0 | sed 's,/.*/,,'\n", to: name, permissions: 0o755)
    }
    let session = try PromptSession(
      environment: ["PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin"])
    for name in ["12a", "2-"] {
      session.enter("!\(name)")
      session.see("ran \(name)")
    }
    session.enter("! 12")
    session.see("ran 12")
    session.enter("!true!")
    session.see("[exit-status(127)]")
    session.terminal.write("quit\r")
    session.expectExit(0)
    let script = try Opsh.run(
      ["-c", "!12"], environment: ["PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin"])
    #expect(script.output == "ran 12\n")
  }

  @Test("A history that can't be written is said once, before the next prompt")
  func unwritableHistory() throws {
    let home = try TemporaryFolder()
    _ = try home.write("", to: "state")
    let session = try PromptSession(
      columns: 200, environment: ["XDG_STATE_HOME": home.path + "/state"], home: home)
    let text =
      "opsh: lines are not stored: cannot write to the history '\(home.path)/state/opsh/history'"
    session.enter("echo one")
    session.see(text)
    session.enter("echo two")
    session.enter("echo three")
    #expect(session.lines.count { $0.hasPrefix(text) } == 1)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A line with the text of a secret variable or parameter never comes into the history")
  func secretLines() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(home: home)
    session.enter("def login user password { echo $user }")
    session.enter("login ada hunter22-x")
    session.enter("let token = 'geheim-91'")
    session.enter("echo sk-abcd1234abcd1234 geheim-91")
    session.see("*********** *********")
    session.enter("echo last")
    session.enter("history")
    session.terminal.write("quit\r")
    session.expectExit(0)
    let history = try #require(home.read(".local/state/opsh/history"))
      .replacing(#/\\@\d+ /#, with: "")
    #expect(
      history == "def login user password { echo $user }\necho last\nhistory\nquit\n")
  }

  @Test("Ctrl-C at the prompt clears the line and cancels nothing")
  func interruptAtPrompt() throws {
    let session = try PromptSession()
    session.enter("delay 60s --name long")
    session.see(/long +ready → executing/)
    session.type("echo never")
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    session.see("opsh*> echo never^C")
    session.enter("expect (long.state == executing)")
    session.see("met: ")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C during a wait stops the wait only")
  func interruptInWait() throws {
    let session = try PromptSession()
    session.enter("delay 60s --name long")
    for command in ["wait", "wait long", "wait queue network", "expect (1 == 2) within 60s"] {
      session.terminal.write(command + "\r")
      session.see("opsh*> " + command)
      #expect(session.terminal.wait { !$0.marksPastes }, "the command runs")
      session.terminal.write("\u{3}")
      session.waitForPrompt()
    }
    #expect(session.lines.contains { $0.contains(/stopped waiting.*long.*'cancel.*'/) })
    session.enter("expect (long.state == executing)")
    session.see("met: ")
    session.terminal.write("cancel all; quit\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C ends a loop and a sleep that run at the prompt")
  func interruptLoop() throws {
    let session = try PromptSession()
    for command in ["while (true) { }", "sleep 60s", "repeat 1000000 { sleep 1ms }"] {
      session.terminal.write(command + "\r")
      #expect(session.terminal.wait { !$0.marksPastes }, "the command runs")
      session.terminal.write("\u{3}")
      session.waitForPrompt()
    }
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("The prompt shows virtual time, and Ctrl-C stops many steps between two of them")
  func interruptSteps() throws {
    let session = try PromptSession()
    session.enter("set clock virtual; events off")
    session.see("opsh 0.000>")
    session.enter("delay 1500ms; next")
    session.see("opsh 1.500>")
    session.enter("block { while (true) { delay 1s; sleep 1s } }; queue pause")
    session.see(/opsh\*? 1\.500 \[network paused/)
    session.enter("queue resume")
    session.terminal.write("next 1000000\r")
    #expect(session.terminal.wait { !$0.marksPastes }, "the command runs")
    // Before its first step Ctrl-C would end the line, not the steps.
    session.terminal.wait(.milliseconds(200))
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    #expect(session.lines.contains { $0.contains(/stopped after [\d,]+ steps?, at [\d.]+$/) })
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A resting prompt does not let virtual time pass, with handlers and bodies")
  func restsInVirtualTime() throws {
    let session = try PromptSession()
    session.enter("set clock virtual; delay 1s --name a; block --name b { sleep 1s; echo body }")
    session.enter("on a b finished { echo $self.name has ended }")
    #expect(!session.terminal.wait(timeout: .milliseconds(600)) { $0.text.contains("a has ended") })
    session.enter("ops; echo still")
    #expect(!session.terminal.wait(timeout: .milliseconds(300)) { $0.text.contains("a has ended") })
    session.enter("next")
    session.see("a has ended")
    #expect(!session.terminal.wait(timeout: .milliseconds(300)) { $0.text.contains("b has ended") })
    session.enter("next")
    session.see("b has ended")
    session.see("opsh 1.000>")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A plain prompt shows virtual time")
  func plainPrompt() throws {
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["--no-rc", "--no-history"],
      environment: Opsh.environment(["TERM": "dumb"]))
    #expect(terminal.wait { $0.cursorLine == "opsh>" })
    terminal.write("set clock virtual; events off; delay 2s; next\r")
    #expect(terminal.wait { $0.cursorLine == "opsh 2.000>" }, "\(terminal.screen.text)")
    terminal.write("quit\r")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test("Ctrl-D with running operations asks; the second time it waits for them")
  func endOfInput() throws {
    let session = try PromptSession()
    session.enter("delay 2s --name work")
    session.terminal.write("\u{4}")
    session.see("work")
    session.see("wait, cancel or stay?")
    session.terminal.write("\u{4}")
    session.expectExit(0)
    #expect(session.lines.contains { $0.contains(/work +executing → finished/) })
  }

  @Test(
    "'quit' with running operations offers to stay or to cancel, and leaves once they have ended")
  func quitAsks() throws {
    let session = try PromptSession()
    session.enter("delay 1h --name work; delay 1h --name later")
    for answer in ["stay", "s", ""] {
      session.terminal.write("quit\r")
      #expect(session.terminal.wait { $0.cursorLine == "wait, cancel or stay?" })
      session.terminal.write(answer + "\r")
      session.waitForPrompt()
    }
    // Another line is run.
    session.terminal.write("quit\r")
    #expect(session.terminal.wait { $0.cursorLine == "wait, cancel or stay?" })
    session.terminal.write("cancel work\r")
    session.see(/work +executing → finished +. cancelled/)
    session.waitForPrompt()
    session.terminal.write("\u{4}")
    #expect(session.terminal.wait { $0.cursorLine == "wait, cancel or stay?" })
    session.terminal.write("cancel\r")
    session.expectExit(0)
    #expect(session.lines.contains { $0.contains("later") && $0.contains("cancelled") })

    let brief = try PromptSession()
    brief.enter("delay 2s --name work")
    brief.terminal.write("quit\r")
    brief.see("wait, cancel or stay?")
    brief.expectExit(0)
    #expect(brief.lines.contains { $0.contains(/work +executing → finished/) })
  }

  @Test("Ctrl-D without running operations leaves at once")
  func endOfInputIdle() throws {
    let session = try PromptSession()
    session.enter("delay 1ms --hold")
    session.terminal.write("\u{4}")
    session.expectExit(0)
  }

  @Test(
    "At the prompt an error is shown with a caret and ends nothing; the final status is still 0")
  func errors() throws {
    let session = try PromptSession()
    session.enter("ecko x")
    session.see(#/^error: there is no command 'ecko' \[unknown-command\]$/#)
    session.see("did you mean 'echo'?")
    session.enter("show nobody")
    session.see(#/^error: there is no operation 'nobody' \[unknown-operation\]$/#)
    session.see(#/^ {7}\^~{5}$/#)
    session.enter("explain")
    session.see(#/^unknown-operation: /#)
    session.terminal.write("if (true) {\recko x\r}\r")
    session.see(#/^<prompt>:2:1: error: there is no command 'ecko' \[unknown-command\]$/#)
    session.enter("echo still here")
    session.see("still here")
    session.terminal.write("quit\r")
    session.expectExit(0)
    let other = try PromptSession()
    other.enter("ecko x")
    other.terminal.write("exit 5\r")
    other.expectExit(5)
  }

  @Test("At the prompt a deadlocked wait shows a warning and continues")
  func stuckWait() throws {
    let session = try PromptSession()
    session.enter("queue pause")
    session.enter("delay 1ms --name stuck")
    session.terminal.write("wait\r")
    session.see("paused")
    session.see("Ctrl-C stops waiting")
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("'quit' says at once what it waits for, and Ctrl-C cancels that")
  func quitWaits() throws {
    let session = try PromptSession()
    session.enter("delay 1h --name long")
    session.terminal.write("quit\r")
    session.see("opsh: waiting for long; Ctrl-C cancels, as 'quit --now' does")
    session.terminal.write("\u{3}")
    session.expectExit(130)

    let other = try PromptSession()
    other.enter("queue pause")
    other.enter("delay 1h --name stuck")
    other.terminal.write("quit\r")
    other.expectExit(0)
    #expect(!other.lines.contains { $0.contains("waiting for") }, "\(other.lines)")
  }

  @Test("Of a pasted block, what ran before an error is saved, and the rest is named")
  func pastedBlock() throws {
    let folder = try TemporaryFolder()
    let session = try PromptSession(directory: folder.path)
    session.terminal.write("\u{1B}[200~echo one\ncancel none\necho three\u{1B}[201~\r")
    session.see("opsh: not run: 'echo three'")
    session.waitForPrompt()
    session.terminal.write("\u{1B}[200~echo four\necho five\u{1B}[201~\r")
    session.see("> echo four")
    session.waitForPrompt()
    session.enter("save kept.opsh")
    session.see("3 lines in 'kept.opsh'")
    session.terminal.write("quit\r")
    session.expectExit(0)
    #expect(
      folder.read("kept.opsh") == "#!/usr/bin/env opsh\n\necho one\necho four\necho five\n")
  }

  @Test("An unfinished statement continues on the next line")
  func continuation() throws {
    let session = try PromptSession()
    session.terminal.write("if (true) {\r")
    session.terminal.write("echo \"first\r")
    session.terminal.write("second\" }\r")
    session.see("second\" }")
    session.waitForPrompt()
    let index = session.lines.lastIndex(of: "first")
    #expect(index.map { session.lines[$0 + 1] } == "second")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test(
    "A signal ends the prompt with 128 plus its number and restores the terminal",
    arguments: [SIGTERM, SIGHUP])
  func signals(number: Int32) throws {
    let session = try PromptSession()
    let side = try session.terminal.openProgramSide()
    defer { close(side) }
    session.enter("delay 60s --name long")
    session.type("half a li")
    session.terminal.send(signal: number)
    session.expectExit(128 + number)
    #expect(session.lines.contains { $0.contains(/long +executing → finished/) })
    #expect(!session.screen.marksPastes)
    var mode = termios()
    tcgetattr(side, &mode)
    #expect(mode.c_lflag & tcflag_t(ECHO) != 0)
    #expect(mode.c_lflag & tcflag_t(ICANON) != 0)
  }

  @Test("quit restores the terminal")
  func restored() throws {
    let session = try PromptSession()
    let side = try session.terminal.openProgramSide()
    defer { close(side) }
    session.terminal.write("quit\r")
    session.expectExit(0)
    #expect(!session.screen.marksPastes)
    var mode = termios()
    tcgetattr(side, &mode)
    #expect(mode.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG))
    #expect(mode.c_iflag & tcflag_t(ICRNL) != 0)
  }

  @Test("Ctrl-Z restores the terminal, and fg shows the line again")
  func stopAndResume() throws {
    let home = try TemporaryFolder()
    let terminal = try PromptSession.underShell(home: home)
    terminal.write("echo ha")
    #expect(terminal.wait { $0.cursorLine == "opsh> echo ha" })
    terminal.write("\u{1A}")
    #expect(terminal.wait { $0.cursorLine == "shell$" }, "\(terminal.screen.text)")
    terminal.write("echo $((6 * 7))\r")
    #expect(terminal.wait { $0.lines.contains("42") }, "the shell works")
    terminal.write("fg\r")
    #expect(terminal.wait { $0.cursorLine == "opsh> echo ha" }, "\(terminal.screen.text)")
    terminal.write("lf\r")
    #expect(terminal.wait { $0.lines.contains("half") })
    // Also while a command runs.
    #expect(terminal.wait { $0.cursorLine == "opsh>" && $0.marksPastes })
    terminal.write("sleep 2s; echo over\r")
    #expect(terminal.wait { !$0.marksPastes })
    terminal.write("\u{1A}")
    #expect(terminal.wait { $0.cursorLine == "shell$" }, "\(terminal.screen.text)")
    terminal.write("fg\r")
    #expect(terminal.wait { $0.lines.contains("over") }, "\(terminal.screen.text)")
    #expect(terminal.wait { $0.cursorLine == "opsh>" && $0.marksPastes })
    terminal.write("quit\r")
    #expect(terminal.wait { $0.cursorLine == "shell$" })
    terminal.write("exit $?\r")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test("A resize keeps the line, and tables fit the new width")
  func resize() throws {
    let session = try PromptSession(columns: 100, rows: 24)
    session.enter("fetch questions --pagesize 5; wait")
    let line = "echo one two three four five six seven eight nine ten eleven twelve"
    session.type(line)
    for columns in [50, 40, 120] {
      session.terminal.resize(columns: columns, rows: 24)
      #expect(
        session.terminal.wait { _ in session.editedLine == "opsh> " + line },
        "\(columns): \(session.editedLine)")
    }
    session.terminal.write("!")
    #expect(session.terminal.wait { _ in session.editedLine == "opsh> " + line + "!" })
    session.terminal.write("\r")
    session.waitForPrompt()
    session.terminal.resize(columns: 60, rows: 24)
    session.enter("result last")
    let start = session.screen.allLines.lastIndex { $0.contains("result last") } ?? 0
    let table = session.screen.allLines[(start + 1)...].prefix { !$0.hasPrefix("opsh") }
    // The titles go below the rows: five columns beside them have no room.
    let title = "    Does select {} block the calling thread?"
    #expect(table.contains(title), "\(table)")
    #expect(table.allSatisfy { $0.count <= 60 } && table.count < 17, "\(table)")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("-i continues at the prompt after a program, with its variables and operations")
  func staysInteractive() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "let greeting = \"from the script\"\ndelay 1ms --name made\n", to: "x")
    for arguments in [["-i", file], ["-i", "-c", "let greeting = \"from the script\""]] {
      let session = try PromptSession(arguments: arguments)
      session.enter("echo $greeting")
      #expect(session.lines.contains("from the script"))
      #expect(!session.lines.contains { $0.contains("warning") })
      session.terminal.write("quit\r")
      session.expectExit(0)
    }
  }

  struct Completion: Sendable, CustomTestStringConvertible {
    let typed: String
    let line: String
    var testDescription: String { typed.debugDescription }
  }

  @Test("Tab completes commands, options, choices, live names, variables and files")
  func completion() throws {
    let home = try TemporaryFolder()
    let file = try home.write("", to: "script-of-mine.opsh")
    let session = try PromptSession(home: home)
    session.enter("delay 60s --name long-one")
    session.enter("queue new sideways")
    session.enter("let greeting = 1")
    for test in [
      Completion(typed: "apr\t", line: "apropos"),
      Completion(typed: "queue pau\t", line: "queue pause"),
      Completion(typed: "fetch questions --pagesi\t", line: "fetch questions --pagesize"),
      Completion(typed: "priority long-one veryH\t", line: "priority long-one veryHigh"),
      Completion(typed: "cancel lon\t", line: "cancel long-one"),
      Completion(typed: "queue pause side\t", line: "queue pause sideways"),
      Completion(typed: "echo $gree\t", line: "echo $greeting"),
      Completion(typed: "echo x; canc\t", line: "echo x; cancel"),
      Completion(typed: "source \(home.path)/script-\t", line: "source \(file)"),
      // The text after the cursor stays.
      Completion(typed: "apr x\u{1B}[D\u{1B}[D\t", line: "apropos x"),
    ] {
      session.terminal.write(test.typed)
      #expect(
        session.terminal.wait { _ in session.editedLine == "opsh> " + test.line },
        "\(test.typed.debugDescription): \(session.editedLine)")
      session.terminal.write("\u{3}")
      session.waitForPrompt()
    }
    // Several candidates are listed below the line with descriptions.
    session.terminal.write("queue re\t")
    session.see(/^  resume +Resumes a/)
    session.see(/^  remove +Removes an empty/)
    #expect(session.terminal.wait { _ in session.editedLine == "opsh> queue re" })
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("--events selects the stream of transitions, also at the prompt")
  func eventsOff() throws {
    let session = try PromptSession(arguments: ["--events", "off"])
    session.enter("delay 1ms; wait; echo waited")
    #expect(session.lines.contains("waited"))
    #expect(!session.lines.contains { $0.contains("→") })
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Control characters in names and text are escaped")
  func hostileText() throws {
    let session = try PromptSession()
    session.enter("echo \"a\\u{1B}[31mb\\u{7}\"")
    session.see("a^[[31mb^G")
    session.enter("block { fail \"no\\u{1B}]0;x\\u{7}\" }; wait --any-outcome")
    session.see("no^[]0;x^G")
    #expect(session.screen.bells == 0)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }
}
