import Foundation
import TestSupport
import Testing

@Suite("Scripts and transcripts as tests", .timeLimit(.minutes(15)))
struct TestRunTests {
  private static let good = "opsh> delay 5ms; wait\n…\nopsh> echo one\none\n"
  private static let bad = "# kept\nopsh> echo one\nuno\n\nopsh> echo two\ntwo\n"

  @Test("Each file is reported in TAP and in JUnit XML, and the worst result sets the status")
  func reports() throws {
    let folder = try TemporaryFolder()
    try folder.write("expect (1 == 1)\n", to: "good.opsh")
    try folder.write("echo before\nexpect (1 == 2) because 'it <is> wrong'\n", to: "bad.opsh")
    try folder.write(Self.good, to: "good.transcript")
    try folder.write(Self.bad, to: "bad.transcript")
    let failed = try Opsh.run(
      ["--test", "good.opsh", "bad.opsh", "good.transcript", "bad.transcript"],
      directory: folder.path)
    #expect(failed.status == 1, "\(failed.output)\(failed.errors)")
    let lines = failed.outputLines
    #expect(lines.prefix(2) == ["TAP version 14", "1..4"])
    #expect(lines.contains("ok 1 - good.opsh"))
    #expect(lines.contains("not ok 2 - bad.opsh"))
    #expect(lines.contains("ok 3 - good.transcript"))
    #expect(lines.contains("not ok 4 - bad.transcript"))
    #expect(lines.contains { $0.contains("line 2: the output differs") })
    #expect(lines.contains("    -uno"))
    #expect(lines.contains("    +one"))
    #expect(failed.errors.contains("2 passed, 2 failed"))
    #expect(folder.read("bad.transcript") == Self.bad, "only --update rewrites")

    try folder.write("echo (\n", to: "wrong.opsh")
    try folder.write("opsh> repeat 2 {\nno\n", to: "wrong.transcript")
    let all = try Opsh.run(
      ["--test", "--junit", "report.xml", ".", "missing.opsh"], directory: folder.path)
    #expect(all.status == 2)
    #expect(all.outputLines.contains("1..7"))
    #expect(all.output.contains("./wrong.transcript:1:"))
    let report = try #require(folder.read("report.xml"))
    #expect(report.contains("tests=\"7\" failures=\"2\" errors=\"3\""))
    #expect(report.components(separatedBy: "<failure message=").count == 3)
    #expect(report.components(separatedBy: "<error message=").count == 4)
    #expect(report.contains("&lt;is&gt;"))
    let document = try XMLCheck.names(in: report)
    #expect(document.filter { $0 == "testcase" }.count == 7)
  }

