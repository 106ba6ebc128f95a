import Foundation
import TestSupport
import Testing

/// The line below the output that says how far a wait has come.
@Suite("The progress line", .serialized, .timeLimit(.minutes(15)))
struct ProgressLineTests {
  @Test("A wait at the prompt shows how far it has come, below the transitions, and then nothing")
  func atThePrompt() throws {
    let session = try PromptSession(columns: 100)
    session.enter("queue width 1")
    session.terminal.write("delay 500ms --count 8; wait\r")
    session.see(/[2-6] of 8 done, 1 executing, [0-9.]+\/s, \d+ s left/)
    let rows = session.screen.text.split(separator: "\n").map { String($0) }
    let progress = try #require(rows.lastIndex { $0.contains(" of 8 done") })
    #expect(rows[(progress + 1)...].allSatisfy { $0.allSatisfy(\.isWhitespace) })
    #expect(rows[..<progress].contains { $0.contains("executing → finished") })
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.contains(" of 8 done") })
    // Every start and every end stands on a line of its own.
    for number in 1...8 {
      #expect(session.lines.filter { $0.contains("delay-\(number) ") }.count == 2)
    }
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C takes it away, and shows ^C")
  func interrupted() throws {
    let session = try PromptSession(columns: 100)
    session.terminal.write("delay 1h; wait\r")
    session.see(/delay-1: executing for \d+ s/)
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.contains("executing for") })
    #expect(session.lines.contains("^C"))
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("A script shows it on a terminal, and a file or a pipe gets nothing of it")
  func scripts() throws {
    let script = "queue width 1; delay 300ms --count 8; wait"
    let home = try TemporaryFolder()
    let environment = Opsh.environment(["HOME": home.path])
    for redirected in [false, true] {
      let terminal = try PseudoTerminal(columns: 100, rows: 30)
      try terminal.start(
        "/bin/sh",
        arguments: [
          "-c",
          "\"$0\" --no-rc -c '\(script)' \(redirected ? "2>\"$HOME/errors\"" : ""); echo over",
          try BuiltProducts.executable("opsh"),
        ],
        environment: environment)
      #expect(terminal.wait(timeout: .seconds(60)) { $0.text.contains("over") })
      let output = String(decoding: terminal.output, as: UTF8.self)
      #expect(output.contains(" of 8 done") == !redirected)
      #expect(!terminal.screen.text.contains(" of 8 done"))
    }
    let errors = home.read("errors") ?? ""
    #expect(!errors.contains(" of 8 done") && errors.contains("delay-8"))
  }

  @Test("A terminal that cannot move its cursor gets none")
  func dumbTerminal() throws {
    let home = try TemporaryFolder()
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      "/bin/sh",
      arguments: [
        "-c", "\"$0\" --no-rc -c 'delay 1200ms; wait'; echo over",
        try BuiltProducts.executable("opsh"),
      ],
      environment: Opsh.environment(["HOME": home.path, "TERM": "dumb"]))
    #expect(terminal.wait(timeout: .seconds(60)) { $0.text.contains("over") })
    #expect(!String(decoding: terminal.output, as: UTF8.self).contains("executing for"))
  }
}
