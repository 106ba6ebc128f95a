import Foundation
import TestSupport
import Testing

@Suite("Running scripts", .timeLimit(.minutes(15)))
struct RunningTests {
  @Test("A file and -c are checked completely before anything runs")
  func checkedWhole() throws {
    let folder = try TemporaryFolder()
    let text = "echo ran\nif (false) { ecko }\n"
    let file = try folder.write(text, to: "whole.opsh")
    for arguments in [[file], ["-c", text]] {
      let outcome = try Opsh.run(arguments)
      #expect(outcome.status == 2)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains(":2:14: error: "))
    }
  }

  @Test("Standard input runs statement by statement")
  func statementByStatement() throws {
    let outcome = try Opsh.run([], input: "echo one; ecko\necho two\n")
    #expect(outcome.status == 2)
    let later = try Opsh.run([], input: "echo one\necko\necho two\n")
    #expect(later.status == 2)
    #expect(later.output == "one\n")
    #expect(later.errors.hasPrefix("<stdin>:2:1: error: "))
  }

  @Test("A statement of standard input runs before the next one arrives")
  func runsAtOnce() throws {
    let child = try Opsh.start(["-"])
    child.write("echo one\n")
    #expect(child.read { stdout, _ in stdout == "one\n" })
    // Both lines form one statement; it runs when it is complete.
    child.write("if (true) {\n")
    child.write("echo two }\n")
    #expect(child.read { stdout, _ in stdout == "one\ntwo\n" })
    // Operations run, and are shown, while no input arrives.
    child.write("delay 50ms\n")
    #expect(child.read { _, stderr in stderr.contains("executing → finished") })
    child.write("echo three")
    let outcome = child.communicate(timeout: .seconds(30))
    #expect(outcome.output == "one\ntwo\nthree\n")
    #expect(outcome.status == 0)
  }

