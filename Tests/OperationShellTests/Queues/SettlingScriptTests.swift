import Operations
import Testing

@testable import ShellSession

/// Scripts in which several things follow from one event.
@Suite(
  "Scripts in which a slot is given after all that follows from one event",
  .timeLimit(.minutes(15)))
struct SettlingScriptTests {
  /// The names of the operations that have executed, in the order of their starts.
  private func started(_ fixture: ShellFixture) -> [String] {
    fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
      .filter { $0.event == .transition && $0.to == .executing }.map(\.operation.name)
  }

  @Test(
    "The dependent of a skipped operation starts before one with a lower priority",
    arguments: [true, false])
  func skipped(isVirtual: Bool) throws {
    let fixture = try ShellFixture(
      """
      \(isVirtual ? "set clock virtual" : "")
      queue width 1
      block --name n1 { sleep 20ms; fail "x" }
      delay 20ms --name n3 --after n1 --on-failure skip
      delay 20ms --name urgent --priority veryHigh --after n3
      delay 20ms --name later --priority low --after n1
      wait --any-outcome
      """)
    #expect(started(fixture) == ["n1", "urgent", "later"])
  }

  @Test(
    "A slot is given after all ends of one time",
    arguments: [
      "delay 1s --name a --queue other; delay 1s --name b --queue other",
      "block --name a --queue other { sleep 1s }; block --name b --queue other { sleep 1s }",
      "delay 1s --name a --queue other; block --name b --queue other { sleep 1s }",
      "delay 1m --name a --queue other; delay 1m --name b --queue other",
      "group b --queue other { delay 1s --name a }",
    ])
  func oneTime(ends: String) throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new line --width 1; queue new other --width 2
      \(ends)
      delay 1s --name low --queue line --priority low --after a
      delay 1s --name urgent --queue line --priority veryHigh --after b
      \(ends.contains("1m") ? "sleep 1s; cancel a b" : "")
      wait --any-outcome
      """)
    #expect(started(fixture).suffix(2) == ["urgent", "low"])
  }

  @Test("Of several held operations that are started together the first by priority starts first")
  func startSeveral() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 1s --name low --hold
      delay 1s --name high --hold --priority high
      start low high
      wait
      """)
    #expect(started(fixture) == ["high", "low"])
  }

  @Test("Of several operations that are retried together the first by priority starts first")
  func retrySeveral() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 1s --name low
      delay 1s --name high --priority high
      wait
      retry low high
      wait
      """)
    let kinds = started(fixture).map { $0.prefix(while: \.isLetter) }
    #expect(kinds == ["low", "high", "high", "low"])
  }

  @Test("What a statement adds at a time at which more is due executes at once")
  func addedInBetween() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width unlimited
      block --name a { sleep 1s }
      block --name b { sleep 1s; delay 1s --name y; expect (y.state == executing) }
      block --name c { sleep 1s }
      wait a
      delay 1s --name x
      expect (x.state == executing)
      wait
      """)
    #expect(try fixture.operation("b").outcome == .succeeded)
  }

  @Test("A step starts what the end of a cancelled operation has made ready")
  func step() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 2
      queue pause
      delay 1s --name gone
      delay 1s --name low --priority low
      delay 1s --name urgent --priority veryHigh --after gone
      cancel gone
      """)
    #expect(
      try fixture.output(of: "queue step network 2") == [
        "gone takes slot 1 of 2 on network: it was cancelled, and ends without running",
        "urgent takes slot 1 of 2 on network: it has the highest priority, veryHigh, of 2 ready",
      ])
    try fixture.run("queue resume; wait --any-outcome")
  }
}