  @Test("A script that passes without an expectation is remarked on, in JUnit XML as well")
  func withoutExpectation() throws {
    let folder = try TemporaryFolder()
    let scripts = [
      "a": "echo hi\n", "b": "def f { repeat 2 { time expect (1 == 1) } }\nf\n",
      "c": "source lib/expects.opsh\n", "d": "source lib/silent.opsh\n", "e": "fail no\n",
      "f": "delay 1ms\nnever (last.error) until (last.finished)\n",
    ]
    for (name, text) in scripts { try folder.write(text, to: "\(name).opsh") }
    try folder.write("echo \"expect nothing\"\n", to: "lib/silent.opsh")
    try folder.write("source silent.opsh\nexpect (1 == 1)\n", to: "lib/expects.opsh")
    try folder.write(Self.good, to: "good.transcript")
    let outcome = try Opsh.run(
      ["--test", "--junit", "report.xml"] + ["a", "b", "c", "d", "e", "f"].map { $0 + ".opsh" }
        + ["good.transcript"], directory: folder.path)
    #expect(outcome.status == 1)
    let results = outcome.outputLines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") }
    #expect(
      results == [
        "ok 1 - a.opsh # no expectation", "ok 2 - b.opsh", "ok 3 - c.opsh",
        "ok 4 - d.opsh # no expectation", "not ok 5 - e.opsh", "ok 6 - f.opsh",
        "ok 7 - good.transcript",
      ])
    let report = try #require(folder.read("report.xml"))
    #expect(report.components(separatedBy: "<system-out>no expectation</system-out>").count == 3)
    #expect(try XMLCheck.names(in: report).count { $0 == "testcase" } == 7)
  }

  @Test("A report has the last lines of a failed script, one message, and its name without a '#'")
  func details() throws {
    let folder = try TemporaryFolder()
    try folder.write("for i in 1..60 { echo \"line $i\" }\nexpect (1 == 2)\n", to: "long#1.opsh")
    try folder.write("opsh> quit\nopsh> echo one\none\n", to: "short.transcript")
    try folder.write(
      "opsh> echo a\nb\nopsh> echo a\na\nopsh> echo a\nc\n", to: "twice.transcript")
    let outcome = try Opsh.run(
      ["--test", "long#1.opsh", "short.transcript", "twice.transcript"], directory: folder.path)
    #expect(outcome.status == 1)
    let lines = outcome.outputLines
    #expect(lines.contains("not ok 1 - long\\#1.opsh"), "\(outcome.output)")
    #expect(lines.contains("    line 21") && !lines.contains("    line 20"))
    let messages = lines.filter { $0.hasPrefix("  message: ") }.dropFirst()
    #expect(
      messages == [
        "  message: \"line 1: the session ended here, and lines follow\"",
        "  message: \"line 1: the output differs, and 1 more\"",
      ])
  }

  @Test("'--update' leaves a transcript as it is whose time was over")
  func updateWithoutEnd() throws {
    let folder = try TemporaryFolder()
    let text = "opsh> echo one\nuno\nopsh> while (true) { }\n"
    let path = try folder.write(text, to: "endless.transcript")
    let outcome = try Opsh.run(["--test", "--update", "--test-timeout", "500ms", path])
    #expect(outcome.status == 1)
    #expect(folder.read("endless.transcript") == text)
  }

  @Test("'--update' rewrites only differences")
  func updates() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.bad, to: "bad.transcript", permissions: 0o640)
    let outcome = try Opsh.run(["--test", "--update", "bad.transcript"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.outputLines.contains("ok 1 - bad.transcript # updated"))
    #expect(outcome.outputLines.contains("    -uno"))
    #expect(folder.read("bad.transcript") == Self.bad.replacing("uno", with: "one"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try Opsh.run(["--test", path]).status == 0)
    let typed = try folder.write("opsh> delay 5ms\nopsh> echo hi\n", to: "new.transcript")
    #expect(try Opsh.run(["--test", "--update", typed]).status == 0)
    let text = try #require(folder.read("new.transcript"))
    #expect(text.contains("[time]  delay-1      executing → finished  ✓ [duration]\n"))
    #expect(text.hasSuffix("opsh> echo hi\nhi\n"))
    for _ in 0..<3 { #expect(try Opsh.run(["--test", typed]).status == 0) }
  }

  @Test("Each test has a store of its own")
  func ownStores() throws {
    let folder = try TemporaryFolder()
    for name in ["a.opsh", "b.opsh", "c.opsh"] { try folder.write("tags add swift\n", to: name) }
    let outcome = try Opsh.run(["--test", "."], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test("A script that hangs or crashes does not affect the others")
  func isolation() throws {
    let folder = try TemporaryFolder()
    try folder.write("opsh> while (true) { }\nopsh> echo never\nnever\n", to: "hangs.transcript")
    try folder.write("while (true) { }\n", to: "hangs.opsh")
    try folder.write(
      "opsh> echo one | sh -c 'kill -KILL $PPID'\nopsh> echo two\ntwo\n", to: "killed.transcript")
    try folder.write("echo fine\n", to: "fine.opsh")
    let outcome = try Opsh.run(["--test", "--test-timeout", "2s", "."], directory: folder.path)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("ok 1 - ./fine.opsh"))
    #expect(outcome.output.contains("line 1: the time was over here"))
    #expect(outcome.output.contains("line 1: it was ended by signal 9"))
  }

  @Test("The limit of the whole run ends all tests with status 124")
  func wholeLimit() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo fine\n", to: "a.opsh")
    try folder.write("sleep 1h\n", to: "b.opsh")
    let outcome = try Opsh.run(["--test", "--timeout", "3s", "."], directory: folder.path)
    #expect(outcome.status == 124)
    #expect(outcome.outputLines.contains("ok 1 - ./a.opsh # no expectation"), "\(outcome.output)")
    #expect(outcome.outputLines.contains("not ok 2 - ./b.opsh"))
    #expect(outcome.output.contains("--timeout ended the run before it had ended"))
    let limited = try Opsh.run(["--test", "--test-timeout", "300ms", "."], directory: folder.path)
    #expect(limited.status == 1)
    #expect(limited.output.contains("it did not end in time"), "\(limited.output)")
    #expect(limited.output.contains("the run took longer than --test-timeout 300ms"))
    #expect(try Opsh.run(["--test-timeout", "1s", "-c", "echo a"]).status == 2)
    #expect(try Opsh.run(["--test", "--test-timeout", "soon", "."]).status == 2)
  }

  @Test("The end of the whole run ends the programs started by tests")
  func programsEnd() throws {
    let folder = try TemporaryFolder()
    try folder.write("!sh -c 'echo $$ > pid; exec sleep 600'\n", to: "a.opsh")
    let outcome = try Opsh.run(["--test", "--timeout", "2s", "a.opsh"], directory: folder.path)
    #expect(outcome.status == 124, "\(outcome.output)\(outcome.errors)")
    let process = try #require(
      folder.read("pid").flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
    // The program ends a moment after the run.
    #expect(eventually { kill(process, 0) != 0 })
  }

  @Test(
    "A script without tests fails",
    arguments: [
      ("a.opsh", ""), ("a.opsh", "# only a comment\n\n"), ("a.opsh", "\n\n"), ("b.transcript", ""),
      ("b.transcript", "# only a comment\n"), ("readme.txt", "no test"),
    ])
  func empty(_ name: String, _ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    for path in [folder.path, folder.path + "/" + name] where !path.hasSuffix("txt") {
      let outcome = try Opsh.run(["--test", path])
      #expect(outcome.status == 2, "\(outcome.output)")
      #expect(outcome.outputLines.dropFirst().first == "1..1")
      #expect(outcome.output.contains("not ok 1 - "))
    }
  }

  @Test("The recorded transcript of a session can be replayed")
  func recording() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/session.transcript"
    let session = try PromptSession(arguments: ["--no-rc", "--transcript", path])
    session.enter("queue pause")
    session.enter("delay 5ms")
    session.see("pending → ready")
    session.enter("queue resume")
    session.see("executing → finished")
    session.enter("expect (delay-1.outcome == succeeded)")
    session.enter("dilay 1s")
    session.terminal.write("quit\r")
    session.expectExit(0)
    let text = try #require(folder.read("session.transcript"))
    #expect(text.hasPrefix("opsh> queue pause\n[time]  network      queue paused"))
    #expect(text.contains("\nopsh [network paused 0]> delay 5ms\n[time]"))
    #expect(text.contains("\nmet: delay-1.outcome is succeeded\n"))
    #expect(text.hasSuffix("\nopsh> quit\n"))
    let played = try Opsh.run(["--test", path])
    #expect(played.status == 0, "\(played.output)")
  }

  @Test("The recorded run of a script is a transcript, too")
  func recordedScript() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      delay 5ms
      wait
      expect ((count of ops where outcome == succeeded) == 1)
      repeat 2 {
        echo again
      }
      """, to: "script.opsh")
    let outcome = try Opsh.run(
      ["--transcript", "script.transcript", "script.opsh"], directory: folder.path)
    #expect(outcome.status == 0)
    #expect(outcome.output == "again\nagain\n")
    let text = try #require(folder.read("script.transcript"))
    #expect(text.hasPrefix("# columns: unlimited\n\nopsh> delay 5ms\n[time]"))
    #expect(text.contains("opsh> repeat 2 {\n...   echo again\n... }\nagain\nagain\n"))
    let played = try Opsh.run(["--test", folder.path + "/script.transcript"])
    #expect(played.status == 0, "\(played.output)")
  }

  @Test(
    "A statement that does more at the prompt does as in the script when its transcript is played",
    arguments: [
      "server fail 100%\nfetch questions --name q\nwait q --any-outcome\nserver fail 0%\n",
      "server drop 10%\nserver fault reset 10%\nserver fault reset 0%\nserver fail 1\n",
      "server drop 10% > told\n!wc -c < told\n",
      "set clock virtual\ndelay 50ms --name a\ndiagram a\nwait\ndiagram a\n",
      "set clock virtual\nqueue pause\ndelay 50ms --name a\ndiagram a\nqueue resume\nwait\n",
      "echo a\nserver log --follow\n", "echo a\nwatch\n",
      "try { watch } catch e { echo $e.code }\n",
    ])
  func sameInReplay(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "script.opsh")
    let plain = try Opsh.run(["script.opsh"], directory: folder.path)
    let outcome = try Opsh.run(
      ["--transcript", "script.transcript", "script.opsh"], directory: folder.path)
    #expect(outcome.status == plain.status && outcome.output == plain.output)
    let played = try Opsh.run(["--test", "script.transcript"], directory: folder.path)
    #expect(
      played.status == 0, "\(played.output)\n\(folder.read("script.transcript") ?? "nothing")")
  }

  @Test("The transcript of a script on a terminal says that it is one, and passes its replay")
  func scriptOnTerminal() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/script.transcript"
    let script = try folder.write(
      "set clock virtual\nserver fail 10%\ndelay 50ms --name a\ndiagram a\nwait\n",
      to: "script.opsh")
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: ["--no-rc", "--transcript", path, script],
      environment: Opsh.environment(["HOME": folder.path]))
    #expect(terminal.waitForExit()?.status == 0)
    let text = try #require(folder.read("script.transcript"))
    #expect(text.hasPrefix("# of a script\n\nopsh> set clock virtual\n"), "\(text)")
    let played = try Opsh.run(["--test", path])
    #expect(played.status == 0, "\(played.output)\n\(text)")
  }

  @Test("A non-empty file is replaced only with --replace, and nothing runs before the check")
  func existingFile() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("echo ran\n", to: "script.opsh")
    // The script's path is taken for the option's value.
    for arguments in [["--transcript", script], ["--transcript=" + script, "-c", "echo ran"]] {
      let outcome = try Opsh.run(arguments)
      #expect(outcome.status == 2)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("'\(script)' exists already"))
      #expect(outcome.errors.contains("'--replace' replaces it"))
      #expect(folder.read("script.opsh") == "echo ran\n")
    }
    let report = try Opsh.run(["--test", "--junit", script, script])
    #expect(report.status == 2)
    #expect(folder.read("script.opsh") == "echo ran\n")
    let replaced = try Opsh.run(["--transcript", script, "--replace", "-c", "echo new"])
    #expect(replaced.status == 0)
    #expect(folder.read("script.opsh")?.hasSuffix("opsh> echo new\nnew\n") == true)
    #expect(try Opsh.run(["--replace", "-c", "echo x"]).status == 2)
  }

  @Test("A report replaces the previous one, and an empty file is replaced")
  func replacedReport() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo x\n", to: "fine.opsh")
    for _ in 1...2 {
      let outcome = try Opsh.run(
        ["--test", "--junit", "report.xml", "fine.opsh"], directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let report = try FileManager.default.attributesOfItem(atPath: folder.path + "/report.xml")
    #expect(report[.posixPermissions] as? Int == 0o600, "it may quote what others must not read")
    let empty = try folder.write("", to: "empty")
    #expect(try Opsh.run(["--transcript", empty, "-c", "echo x"]).status == 0)
    #expect(folder.read("empty")?.contains("opsh> echo x") == true)
  }

  @Test(
    "A transcript in which nothing is typed tests nothing",
    arguments: ["opsh> # only a comment\n", "opsh> \n"])
  func emptyTranscript(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "e.transcript")
    let outcome = try Opsh.run(["--test", "e.transcript"], directory: folder.path)
    #expect(outcome.status == 2 && outcome.output.contains("it has no statements"))
  }

  @Test(
    "The transcript of a failing script passes its own replay",
    arguments: [
      "echo a\n  show nobody\necho never\n",
      "delay 1h --name long\n\ndef f n {\n  if ($n > 1) { fail \"no $n\" }\n  f ($n + 1)\n}\nf 0\n",
      // On the real clock, a body's output may come before or after the next line.
      "set clock virtual\nblock {\n  echo a\n  fail no\n}\nwait\n",
      "echo a; block { fail later }; echo b\n",
      "queue pause\ndelay 1ms\n", "queue pause\ndelay 1ms --name a\nwait a\n",
      "queue pause\ndelay 1ms\nqueue drain\n", "delay 1h --name a\ndelay 20s --name a\n",
      "expect (1 == 2) because \"it is wrong\"\n", "quit 3\n", "delay 1h; quit --now\n",
      "def echo text { command echo \"- $text\" }\necho a\nfail no\n", "echo a\nexit 1\n",
    ])
  func failingScript(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "script.opsh")
    let outcome = try Opsh.run(
      ["--transcript", "script.transcript", "script.opsh"], directory: folder.path)
    // A status that the script chose is no error.
    let isError = !text.contains("quit") && !text.contains("exit")
    #expect(outcome.errors.contains("script.opsh:") == isError, "\(outcome.errors)")
    let played = try Opsh.run(["--test", "script.transcript"], directory: folder.path)
    #expect(
      played.status == 0, "\(played.output)\n\(folder.read("script.transcript") ?? "nothing")")
  }

  @Test(
    "The transcript of failing standard input passes its own replay",
    arguments: [
      "echo one\necho two\nfail \"three\"\necho never\n", "echo hi\ndelay abc\n",
      "echo hi\nlet x = (1 / 0)\n", "nocmd x\necho hi\n", "block {\n  fail no\n}\nwait block-1\n",
    ])
  func failingInput(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "input")
    let outcome = try Opsh.shell(
      "cd '\(folder.path)'; \"$OPSH\" --no-rc --transcript t.transcript < input")
    #expect(outcome.status != 0)
    let played = try Opsh.run(["--test", "t.transcript"], directory: folder.path)
    #expect(played.status == 0, "\(played.output)\n\(folder.read("t.transcript") ?? "nothing")")
  }

  @Test("The transcript of a run that exceeds the time limit passes, too")
  func limitedScript() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo a\nsleep 2s\n", to: "script.opsh")
    let outcome = try Opsh.run(
      ["--timeout", "300ms", "--transcript", "script.transcript", "script.opsh"],
      directory: folder.path)
    #expect(outcome.status == 124)
    let played = try Opsh.run(["--test", "script.transcript"], directory: folder.path)
    #expect(played.status == 0, "\(played.output)")
  }

  @Test("A script that fails the check creates no transcript and keeps the old one")
  func refusedScript() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo $nothing\n", to: "script.opsh")
    let outcome = try Opsh.run(
      ["--transcript", "script.transcript", "script.opsh"], directory: folder.path)
    #expect(outcome.status == 2)
    #expect(folder.read("script.transcript") == nil)
  }

  @Test("An unwritable file is an error and keeps the old one")
  func unwritable() throws {
    #expect(try Opsh.run(["--transcript", "/dev/full", "-c", "echo x"]).status == 1)
    let missing = try Opsh.run(["--transcript", "/no/such/folder/x", "-c", "echo x"])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("/no/such/folder/x"))
    #expect(missing.output == "", "nothing runs")
    let folder = try TemporaryFolder()
    try folder.write("echo x\n", to: "fine.opsh")
    let report = try Opsh.run(
      ["--test", "--junit", "/dev/full", "fine.opsh"], directory: folder.path)
    #expect(report.status == 1)
    #expect(report.errors.contains("No space left on device"))
    for wrong in [["--test"], ["--update", "x"], ["--test", "-c", "x"], ["--junit", "x", "y"]] {
      #expect(try Opsh.run(wrong).status == 2)
    }
  }
}

/// Parses XML strictly.
private enum XMLCheck {
  /// The names of all elements; throws if the document is not well-formed.
  static func names(in text: String) throws -> [String] {
    var names: [String] = []
    var open: [String] = []
    for tag in text.matches(of: /<(\/?)([A-Za-z]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>/) {
      let name = String(tag.output.2)
      if tag.output.1 == "/" {
        try #require(open.popLast() == name)
      } else {
        names.append(name)
        if tag.output.4 != "/" { open.append(name) }
      }
    }
    try #require(open.isEmpty)
    return names
  }
}
