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
