import Foundation
import TestSupport
import Testing

/// Named pipes in place of files.
@Suite("Named pipes", .timeLimit(.minutes(15)))
struct PipeFileTests {
  private func pipe() throws -> (folder: TemporaryFolder, path: String) {
    let folder = try TemporaryFolder()
    let path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    return (folder, path)
  }

  @Test(
    "The time limit of the run ends the wait for the other end",
    arguments: [
      ["-c", "echo hi > PIPE"], ["-c", "echo hi >> PIPE"], ["-c", "echo hi | cat > PIPE"],
      ["-c", "source PIPE"], ["-c", "replay PIPE"], ["-c", "post / --file PIPE"], ["PIPE"],
      ["--check", "PIPE"], ["--format", "PIPE"],
    ])
  func timeLimit(_ arguments: [String]) throws {
    let (folder, path) = try pipe()
    let outcome = try Opsh.run(
      ["--timeout", "300ms"] + arguments.map { $0.replacing("PIPE", with: path) })
    #expect(outcome.status == 124, "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test("A signal ends the wait for the other end", arguments: [SIGINT, SIGTERM])
  func signals(_ signal: Int32) throws {
    let (folder, path) = try pipe()
    for text in ["echo hi > '\(path)'", "source '\(path)'"] {
      let child = try Opsh.start(["-c", "echo ready; \(text)"])
      #expect(child.read { output, _ in output.contains("ready") })
      child.send(signal: signal)
      #expect(child.communicate(timeout: .seconds(30)).status == 128 + signal, "\(text)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test("At the prompt, Ctrl-C ends the statement")
  func interrupt() throws {
    let (folder, path) = try pipe()
    let session = try PromptSession(columns: 200)
    for text in ["echo hi > '\(path)'", "source '\(path)'"] {
      session.terminal.write(text + "\r")
      session.see("> " + text)
      session.terminal.write("\u{3}")
      session.waitForPrompt()
    }
    #expect(session.lines.count { $0.hasSuffix("interrupted") } == 2, "\(session.lines)")
    session.terminal.write("quit\r")
    session.expectExit(0)
    withExtendedLifetime(folder) {}
  }

  @Test("A reader that stops reading does not keep a signal away")
  func slowReader() throws {
    let (folder, path) = try pipe()
    let outcome = try Opsh.shell(
      """
      sleep 60 < '\(path)' & reader=$!
      "$OPSH" --timeout 1s -c "let text = !seq 60000
      echo \\$text > '\(path)'"
      status=$?; kill $reader; exit $status
      """)
    #expect(outcome.status == 124, "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test(
    "A reader that stops reading does not keep a signal or the time limit away from the output",
    arguments: [
      (#""$OPSH" -c 'repeat 9000 { echo 0123456789 }'"#, 143),
      (#""$OPSH" --json -c 'repeat 9000 { echo 0123456789 }'"#, 143),
      (#""$OPSH" -c 'block { repeat 9000 { echo 0123456789 } }'"#, 143),
      (#""$OPSH" --events stderr -c 'delay 0s --count 9000' 2>&1"#, 143),
      (#""$OPSH" -c 'let text = !seq 60000; echo $text; sleep 1m'"#, 143),
      (#""$OPSH" --timeout 1s -c 'repeat 9000 { echo 0123456789 }'"#, 124),
      // Another program fills the pipe; opsh finds no room at all.
      (#"yes & "$OPSH" -c 'while (true) { echo a }'"#, 143),
      (#""$OPSH" --format SCRIPT"#, 143), (#""$OPSH" --reference"#, 143),
      (#""$OPSH" --transcript PIPE SCRIPT"#, 143),
      (#""$OPSH" -c 'record PIPE --replace; delay 0s --count 9000; wait'"#, 143),
    ])
  func fullOutput(_ command: String, _ status: Int32) throws {
    let (folder, path) = try pipe()
    let script = folder.path + "/script"
    let lines = String(repeating: "echo 0123456789\n", count: 9000)
    #expect(throws: Never.self) { try Data(lines.utf8).write(to: URL(fileURLWithPath: script)) }
    // The reader takes nothing. A transcript goes to the pipe at the end, in a run that takes a while.
    let run = command.replacing("PIPE", with: path).replacing("SCRIPT", with: script)
    let outcome = try Opsh.shell(
      """
      sleep 60 < '\(path)' & reader=$!
      { \(run) & } \(run.contains(path) ? "> /dev/null" : "> '\(path)'")
      run=$!
      sleep 3
      kill -TERM $run
      (sleep 10; kill -KILL $run) > /dev/null 2>&1 & guard=$!
      wait $run; status=$?
      kill $reader $guard $(jobs -p)
      exit $status
      """)
    #expect(outcome.status == status, "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test("The reader of a full pipe gets every line, also those of another program")
  func slowOutput() throws {
    let folder = try TemporaryFolder()
    let outcome = try Opsh.shell(
      """
      { "$OPSH" -c 'for i in 1..20000 { echo $i }' & "$OPSH" -c 'repeat 20000 { echo x }'; wait; } \\
        | (sleep 2; cat) > "$TMP/all"
      grep -c x "$TMP/all"; grep -v x "$TMP/all" | cksum; seq 20000 | cksum
      """.replacing("$TMP", with: folder.path))
    let lines = outcome.outputLines
    #expect(lines.count == 3 && lines[0] == "20000" && lines[1] == lines[2], "\(outcome.output)")
    withExtendedLifetime(folder) {}
  }

  @Test(
    "Both ends may come first",
    arguments: [
      "(sleep 0.3; echo 'echo hi' > PIPE) & \"$OPSH\" PIPE",
      "(echo 'echo hi' > PIPE) & sleep 0.3; \"$OPSH\" PIPE",
      "(echo 'echo hi' > PIPE) & \"$OPSH\" -c 'source PIPE'",
      "\"$OPSH\" -c 'echo hi > PIPE' & sleep 0.3; cat PIPE",
      "cat PIPE & sleep 0.3; \"$OPSH\" -c 'echo hi >> PIPE'; wait",
      "\"$OPSH\" -c 'echo hi | cat > PIPE' & cat PIPE",
      "\"$OPSH\" <(echo 'echo hi')", "\"$OPSH\" <(sleep 0.3; echo 'echo hi')",
      "(echo hi > PIPE) & \"$OPSH\" --check PIPE; echo hi",
      "echo 'source /dev/stdin' > SCRIPT; echo 'echo hi' | \"$OPSH\" SCRIPT",
    ])
  func peers(_ command: String) throws {
    let (folder, path) = try pipe()
    let outcome = try Opsh.shell(
      command.replacing("PIPE", with: path).replacing("SCRIPT", with: folder.path + "/script"))
    #expect(outcome.output == "hi\n", "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test("A long text passes whole")
  func long() throws {
    let (folder, path) = try pipe()
    let outcome = try Opsh.shell(
      """
      "$OPSH" -c 'let text = !seq 60000
      echo $text > \(path)' & cat '\(path)' | cksum; seq 60000 | cksum
      """)
    let sums = outcome.outputLines
    #expect(sums.count == 2 && sums.first == sums.last, "\(outcome.output)\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test("A transcript and a report are refused where nothing reads the pipe")
  func refused() throws {
    let (folder, path) = try pipe()
    for arguments in [["--transcript", path, "-c", "echo hi"], ["--test", "--junit", path, path]] {
      let outcome = try Opsh.run(arguments)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("[file(6)]"), "\(outcome.errors)")
    }
    let test = try Opsh.run(["--test", path])
    #expect(test.status == 2)
    #expect(test.output.contains("it is not a file"), "\(test.output)")
    withExtendedLifetime(folder) {}
  }
}
