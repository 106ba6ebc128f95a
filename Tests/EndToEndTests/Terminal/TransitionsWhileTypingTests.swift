import Foundation
import TestSupport
import Testing

/// Transitions that appear while a line is typed.
@Suite("Transitions while typing", .serialized, .timeLimit(.minutes(15)))
struct TransitionsWhileTypingTests {
  @Test("Each transition appears above the line being typed")
  func appearsAbove() throws {
    let session = try PromptSession()
    session.enter("queue pause")
    session.enter("fetch questions")
    session.see(/questions-1 +created → pending/)
    session.see(/questions-1 +pending → ready/)
    session.enter("fetch answers --after questions-1")
    session.see(/answers-1 +created → pending/)
    session.enter("priority answers-1 high")
    session.enter("deps answers-1")
    session.see("answers-1 depends on")
    session.enter("why answers-1")
    session.see(/paused/)
    session.see(/(waits|waiting|wants|depends).*questions-1/)
    session.enter("queue resume")
    session.see(/questions-1 +executing → finished/)
    session.see(/answers-1 +ready → executing/)
    session.see(/answers-1 +executing → finished/)
    session.enter("cancel all")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Transitions above the line neither lose nor move a typed character")
  func typingUnderTransitions() throws {
    let session = try PromptSession()
    session.enter("server latency 300ms")
    session.enter("queue width 1")
    session.enter("fetch questions --count 4")
    let line = "echo \"größe 漢字 and what was typed meanwhile\""
    // One character at a time, each checked at its position, during the fetches.
    for character in line { session.type(String(character)) }
    for number in 1...4 {
      session.see(try Regex("questions-\(number) +executing → finished"))
    }
    #expect(session.editedLine == "opsh> " + line)
    session.terminal.write("\r")
    session.see("größe 漢字 and what was typed meanwhile")
    session.waitForPrompt()
    // Every transition once, in the order of an operation's states.
    for number in 1...4 {
      let changes = session.lines.compactMap { row -> String? in
        guard row.contains("questions-\(number) ") else { return nil }
        return row.firstMatch(of: /\w+ → \w+/).map { String($0.output) }
      }
      #expect(
        changes == [
          "created → pending", "pending → ready", "ready → executing", "executing → finished",
        ], "questions-\(number)")
    }
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A line can be edited in its middle while transitions appear")
  func editingUnderTransitions() throws {
    let session = try PromptSession()
    session.enter("queue width 1")
    session.enter("events on")
    session.enter("delay 20ms --count 60")
    session.terminal.write("echo ad")
    for _ in 0..<40 {
      // Left, two letters, one deleted: the cursor ends at its start.
      session.terminal.write("\u{1B}[Dxy\u{7F}\u{1B}[C")
      session.terminal.pump(for: .milliseconds(10))
    }
    let wanted = "opsh> echo a" + String(repeating: "x", count: 40) + "d"
    session.see(/delay-60 +executing → finished/)
    #expect(session.terminal.wait { _ in session.editedLine == wanted }, "\(session.editedLine)")
    session.terminal.write("\r")
    session.see("a" + String(repeating: "x", count: 40) + "d")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("What is typed while a command runs appears once, in the next prompt")
  func typingAhead() throws {
    let session = try PromptSession()
    session.terminal.write("delay 400ms --count 3; wait\r")
    session.see(/delay-3 +ready → executing/)
    session.terminal.write("echo ahead")
    session.see(/delay-3 +executing → finished/)
    #expect(session.terminal.wait { _ in session.editedLine == "opsh> echo ahead" })
    #expect(session.lines.filter { $0.contains("echo ahead") } == ["opsh> echo ahead"])
    // A program of the user's finds the terminal as it is elsewhere, and opsh takes it back.
    session.terminal.write("\u{15}! stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon\r")
    session.see("echo")
    session.see("icanon")
    session.waitForPrompt()
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("500 typed lines are unchanged by 5,000 transitions")
  func manyLines() throws {
    let session = try PromptSession(columns: 80, rows: 40)
    session.enter("queue width 1")
    // 1,250 operations with four transitions each take longer than the typing.
    session.enter("delay 4ms --count 1250")
    let lines = (1...500).map { "echo out-\($0) typed-\($0 * 7919 % 1000)" }
    for (index, line) in lines.enumerated() {
      session.terminal.write(line + "\r")
      // A user reads the output; a terminal buffers at most 4 kB of type-ahead.
      guard index % 10 == 9 else { continue }
      let answer = "out-\(index + 1) typed-\((index + 1) * 7919 % 1000)"
      let hasCome = session.terminal.wait(timeout: .seconds(30)) {
        $0.allLines.suffix(400).contains(answer)
      }
      #expect(hasCome, "no '\(answer)' in:\n\(session.screen.text)")
      guard hasCome else { return }
    }
    // Not all of so many transitions per second are shown; the log has them.
    session.enter("wait")
    session.enter("log delay-1250")
    session.see(/delay-1250 +executing → finished/)
    // The difference, because five hundred lines hide the one that is missing.
    let answers = session.lines.filter { $0.wholeMatch(of: /out-\d+ typed-\d+/) != nil }
    let changed = answers.difference(from: lines.map { String($0.dropFirst(5)) })
    #expect(changed.isEmpty, "\(Array(changed))")
    session.terminal.write("quit\r")
    session.expectExit(0)
    let history = session.home.read(".local/state/opsh/history") ?? ""
    let entries = history.replacing(#/\\@\d+ /#, with: "")
    let kept = entries.split(separator: "\n").map(String.init).filter { $0.hasPrefix("echo ") }
    #expect(kept == lines)
  }

  @Test("5,000 simultaneous transitions do not change the line being typed")
  func burst() throws {
    let session = try PromptSession()
    session.enter("events off")
    session.enter("queue new side")
    session.enter("queue pause; queue width unlimited; delay 1ms --count 1250")
    session.enter("block --queue side --name opener { sleep 200ms; queue resume network }")
    session.enter("events on")
    var line = "echo "
    session.terminal.write(line)
    // Until after the last has finished, so that typing and transitions overlap.
    var number = 0
    while !session.lines.contains(where: { $0.contains(/(delay-1250 +executing → finished|more)/) }
    ),
      number < 400
    {
      let piece = "w\(number % 10)"
      session.terminal.write(piece)
      line += piece
      number += 1
      session.terminal.pump(for: .milliseconds(5))
    }
    #expect(
      session.terminal.wait(timeout: .seconds(30)) { _ in
        session.editedLine.replacing("\n", with: "") == "opsh> " + line
      }, "typed: \(line)\nseen: \(session.editedLine)")
    session.terminal.write("\r")
    session.waitForPrompt()
    #expect(session.lines.contains(String(line.dropFirst(5))))
    session.terminal.write("wait; expect (delay-1250.outcome == succeeded); quit\r")
    session.expectExit(0)
  }
}
