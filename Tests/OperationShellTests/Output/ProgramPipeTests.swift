import Foundation
import TestSupport
import Testing

@Suite("Programs in pipes", .timeLimit(.minutes(15)))
struct ProgramPipeTests {
  @Test("Programs in a pipe run concurrently, so the next one ends an endless one")
  func atOnce() throws {
    let outcome = try Opsh.run("echo a | yes | head -3; echo b | yes yes | sed 2q | tr y Y")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "y\ny\ny\nYes\nYes\n")
    #expect(outcome.errors == "")
  }

  @Test("A program reads a command's output before the command has ended")
  func streamsIn() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      """
      def talk { echo first; !sh -c 'until [ -e seen ]; do sleep 0.01; done'
        echo second }
      talk | sh -c 'read line; touch seen; echo "$line"; cat' | cat
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "first\nsecond\n")
  }

  @Test(
    "The output of the last program appears while the pipe runs",
    arguments: [
      "def talk { echo one; sleep 60s }; talk | cat",
      "def talk { echo one; !sleep 60\n }; talk | cat",
      "def talk { echo one; let n = 0; while (true) { let n = ($n + 1) } }; talk | cat",
      "def talk { echo one | cat; sleep 60s }; talk | cat | cat",
      "echo x | sh -c 'echo one; exec sleep 60'",
    ])
  func streamsOut(_ text: String) throws {
    let child = try RunningChild(
      try BuiltProducts.executable("opsh"), arguments: ["--no-rc", "-c", text],
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"])
    #expect(child.read { output, _ in output == "one\n" })
    child.send(signal: SIGINT)
    let outcome = child.communicate(timeout: .seconds(60))
    #expect(outcome.status == 128 + SIGINT, "\(outcome.errors)")
    #expect(outcome.output == "one\n")
  }

  @Test("A pipe delivers a hundred thousand lines, in one write and one by one")
  func manyLines() throws {
    let doubled = try Opsh.run(
      "let text = 'line'; repeat 17 { let text = \"$text\\n$text\" }; echo $text | wc -l")
    #expect(doubled.status == 0, "\(doubled.errors)")
    #expect(doubled.output.trimmingCharacters(in: .whitespaces) == "131072\n")
    let count = TestScale.count(3000, long: 100_000)
    let single = try Opsh.run(
      "def many { for i in 1..\(count) { echo \"line $i\" } }; many | cat | tail -1")
    #expect(single.output == "line \(count)\n", "\(single.errors)")
  }

  @Test("A command whose output is not read continues, and ends after a limit")
  func nobodyReads() throws {
    let folder = try ScratchFolder()
    let whole = try Opsh.run(
      """
      def work { repeat 500 { echo line }; echo done > made }
      work | true; work | head -1; delay 1ms; ops | true
      """, directory: folder.path)
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.output == "line\n")
    #expect(folder.read("made") == "done\n")
    let clocks = ["real", "virtual"]
    for clock in clocks {
      let endless = try Opsh.run(
        """
        set clock \(clock)
        def talk { try { while (true) { echo line } } catch e { echo $e > caught } }
        def call { talk | head -2; echo inner }
        call; call | cat; let value = talk | true; echo "(${value ?? "null"})"
        """, directory: folder.path)
      #expect(endless.status == 0, "\(endless.errors)")
      #expect(endless.output == "line\nline\ninner\nline\nline\ninner\n(null)\n")
      #expect(folder.read("caught") == nil)
    }
  }

  @Test("A missing program stops the others, and the command before it runs")
  func missing() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      """
      def work { echo done > made }
      try { work | sleep 60 | no-such-program-here | cat > out } catch e { echo $e.code }
      !cat /proc/$PPID/task/*/children | wc -w
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "file(2)\n1\n", "only the program that counts is left")
    #expect(folder.names == [])
  }

  @Test("A pipe leaks no descriptor and no process, and programs inherit none")
  func leavesNothing() throws {
    let folder = try ScratchFolder()
    // The shell opens a program's descriptor a moment after starting the program, so the counting
    // program waits for its own.
    try folder.write(
      """
      i=0
      until grep -qs "^Pid:[[:space:]]*$$\\$" /proc/$PPID/fdinfo/* || [ $i -ge 500 ]; do
        i=$((i + 1))
      done
      ls /proc/$PPID/fd | wc -l

      """, to: "count")
    let outcome = try Opsh.run(
      """
      def many {
        for i in 1..20 {
          echo x | cat | head -1 | cat > file
          echo x | cat | cat >> file
          try { echo x | cat | no-such-program-here | cat } catch e { }
          try { echo x | false | cat } catch e { }
          try { fail "no" | cat } catch e { }
        }
      }
      !. ./count
      many | cat
      !. ./count
      !cat /proc/$PPID/task/*/children | wc -w
      !ls /proc/self/fd | xargs
      echo x | ls /proc/self/fd | xargs
      echo x | cat | cat | ls /proc/self/fd | xargs
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 6, "\(outcome.output)")
    #expect(lines[0] == lines[1])
    #expect(lines[2] == "1")
    #expect(Set(lines[3...]).count == 1, "\(lines)")
  }

  @Test(
    "--timeout ends a blocked pipe and an endless one",
    arguments: [
      "def talk { while (true) { echo line } }; talk | sleep 60",
      "echo x | yes > /dev/null", "echo x | yes | cat >> /dev/null",
      "set clock virtual; echo x | yes > out",
    ])
  func timeout(_ text: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(text, options: ["--timeout", "300ms"], directory: folder.path)
    #expect(outcome.status == 124)
    #expect(outcome.errors.contains("--timeout"), "\(outcome.errors)")
    #expect(folder.names == [])
  }

  @Test("A body's pipe ends with the session, even if the pipe blocks the body")
  func body() throws {
    let outcome = try Opsh.run(
      """
      def talk { while (true) { echo line } }
      block --name held { talk | sh -c 'echo begun; exec sleep 60' }
      expect (held.state == executing) within 20s
      quit --now
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("The output of a command that fails or quits still goes through the pipe")
  func failing() throws {
    let folder = try ScratchFolder()
    try folder.write("old\n", to: "kept")
    let failed = try Opsh.run(
      "def talk { echo b; echo a; fail no }; try { talk | sort >> kept } catch e { }; talk | sort",
      directory: folder.path)
    #expect(failed.status == 1)
    #expect(failed.output == "a\nb\n")
    #expect(folder.read("kept") == "old\na\nb\n")
    let quit = try Opsh.run("def talk { echo b; echo a; exit 3 }; talk | sort")
    #expect(quit.status == 3)
    #expect(quit.output == "a\nb\n")
  }

  @Test("Inside another pipe or file, programs print into that, byte for byte")
  func nested() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      """
      def talk { echo b | cat; echo a; echo x | printf '\\377\\0'
        !printf c
      }
      talk > file; talk | cat > through; talk | wc -c; !od -An -c file
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(lines == ["7", "b \\n a \\n 377 \\0 c"])
    let folderURL = URL(fileURLWithPath: folder.path)
    #expect(
      try Data(contentsOf: folderURL.appending(path: "file"))
        == Data(contentsOf: folderURL.appending(path: "through")))
  }

  @Test("A line without a newline is delivered as it arrives")
  func longLine() throws {
    let outcome = try Opsh.run("echo x | sh -c 'yes é | tr -d \"\\n\" | head -c 3000000'")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.stdout == Data(String(repeating: "é", count: 1_500_000).utf8))
  }
}
