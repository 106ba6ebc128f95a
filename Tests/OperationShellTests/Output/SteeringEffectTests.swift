import Foundation
import TestSupport
import Testing

@testable import ShellSession

/// What commands that steer show among the transitions.
@Suite("Effects of steering among the transitions", .timeLimit(.minutes(15)))
struct SteeringEffectTests {
  /// A session in which 'a' and 'b' execute and 'c', 'd' and 'e' wait, with a virtual clock.
  private func fixture(_ script: String = "") throws -> ShellFixture {
    let fixture = try ShellFixture(
      """
      set clock virtual
      for name in a b c d e { delay 1s --name $name }
      \(script)
      """)
    _ = fixture.session.screen.feed.skip()
    fixture.session.run.drainFeed()
    fixture.session.screen.feed.destination = .standardError
    return fixture
  }

  private func shown(_ line: String, in fixture: ShellFixture) throws -> [String] {
    try fixture.lines {
      try fixture.run(line)
      try fixture.session.run.pump()
    }.map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test(
    "Each says its effect in one line before what follows from it",
    arguments: [
      ("priority e high", ["0.000 e ready priority normal → high, now 1st of 3 on network"]),
      ("priority c low", ["0.000 c ready priority normal → low, now 3rd of 3 on network"]),
      (
        "priority d,e high",
        [
          "0.000 d ready priority normal → high, now 1st of 3 on network",
          "0.000 e ready priority normal → high, now 2nd of 3 on network",
        ]
      ),
      ("priority a high", ["0.000 a executing priority normal → high, it executes already"]),
      ("priority c normal", []),
      ("qos c background", ["0.000 c ready qos default → background"]),
      ("qos a utility", ["0.000 a executing qos default → utility, it executes already"]),
      (
        "deps c on d e",
        [
          "0.000 c ready depends on d, e, waits for 2",
          "0.000 c ready → pending now waits for d",
        ]
      ),
      ("queue pause", ["0.000 network queue paused 2 of 2 slots taken, 3 waiting"]),
      ("queue resume", []), ("queue width 2", []),
      (
        "queue width 3",
        [
          "0.000 network queue width 2 → 3 3 of 3 slots taken, 2 waiting",
          "0.000 c ready → executing slot 3 of 3 on network",
        ]
      ),
      (
        "queue width unlimited",
        [
          "0.000 network queue width 2 → unlimited 5 executing, unlimited width, 0 waiting",
          "0.000 c ready → executing slot 3 on network, unlimited width",
          "0.000 d ready → executing slot 4 on network, unlimited width",
          "0.000 e ready → executing slot 5 on network, unlimited width",
        ]
      ),
    ])
  func lines(_ line: String, _ expected: [String]) throws {
    let fixture = try fixture()
    #expect(try shown(line, in: fixture) == expected)
    fixture.session.screen.feed.destination = .off
  }

  @Test("What undoes a change says so, and a held operation has no place")
  func undone() throws {
    let fixture = try fixture("deps c on d; queue pause; delay 1s --name h --hold")
    #expect(
      try shown("deps c off d", in: fixture) == [
        "0.000 c pending no longer depends on d, waits for none",
        "0.000 c pending → ready no longer depends on d",
      ])
    #expect(
      try shown("queue resume", in: fixture) == [
        "0.000 network queue resumed 2 of 2 slots taken, 3 waiting"
      ])
    #expect(
      try shown("priority h high", in: fixture) == [
        "0.000 h created priority normal → high, it is on no queue"
      ])
    fixture.session.screen.feed.destination = .off
  }

  @Test("A filter of states, or of other names, leaves them out; the command's text stays its own")
  func filtered() throws {
    let fixture = try fixture("events filter c")
    #expect(try shown("priority d high; queue pause", in: fixture) == [])
    #expect(try shown("priority c high", in: fixture).count == 1)
    try fixture.run("events filter finished")
    #expect(try shown("priority c low", in: fixture) == [])
    try fixture.run("events filter")
    #expect(try fixture.text(of: "priority c high") == "")
    fixture.session.screen.feed.destination = .off
  }

  private static let expected = [
    "network|isSuspended|0|1|0 of 2 slots taken, 0 waiting",
    "a-2|queuePriority|normal|high|now 1st of 2 on network",
    "a-1|dependencies|[]|[\"a-2\"]|waits for 1",
    "a-1|qualityOfService|default|utility|",
    "network|maxConcurrentOperationCount|2|1|0 of 1 slot taken, 2 waiting",
    "network|isSuspended|1|0|1 of 1 slot taken, 1 waiting",
    "a-1|queuePriority|normal|low|now 1st of 1 on network",
    "a-1|queuePriority|normal|low|no reason",
  ]

  @Test("With --json each is a 'change' object with its reason, as 'observe' has it without")
  func objects() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual; queue pause; delay 1s --name a --count 2
      priority a-2 high; deps a-1 on a-2; qos a-1 utility; queue width 1; queue resume
      observe a-1 queuePriority; priority a-1 low; wait
      """, options: ["--json"])
    var changes: [String] = []
    for line in outcome.output.split(separator: "\n") where line.contains(#""type":"change""#) {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let subject = (object["operation"] as? [String: Any])?["name"] ?? object["queue"] ?? "?"
      let parts = [
        subject, object["keyPath"] ?? "?", object["old"] ?? "?", object["new"] ?? "?",
        object["reason"] ?? "no reason",
      ]
      changes.append(parts.map { "\($0)" }.joined(separator: "|").filter { !$0.isNewline })
    }
    #expect(changes == Self.expected, "\(outcome.output)")
  }
}
