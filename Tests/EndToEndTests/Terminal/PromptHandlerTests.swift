import TestSupport
import Testing

/// What runs by itself while nothing, or a line, is typed.
@Suite("Bodies and handlers at the prompt", .serialized, .timeLimit(.minutes(15)))
struct PromptHandlerTests {
  @Test("A text of a body comes after the transitions that led to it")
  func order() throws {
    let session = try PromptSession(columns: 240)
    session.enter("delay 20ms; block --after last --name b { echo \"from $self.name\" }")
    session.see(/b +executing → finished/)
    let lines = session.lines.filter { $0.contains("  b  ") || $0.hasPrefix("from b") }
    let places = [
      "created → pending", "pending → ready", "ready → executing", "from b", "→ finished",
    ]
    .map { text in lines.firstIndex { $0.contains(text) } }
    #expect(places == [0, 1, 2, 3, 4], "\(lines)")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("What happens while a handler waits is shown, and keys are not lost")
  func longHandler() throws {
    let session = try PromptSession(columns: 240)
    session.enter(
      "let go = delay 1h; delay 10ms --name a; delay 300ms --name b --after a; "
        + "on a finished { echo begin; wait b; echo middle; sleep 1s; echo end }")
    // The handler still runs when these are shown.
    session.see("begin")
    session.see(/b +executing → finished/)
    session.see("middle")
    session.terminal.write("echo typed-meanwhile\r")
    session.see("end")
    session.see("typed-meanwhile")
    session.enter("cancel all")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A handler's wait that can never end is refused, because no line can be typed meanwhile")
  func stuck() throws {
    let session = try PromptSession(columns: 240)
    session.enter(
      "delay 1h --name held --hold; delay 10ms --name a; on a finished { wait held }")
    session.see("the wait can never end: 'held'")
    session.enter("block --queue main --name m { block --queue main --name n { }; wait n }")
    session.see(/m +executing → finished/)
    session.see("'m' waits for 'n', so neither will ever finish")
    session.see(/n +executing → finished/)
    session.enter("echo alive")
    session.see("alive")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A wait in a handler is refused also where a body between them waits for what can't end")
  func stuckThroughBody() throws {
    let session = try PromptSession(columns: 240)
    session.enter(
      "delay 10ms --name a; on a finished { wait b }; delay 1h --hold --name held; "
        + "block --name b { wait held }")
    session.see(/b +executing → finished +✗ never-ends/)
    session.enter("echo alive")
    session.see("alive")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C during a body of the queue 'main' ends the typed line that waits for it")
  func interruptedLine() throws {
    let session = try PromptSession()
    session.terminal.write(
      "while (true) { block --queue main { sleep 1h }; wait last }; echo after\r")
    session.see(/block-1 +ready → executing/)
    session.terminal.write("\u{3}")
    session.see(/block-1 +executing → finished +⊘ cancelled/)
    session.see("not run: 'echo after'")
    session.waitForPrompt()
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("The lines of bodies that print very much keep their order")
  func flood() throws {
    let session = try PromptSession()
    session.enter("block --queue main { }; queue width unlimited; events off; events on")
    session.enter("for k in 1..3 { block { for i in 1..2000 { echo \"B$k $i\" } } }")
    session.see("B1 2000")
    session.see("B2 2000")
    session.see("B3 2000")
    for body in ["B1 ", "B2 ", "B3 "] {
      let numbers = session.lines.filter { $0.hasPrefix(body) }.compactMap { Int($0.dropFirst(3)) }
      #expect(numbers == numbers.sorted())
    }
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C cancels an operation of the queue 'main'")
  func interruptedBody() throws {
    let session = try PromptSession(columns: 240)
    session.enter("queue use main")
    session.terminal.write("block --name m { sleep 1h }\r")
    session.see(/m +ready → executing/)
    session.terminal.write("\u{3}")
    session.see(/m +executing → finished +⊘ cancelled after/)
    session.enter("echo (m.outcome) (m.error.message)")
    session.see("cancelled cancelled by Ctrl-C")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }
}
