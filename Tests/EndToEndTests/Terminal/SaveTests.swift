import Foundation
import TestSupport
import Testing

@Suite("Saving typed lines as a script", .serialized, .timeLimit(.minutes(15)))
struct SaveTests {
  @Test("A saved script has the lines that ran, runs itself, and is overwritten only on request")
  func roundTrip() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(columns: 200, home: home)
    session.enter("delay 1ms --name first")
    session.enter("dilay 1s")
    session.enter("wait")
    session.enter("echo kept")
    session.enter(" echo private")
    session.enter("help wait")
    session.enter("save \(home.path)/lesson.opsh")
    session.see(#/3 lines in/#)
    session.enter("save \(home.path)/lesson.opsh")
    session.see(#/error: .*is there already/#)
    session.enter("save \(home.path)/lesson.opsh --last 1 --replace")
    session.see(#/1 line in/#)
    session.enter("save \(home.path)/whole.opsh")
    session.see(#/3 lines in '.*whole/#)
    session.terminal.write("quit\r")
    session.expectExit(0)
    let script = "#!/usr/bin/env opsh\n\ndelay 1ms --name first\nwait\necho kept\n"
    #expect(home.read("whole.opsh") == script)
    #expect(home.read("lesson.opsh") == "#!/usr/bin/env opsh\n\necho kept\n")
    let outcome = try Opsh.run([home.path + "/whole.opsh"])
    #expect(outcome.status == 0)
    #expect(outcome.output == "kept\n")
  }

  @Test("If an operation finished before the next line, the script waits for it")
  func waits() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(columns: 200, home: home)
    session.enter("delay 1ms --name first")
    session.see(#/first +executing → finished/#)
    session.enter("block { fail 'broken' }")
    session.see(#/block-1 +executing → finished/#)
    session.enter("queue pause")
    session.enter("delay 1ms --name held")
    session.enter("echo (first.outcome) (block-1.outcome) (held.state)")
    session.enter("save \(home.path)/lesson.opsh")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
    let script = """
      #!/usr/bin/env opsh

      delay 1ms --name first
      wait first --any-outcome
      block { fail 'broken' }
      wait block-1 --any-outcome
      queue pause
      delay 1ms --name held
      echo (first.outcome) (block-1.outcome) (held.state)

      """
    #expect(home.read("lesson.opsh") == script)
    let outcome = try Opsh.run(["-c", "source '\(home.path)/lesson.opsh'; queue resume"])
    #expect(outcome.output == "succeeded failed ready\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A script that needs omitted lines is written, with a message about what is missing")
  func incomplete() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(columns: 200, home: home)
    session.enter("let count = 3")
    session.enter("echo $count")
    session.enter("save \(home.path)/part.opsh --last 1")
    session.see(#/part.opsh:3:6: error:/#)
    session.terminal.write("quit\r")
    session.expectExit(0)
    #expect(home.read("part.opsh")?.hasSuffix("echo $count\n") == true)
  }

  @Test("Single statements are omitted, not lines, and the script is checked as for a run")
  func statements() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(home: home, directory: home.path)
    session.enter("version; delay 5ms; help wait")
    session.enter("save a.opsh; delay 1ms --name later")
    session.enter("wait; history")
    session.enter("wait later --any-outcome; save b.opsh")
    session.enter("save c.opsh --last 2")
    session.see(#/c.opsh:4:6: error: there is no operation 'later'/#)
    session.terminal.write("quit\r")
    session.expectExit(0)
    #expect(home.read("a.opsh") == "#!/usr/bin/env opsh\n\ndelay 5ms\n")
    let script = try #require(home.read("c.opsh"))
    #expect(script == "#!/usr/bin/env opsh\n\nwait\nwait later --any-outcome\n")
  }

  @Test("Definitions of the startup file that the script uses are at its start")
  func startup() throws {
    let home = try TemporaryFolder()
    try home.write(
      "alias soon = delay 1ms\nalias other = echo x\ndef twice text { say $text; say $text }\ndef say text { echo $text }\n",
      to: ".config/opsh/rc")
    let session = try PromptSession(columns: 200, home: home)
    session.enter("soon --name first; wait; twice hello")
    session.enter("save \(home.path)/lesson.opsh")
    session.see(#/1 line in/#)
    session.terminal.write("quit\r")
    session.expectExit(0)
    let outcome = try Opsh.run([home.path + "/lesson.opsh"])
    #expect(outcome.output == "hello\nhello\n")
    #expect(outcome.status == 0, "\(outcome.errors)\n\(home.read("lesson.opsh") ?? "")")
    #expect(home.read("lesson.opsh")?.contains("other") == false)
  }

  @Test("An unwritable path is an error, and the session continues")
  func unwritable() throws {
    let session = try PromptSession()
    session.enter("save nowhere.opsh")
    session.see(#/error: no command was typed yet/#)
    session.enter("echo one")
    session.enter("save /dev/full/lesson.opsh")
    session.see(#/.dev/full/lesson.opsh.: Not a directory/#)
    session.enter("echo still here")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test(
    "With --keep-going the script has only the statements that succeeded",
    arguments: ["-", "-c", "script.opsh"])
  func keepsGoing(_ program: String) throws {
    let folder = try TemporaryFolder()
    let lines = [
      "# about", "delay 1ms --name s1", "bogus", "cancel nosuch", "fail \"x\"",
      "echo (1 / 0); echo kept",
      "wait",
      "save saved.opsh",
    ]
    let text = lines.joined(separator: "\n")
    _ = try folder.write(text, to: "script.opsh")
    let outcome = try Opsh.run(
      ["-k", program] + (program == "-c" ? [text] : []), input: text, directory: folder.path)
    #expect(outcome.status != 0)
    #expect(
      folder.read("saved.opsh")
        == "#!/usr/bin/env opsh\n\n# about\ndelay 1ms --name s1\necho kept\nwait\n",
      "\(outcome.errors)")
  }

  @Test("The separator before 'save' is not saved")
  func separator() throws {
    let folder = try TemporaryFolder()
    let outcome = try Opsh.run(["-c", "echo a; echo b; save saved.opsh"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.read("saved.opsh") == "#!/usr/bin/env opsh\n\necho a; echo b\n")
  }
}
