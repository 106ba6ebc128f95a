import Operations
import ShellLanguage
import Testing

@testable import ShellSession

@Suite("Priority inversions and rate limits in 'why' and 'doctor'", .timeLimit(.minutes(5)))
struct InversionTests {
  private static let setup = """
    set clock virtual
    queue width 1
    queue pause
    delay 1s --name low --priority veryLow
    delay 1s --count 3
    delay 1s --name middle --priority low --hold
    delay 1s --name high --priority veryHigh --after low
    """
  private static let text = "priority inversion: high (veryHigh) waits for low (veryLow), 4th of 4"

  @Test("A dependency of lower priority that others overtake is an inversion, with its cure")
  func tells() throws {
    let fixture = try ShellFixture(Self.setup)
    for command in ["why high", "doctor"] {
      let lines = try fixture.output(of: command)
      #expect(lines.contains { $0.contains(Self.text + "  → priority low veryHigh") }, "\(lines)")
    }
    #expect(try fixture.text(of: "why high --json").contains(Self.text))
    #expect(try fixture.text(of: "why low").contains("inversion") == false)
    try fixture.run("priority low veryHigh")
    #expect(try fixture.text(of: "why high; doctor").contains("inversion") == false)
  }

  @Test("A dependency that is next, or of equal priority, is no inversion")
  func isQuiet() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue pause; delay 1s --name a --priority low
      delay 1s --name b --priority high --after a; delay 1s --name c; delay 1s --name d --after c
      cancel c
      """)
    #expect(try fixture.text(of: "why d").contains("inversion") == false)
    try fixture.run("queue cancel; priority a veryHigh")
    #expect(try fixture.text(of: "doctor").contains("inversion") == false)
  }

  @Test("A dependency of a dependency counts")
  func isIndirect() throws {
    let fixture = try ShellFixture(
      Self.setup + "\ndelay 1s --name top --priority high --after high")
    let text = try fixture.text(of: "why top")
    #expect(text.contains("top (high) waits for low (veryLow), 4th of 4"), "\(text)")
  }

  @Test("Slots that all pause because a server asked for it are a rate limit, which 'auto' cures")
  func tellsRateLimit() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; server fault status-429 100% --duration 5s
      fetch questions --count 4 --retry 3; sleep 200ms
      """)
    for command in ["why questions-4", "why"] {
      let text = try fixture.text(of: command)
      #expect(text.contains("all 2 slots of queue 'network' pause for a rate limit"), "\(text)")
      #expect(text.contains("→ queue width network auto"), "\(text)")
      #expect(!text.contains("unlimited"), "\(text)")
    }
    try fixture.run("server reset; cancel all")
  }
}
