import Foundation
import TestSupport
import Testing

/// Output to pipes whose reader stops reading, or is slow.
@Suite("Full pipes", .timeLimit(.minutes(15)))
struct FullPipeTests {
  private static let patience = Duration.seconds(30)

  @Test(
    "A reader that stops reading does not keep a signal or the time limit away from the output",
    arguments: [
      (#""$OPSH" -c 'repeat 9000 { echo 0123456789 }'"#, SIGTERM, 143),
      (#""$OPSH" --json -c 'repeat 9000 { echo 0123456789 }'"#, SIGTERM, 143),
      (#""$OPSH" -c 'block { repeat 9000 { echo 0123456789 } }'"#, SIGTERM, 143),
      (#""$OPSH" --events stderr -c 'delay 0s --count 9000' 2>&1"#, SIGTERM, 143),
      (#""$OPSH" -c 'let text = !seq 60000; echo $text; sleep 1m'"#, SIGTERM, 143),
      (#""$OPSH" -c 'repeat 9000 { echo 0123456789 }'"#, SIGQUIT, 131),
      (#""$OPSH" --timeout 1s -c 'repeat 9000 { echo 0123456789 }'"#, 0, 124),
      (#""$OPSH" --format SCRIPT"#, SIGTERM, 143), (#""$OPSH" --reference"#, SIGTERM, 143),
      (#""$OPSH" --transcript PIPE SCRIPT > /dev/null"#, SIGTERM, 143),
      (
        #""$OPSH" -c 'record PIPE --replace; delay 0s --count 9000; wait' > /dev/null"#,
        SIGTERM, 143
      ),
    ])
  func fullOutput(_ command: String, _ signal: Int32, _ status: Int32) throws {
    let folder = try TemporaryFolder()
    let lines = String(repeating: "echo 0123456789\n", count: 9000)
    let script = try folder.write(lines, to: "script")
    let pipe = try HeldPipe()
    let child = try pipe.start(command.replacing("SCRIPT", with: script))
    #expect(pipe.waitUntilFull())
    if signal != 0 { child.send(signal: signal) }
    let outcome = child.communicate(timeout: Self.patience)
    #expect(outcome.shellStatus == status, "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test(
    "The last lines of a run may be what is blocked",
    arguments: [
      (#""$OPSH" --json --events off -c 'let x = 1; READY'"#, SIGTERM, 143),
      (#""$OPSH" --json --events off --timeout 1s -c 'let x = 1'"#, 0, 124),
      (#""$OPSH" -c 'READY; while (true) { echo a }'"#, SIGTERM, 143),
      (#""$OPSH" --test SCRIPT"#, SIGTERM, 143), (#""$OPSH" --test --timeout 1s SCRIPT"#, 0, 124),
      (#""$OPSH" --test SCRIPT 2>&1 > /dev/null"#, SIGTERM, 143),
      (#""$OPSH" --test --junit PIPE SCRIPT > /dev/null"#, SIGTERM, 143),
      (#""$OPSH" --timeout 1s --transcript PIPE -c 'let x = 1'"#, 0, 124),
      (#""$OPSH" --practice-server 0"#, SIGTERM, 143),
    ])
  func lastLines(_ command: String, _ signal: Int32, _ status: Int32) throws {
    let folder = try TemporaryFolder()
    let ready = folder.path + "/ready"
    let script = try folder.write("echo ready > '\(ready)'\n", to: "script.opsh")
    let pipe = try HeldPipe()
    pipe.fill()
    let child = try pipe.start(
      command.replacing("SCRIPT", with: script).replacing("READY", with: "echo r > \(ready)"))
    if signal != 0 {
      // Nothing tells that a process is blocked.
      if command.contains("READY") || command.contains("SCRIPT") {
        #expect(eventually { folder.names.contains("ready") })
      }
      usleep(1_000_000)
      child.send(signal: signal)
    }
    let outcome = child.communicate(timeout: Self.patience)
    #expect(outcome.shellStatus == status, "\(outcome.errors)")
    withExtendedLifetime(folder) {}
  }

  @Test("A reader that goes on reading after a signal gets everything, also the summary")
  func slowSummary() throws {
    let pipe = try HeldPipe()
    let child = try pipe.start(#""$OPSH" --json -c 'delay 60s --count 400; wait'"#)
    #expect(pipe.waitUntilFull())
    child.send(signal: SIGTERM)
    let lines = pipe.readAll(pause: 5_000).split(separator: "\n")
    for line in lines {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
    #expect(lines.last?.contains(#""type":"summary""#) == true, "\(lines.last ?? "")")
    #expect(child.communicate(timeout: Self.patience).shellStatus == 143)
  }

  @Test("A recording ends with an error where its reader stopped, and has no gap before that")
  func recording() throws {
    let pipe = try HeldPipe()
    let child = try pipe.start(
      #""$OPSH" -c 'record PIPE --replace; delay 60s --count 3000; wait' > /dev/null"#,
      isOutput: false)
    #expect(pipe.waitUntilFull())
    child.send(signal: SIGTERM)
    #expect(child.read { $1.contains("the recording has ended") })
    let lines = pipe.readAll().split(separator: "\n")
    for line in lines.dropLast() {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
    let outcome = child.communicate(timeout: Self.patience)
    #expect(outcome.shellStatus == 143)
    let told = "nothing read '\(pipe.path)' at the end of the run, so its last lines are missing"
    #expect(outcome.errors.contains(told), "\(outcome.errors)")
    #expect(outcome.errors.contains("help: record to a file"))
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
}
