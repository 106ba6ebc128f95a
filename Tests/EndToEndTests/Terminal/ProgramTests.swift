import Foundation
import TestSupport
import Testing

@Suite("Programs started with '!'", .serialized, .timeLimit(.minutes(15)))
struct ProgramTests {
  @Test("At the prompt a program has the terminal; it receives Ctrl-C, and queues continue")
  func ownsTerminal() throws {
    let session = try PromptSession()
    session.enter("!test -t 0 && test -t 1 && echo terminal; echo ours")
    session.see("terminal")
    session.see("ours")
    // The program reads input in a terminal with echo and line buffering.
    session.enter("delay 100ms --name meanwhile")
    session.terminal.write("!echo ready && read x && echo \"got <$x>\"\r")
    #expect(session.terminal.wait { $0.lines.contains("ready") && !$0.marksPastes })
    session.terminal.write("some text\r")
    session.see("got <some text>")
    session.waitForPrompt()
    session.see(/meanwhile +executing → finished/)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C ends the program and the line, but not opsh and its operations")
  func interrupt() throws {
    let session = try PromptSession()
    session.enter("delay 60s --name long")
    // With 'exec', because dash ignores a signal that comes while it forks.
    session.terminal.write("!echo up && exec sleep 60; echo \"never-${1 + 1}\"\r")
    #expect(session.terminal.wait { $0.lines.contains("up") })
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    session.see("interrupted")
    #expect(!session.lines.contains("never-2"))
    session.enter("expect (long.state == executing)")
    session.see("met: ")
    // A program that ignores the signal receives it as well; opsh does not.
    session.terminal.write(
      "!exec sh -c \"trap 'echo caught; exit 4' INT; echo set; while :; do sleep 0.05; done\"\r")
    #expect(session.terminal.wait { $0.lines.contains("set") })
    session.terminal.write("\u{3}")
    session.see("ended with status 4")
    session.waitForPrompt()
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("After a program that is not there, typed keys do not appear in the output")
  func missing() throws {
    let session = try PromptSession()
    session.terminal.write("try { help | nosuchprogram } catch e { echo caught }; sleep 60s\r")
    session.see("caught")
    session.terminal.write("typed")
    session.terminal.pump(for: .milliseconds(200))
    #expect(!session.lines.contains { $0.contains("typed") }, "\(session.screen.text)")
    session.terminal.write("\u{3}")
    session.waitForPrompt()
  }

  @Test("Ctrl-C ends an endless pipe and a pipe that blocks a command")
  func interruptsPipe() throws {
    let session = try PromptSession()
    session.enter("def talk { while (true) { echo line } }")
    for pipe in [
      "echo a | yes > /dev/null", "talk | sleep 60", "echo a | sh -c 'trap \"\" INT; sleep 60'",
    ] {
      session.terminal.write("\(pipe); echo \"never-${1 + 1}\"\r")
      #expect(
        session.terminal.wait { !$0.marksPastes && !$0.cursorLine.hasPrefix("opsh") },
        "\(session.screen.text)")
      session.terminal.write("\u{3}")
      session.waitForPrompt()
    }
    #expect(session.lines.count { $0.contains("interrupted") } == 3, "\(session.screen.text)")
    #expect(!session.lines.contains("never-2"))
    session.enter("!cat /proc/$PPID/task/*/children | wc -w")
    #expect(session.lines.contains("1"), "\(session.screen.text)")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("The terminal mode is restored after a program, and the prompt starts a new line")
  func restores() throws {
    let session = try PromptSession()
    session.enter("!stty raw -echo && printf 'no line break'")
    #expect(session.screen.lines.contains("no line break"), "\(session.screen.text)")
    session.type("echo edited")
    session.terminal.write("\r")
    session.see("edited")
    session.waitForPrompt()
    session.enter("!stty -a | grep -o -e ' icanon' -e ' echo '")
    session.see("icanon")
    session.enter("!kill -9 $$")
    session.see("signal 9")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Events during a program are shown after its end")
  func holdsBack() throws {
    let session = try PromptSession()
    session.enter("delay 50ms --name early --hold")
    session.terminal.write(
      "start early; !sh -c 'for i in 1 2 3; do sleep 0.1; printf \"$i.\"; done'; echo\r")
    session.waitForPrompt()
    session.see("1.2.3.")
    session.see(/early +executing → finished/)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Ctrl-Z stops the program and opsh as one job, and fg resumes both")
  func stopAndResume() throws {
    let home = try TemporaryFolder()
    let terminal = try PromptSession.underShell(home: home)
    terminal.write("!echo up && read x && echo \"got <$x>\"\r")
    #expect(terminal.wait { $0.lines.contains("up") })
    terminal.write("\u{1A}")
    #expect(terminal.wait { $0.cursorLine == "shell$" }, "\(terminal.screen.text)")
    terminal.write("echo $((6 * 7))\r")
    #expect(terminal.wait { $0.lines.contains("42") }, "the shell works")
    #expect(terminal.wait { $0.cursorLine == "shell$" })
    terminal.write("fg\r")
    #expect(
      terminal.wait { $0.lines.last { !$0.isEmpty } == "\"$OPSH\"" }, "\(terminal.screen.text)")
    terminal.write("back\r")
    #expect(terminal.wait { $0.lines.contains("got <back>") }, "\(terminal.screen.text)")
    #expect(terminal.wait { $0.cursorLine == "opsh>" && $0.marksPastes }, "\(terminal.screen.text)")
    terminal.write("quit\r")
    #expect(terminal.wait { $0.cursorLine == "shell$" })
    terminal.write("exit $?\r")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test("In a script a program has the script's input and output, and its failure fails the script")
  func inScript() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("!cat; exit 3\necho never\n", to: "script.opsh")
    let outcome = try Opsh.run([file, "one"], input: "text\n")
    #expect(outcome.output == "text\n")
    #expect(outcome.status == 3, "After the semicolon 'exit' is a command of opsh")
    let failed = try Opsh.text("!echo out; !exit 5; echo never", options: ["--json"])
    #expect(failed.status == 1)
    #expect(failed.errors.contains("out\n"))
    let lines = JSONContract.lines(of: failed)
    #expect(lines.first { $0.type == "error" }?.string("code") == "exit-status(5)")
    // A program can't read standard input if the script is read from it.
    let typed = try Opsh.run([], input: "!cat; echo \"$#\"\necho after\n")
    #expect(typed.output == "0\nafter\n")
    let virtual = try Opsh.text("set clock virtual; !echo never")
    #expect(virtual.status == 2)
    #expect(virtual.errors.contains("which the virtual clock can't control"))
    let late = try Opsh.text("!sleep 60", options: ["--timeout", "100ms"])
    #expect(late.status == 124)
    #expect(late.errors.contains("longer than --timeout"))
  }

  @Test("A signal that ends a script ends the program that the script waits for")
  func signal() throws {
    let child = try Opsh.start(["-c", "!echo $$ && exec sleep 60"])
    #expect(child.read { output, _ in output.hasSuffix("\n") })
    child.send(signal: SIGTERM)
    let outcome = child.communicate()
    #expect(outcome.status == 128 + SIGTERM)
    let process = try #require(
      Int32(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) != 0, "it has ended")
  }

  @Test("In a body, a handler and a transcript, program output is processed line by line")
  func collected() throws {
    let outcome = try Opsh.text(
      """
      let who = 'world'
      block --name b { !printf 'hello %s\\nend' "$who" }
      on b finished { !echo "after $self" }
      wait
      """)
    #expect(outcome.output == "hello world\nend\nafter b\n", "\(outcome.errors)")
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "opsh> !echo one && echo two >&2\none\ntwo\nopsh> echo ours\nours\n", to: "t.transcript")
    let test = try Opsh.run(["--test", file])
    #expect(test.status == 0, "\(test.output) \(test.errors)")
  }
}
