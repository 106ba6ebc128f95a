import Foundation
import TestSupport
import Testing

@Suite("Many events at the prompt", .serialized, .timeLimit(.minutes(15)))
struct FloodTests {
  /// The limit of bytes per second, and an allowance for other text than events.
  private static let rate = 24_000.0
  private static let besides = 30_000.0

  @Test(
    "Ctrl-C replaces the unshown events by one line",
    arguments: [
      "delay 1ms --count 30000; wait",
      "while (true) { delay 0s --count 100 }",
    ])
  func interrupted(statement: String) throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    let start = ContinuousClock.now
    let before = session.terminal.output.count
    session.terminal.write(statement + "\r")
    session.see("executing → finished")
    session.terminal.write("\u{3}")
    session.see(/… [0-9,]+ more; 'log' shows them/)
    session.waitForPrompt()
    let seconds = Double((ContinuousClock.now - start).components.seconds + 1)
    let written = Double(session.terminal.output.count - before)
    #expect(written < Self.besides + Self.rate * seconds)
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Ctrl-C while many are being built says how many stay, and those are there")
  func building() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history", "--events", "off"])
    session.terminal.write("block --count 1000000 { echo begun; sleep 1h }; echo never\r")
    session.see(/^ *begun/)
    session.terminal.write("\u{3}")
    session.see(/interrupted: [0-9]+ of 1000000 operations were built/)
    session.see("not run: 'echo never'")
    session.waitForPrompt()
    session.enter("expect ((count of ops) == (network.ready + network.executing))")
    session.see("met: ")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("Handlers receive every event, shown or not")
  func handedOn() throws {
    let session = try PromptSession(arguments: ["--no-rc", "--no-history"])
    session.enter("events all")
    session.enter("let seen = 0")
    session.enter("delay 1h --count 2000")
    session.enter("on all finished { let seen = ($seen + 1) }")
    session.terminal.write("cancel all\r")
    session.see(/… [0-9,]+ more; 'log' shows them/)
    session.waitForPrompt()
    session.enter("expect ($seen == 2000) within 30s")
    session.see("met: ")
    session.enter("expect ((count of ops where cancelled) == 2000)")
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("At the prompt a file receives every event immediately")
  func promptFile() throws {
    let home = try TemporaryFolder()
    let path = home.path + "/events.txt"
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      "/bin/sh",
      arguments: [
        "-c", "exec \"$0\" --no-rc --events stderr 2>'\(path)'",
        try BuiltProducts.executable("opsh"),
      ],
      environment: Opsh.environment(["HOME": home.path, "PAGER": "cat"]))
    #expect(terminal.wait(for: "opsh"))
    terminal.write("delay 0s --count 2000\r")
    let isWhole = terminal.wait { _ in
      (home.read("events.txt") ?? "").split(separator: "\n").count >= 4 * 2000
    }
    #expect(isWhole)
    #expect(home.read("events.txt")?.contains(" more") == false)
    terminal.write("quit --now\r")
    #expect(terminal.waitForExit()?.status == 0)
  }

  @Test("A file or a pipe receives every event")
  func files() throws {
    let outcome = try Opsh.text("delay 0s --count 3000; wait")
    #expect(outcome.status == 0)
    #expect(outcome.errors.split(separator: "\n").count == 4 * 3000)
    #expect(!outcome.errors.contains(" more"))
  }

  @Test("Ctrl-C ends a script without a line for each cancelled operation")
  func script() throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      try BuiltProducts.executable("opsh"),
      arguments: ["--no-rc", "-c", "delay 1h --count 5000; echo built; wait"],
      environment: Opsh.environment([:]))
    #expect(terminal.wait(for: "built"))
    terminal.write("\u{3}")
    #expect(terminal.waitForExit()?.status == 128 + SIGINT)
    let text = String(decoding: terminal.output, as: UTF8.self)
    let after = text.components(separatedBy: "^C").last ?? ""
    #expect(after.split(separator: "\n").count < 300)
    #expect(after.contains(/… [0-9,]+ more\u{1B}/))
  }
}