  @Test("Outside the prompt the first error ends the run and cancels unfinished operations")
  func stopsAtFirstError() throws {
    let outcome = try Opsh.text("delay 60s; fail \"no\"; echo after", options: ["--json"])
    #expect(outcome.status == 1)
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.last { $0.type == "transition" }?.string("outcome") == "cancelled")
    #expect(!lines.contains { $0.type == "message" })
  }

  @Test(
    "--keep-going skips each faulty statement and runs the others", arguments: [true, false])
  func keepGoing(fromFile: Bool) throws {
    let folder = try TemporaryFolder()
    let text = """
      echo 1
      ecko 2
      if (true) {
        echo 3
      }
      show nobody
      delay soon
      echo 4
      fail "five"
      echo 6

      """
    let file = try folder.write(text, to: "going.opsh")
    let outcome =
      try fromFile
      ? Opsh.run(["--keep-going", file]) : Opsh.run(["--keep-going"], input: text)
    #expect(outcome.status == 2)
    #expect(outcome.output == "1\n3\n4\n6\n")
    let name = fromFile ? file : "<stdin>"
    let places = outcome.errorLines.filter { $0.contains(": error: ") }
    #expect(places.count == 4)
    for place in ["2:1", "6:6", "7:7", "9:1"] {
      #expect(places.contains { $0.hasPrefix("\(name):\(place): error: ") }, "\(place): \(places)")
    }
  }

  @Test("Unused variables and unreachable code are warnings")
  func warnings() throws {
    let text = "let unused = 1\ndef f { return 1; echo never }\nlet g = f\necho $g\n"
    let outcome = try Opsh.text(text)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "1\n")
    let warnings = outcome.errorLines.filter { $0.contains(": warning: ") }
    #expect(warnings.count == 2, "\(outcome.errors)")
    #expect(warnings.first?.contains("'unused'") == true)
    #expect(try Opsh.text(text, options: ["--check"]).status == 0)
  }

  @Test("With --keep-going nothing after 'fail' at the top level is called unreachable")
  func afterFail() throws {
    let text = """
      fail a
      if (1 == 1) { fail b } else { exit }
      try { fail c } catch e { fail d }
      repeat 1 { fail e; echo never }
      echo reached
      if (1 == 1) { exit 3 } else { exit 4 }
      echo never
      """
    let outcome = try Opsh.text(text, options: ["--keep-going"])
    #expect(outcome.status == 3)
    #expect(outcome.output == "reached\n")
    let warnings = outcome.errorLines.filter { $0.contains("[unreachable]") }
    #expect(warnings.map { $0.prefix(6) } == ["-c:4:2", "-c:7:1"], "\(warnings)")
    let stopping = try Opsh.text(text, options: ["--check"])
    #expect(stopping.errorLines.count { $0.contains("[unreachable]") } == 5)
  }

  @Test("--check reports every error of a file, and runs nothing")
  func check() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      """
      echo fine > made
      ecko one
      delay soon
      queue width -5
      echo --loud
      echo $nothing
      expect (1 +)
      break

      """, to: "errors.opsh")
    let outcome = try Opsh.run(["--check", file], directory: folder.path)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(folder.read("made") == nil)
    let lines = outcome.errorLines.compactMap { line -> Int? in
      guard line.hasPrefix("\(file):"), line.contains(": error: ") else { return nil }
      return Int(line.dropFirst(file.count + 1).prefix { $0 != ":" })
    }
    #expect(lines == [2, 3, 4, 5, 6, 7, 8], "\(outcome.errors)")
    #expect(try Opsh.run(["--check"], input: "echo fine\necko\n").status == 2)
    #expect(try Opsh.run(["--check"], input: "echo fine\n").status == 0)
  }

  @Test("A script receives its arguments, also when started by its own path")
  func shebang() throws {
    let folder = try TemporaryFolder()
    let binary = try BuiltProducts.executable("opsh")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/opsh", withDestinationPath: binary)
    let file = try folder.write(
      "#!/usr/bin/env opsh\necho \"$1/$2\"\nexit 3\n", to: "script", permissions: 0o755)
    let path = folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let outcome = try ChildProcess.run(
      file, arguments: ["a b", "-c"], environment: Opsh.environment(["PATH": path]))
    #expect(outcome.output == "a b/-c\n", "\(outcome.errors)")
    #expect(outcome.status == 3)
  }

  @Test("source resolves a file against the sourcing file, and errors show the place in it")
  func source() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo inner $1\n", to: "parts/inner.opsh")
    try folder.write("source inner.opsh x\n", to: "parts/middle.opsh")
    try folder.write("echo fine\n  show nobody\n", to: "parts/bad.opsh")
    let file = try folder.write("source parts/middle.opsh\nsource parts/bad.opsh\n", to: "top.opsh")
    let outcome = try Opsh.run([file])
    #expect(outcome.output == "inner x\nfine\n", "\(outcome.errors)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("bad.opsh:2:8: error: "))
  }

  @Test("Handlers run between statements, while waiting, and at the end of the script")
  func handlers() throws {
    let outcome = try Opsh.text(
      """
      delay 20ms --name a
      on a finished { echo "a is done" }
      wait
      delay 20ms --name b
      on b finished { echo "b is done"; delay 5ms --name c }
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "a is done\nb is done\n")
    #expect(outcome.errors.contains("c            executing → finished"))
  }

  @Test("An error in a handler is an error of the script")
  func failingHandler() throws {
    let outcome = try Opsh.text("delay 5ms\non last finished { fail \"from the handler\" }\nwait")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("-c:2:20: error: from the handler"), "\(outcome.errors)")
  }

  @Test(
    "With -i the session continues after any error of the program",
    arguments: [
      ["-c", "fetsh x"], ["-c", "show nosuch"], ["-c", "echo \"open"], ["no-such-file"],
    ])
  func goesOn(_ program: [String]) throws {
    let outcome = try Opsh.run(["--no-rc", "-i"] + program, input: "echo after\n")
    #expect(outcome.errors.contains("error: "), "\(outcome.errors)")
    #expect(outcome.output == "after\n")
  }
}
