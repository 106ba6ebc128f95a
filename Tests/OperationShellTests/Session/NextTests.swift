import Foundation
import Operations
import ShellLanguage
import Testing

@testable import ShellOutput
@testable import ShellSession

/// `next`: steps on the virtual clock.
@Suite("Steps on the virtual clock", .timeLimit(.minutes(15)))
struct NextTests {
  /// A session, then lines that are typed, each with what it prints.
  struct Walk: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let typed: [(line: String, shown: [String])]

    init(_ description: String, _ script: String, _ typed: [(line: String, shown: [String])]) {
      (testDescription, self.script, self.typed) = (description, script, typed)
    }
  }

  static let walks = [
    Walk(
      "An end and the start that follows are one step", "queue width 1; delay 1s --count 2",
      [
        (
          "next",
          [
            "1.000 delay-1 executing → finished ✓ 1 s",
            "1.000 delay-2 ready → executing slot 1 of 1 on network", "1.000 after 1 step",
          ]
        ),
        ("next", ["2.000 delay-2 executing → finished ✓ 1 s", "2.000 after 1 step"]),
        (
          "next",
          [
            "2.000 after 0 steps; nothing can happen by itself any more: "
              + "every operation has finished"
          ]
        ),
      ]),
    Walk(
      "Ends at the same time are steps of their own, and a slot is given after the last",
      "delay 1s --name a; delay 1s --name b; delay 1s --name c",
      [
        ("next", ["1.000 a executing → finished ✓ 1 s", "1.000 after 1 step"]),
        ("echo (b.state) (c.state)", ["executing ready"]),
        (
          "next",
          [
            "1.000 b executing → finished ✓ 1 s",
            "1.000 c ready → executing slot 1 of 2 on network", "1.000 after 1 step",
          ]
        ),
      ]),
    Walk(
      "What is typed between two ends of one time starts at once",
      "delay 1s --name a; delay 1s --name b",
      [
        ("next", ["1.000 a executing → finished ✓ 1 s", "1.000 after 1 step"]),
        (
          "delay 1s --name c",
          [
            "1.000 c created → pending added to network", "1.000 c pending → ready no dependencies",
            "1.000 c ready → executing slot 1 of 2 on network",
          ]
        ),
        ("next", ["1.000 b executing → finished ✓ 1 s", "1.000 after 1 step"]),
      ]),
    Walk(
      "What one statement of a body does is a step, and the end of the body",
      "queue new side; block --name b { delay 1s --count 2 --queue side; echo x; cancel delay-2 }",
      [
        (
          "next",
          [
            "0.000 delay-1 created → pending added to side",
            "0.000 delay-1 pending → ready no dependencies",
            "0.000 delay-2 created → pending added to side",
            "0.000 delay-2 pending → ready no dependencies",
            "0.000 delay-1 ready → executing slot 1 of 2 on side",
            "0.000 delay-2 ready → executing slot 2 of 2 on side", "0.000 after 1 step",
          ]
        ),
        ("echo (b.state) (delay-2.state)", ["executing executing"]),
        (
          "next",
          [
            "x",
            "0.000 delay-2 executing, cancelled cancelled while executing, by the body of 'b'",
            "0.000 delay-2 executing → finished ⊘ cancelled after 0 s", "0.000 after 1 step",
          ]
        ),
        ("next", ["0.000 b executing → finished ✓ 0 s", "0.000 after 1 step"]),
      ]),
    Walk(
      "Handlers belong to the step of their event, and may act before the next one",
      """
      delay 1s --name a; block --name b { sleep 1s; echo b }
      on a finished { echo $self.name; cancel b }
      """,
      [
        (
          "next",
          [
            "1.000 a executing → finished ✓ 1 s", "a",
            "1.000 b executing, cancelled cancelled while executing, by the handler 'on a finished'",
            "1.000 after 1 step",
          ]
        ),
        (
          "next", ["b", "1.000 b executing → finished ⊘ cancelled after 1 s", "1.000 after 1 step"]
        ),
      ]),
    Walk(
      "What changes no state is no step of its own",
      "block --retry 2 --backoff 1s --jitter 0% --name r { fail \"no\" }",
      [
        (
          "next",
          [
            "0.000 r executing, pause pauses 1 s before attempt 2 of 3: script",
            "1.000 r executing, again attempt 2 of 3 after script and a pause of 1 s",
            "1.000 r executing, pause pauses 2 s before attempt 3 of 3: script",
            "3.000 r executing, again attempt 3 of 3 after script and a pause of 2 s",
            "3.000 r executing → finished ✗ script: no (test:2)", "3.000 after 1 step",
          ]
        )
      ]),
    Walk(
      "With an operation it goes on until the operation changes",
      "queue width 1; delay 1s --name a; delay 1s --name b; delay 1s --name c --after b",
      [
        (
          "next c",
          [
            "1.000 a executing → finished ✓ 1 s",
            "1.000 b ready → executing slot 1 of 1 on network",
            "2.000 b executing → finished ✓ 1 s", "2.000 c pending → ready dependencies met: b",
            "2.000 c ready → executing slot 1 of 1 on network",
            "2.000 after 2 steps until 'c' changed",
          ]
        ),
        (
          "next --operation 3",
          ["3.000 c executing → finished ✓ 1 s", "3.000 after 1 step until 'c' changed"]
        ),
        ("next c", ["3.000 after 0 steps; 'c' has finished and can't change any more"]),
      ]),
    Walk(
      "It takes no step for an operation that can't change",
      "queue new shut; queue pause shut; delay 1s --name a; delay 1s --name z --queue shut",
      [
        (
          "next z",
          [
            "0.000 after 0 steps; nothing can change it by itself any more: 'z': queue 'shut' is "
              + "paused → queue resume shut"
          ]
        ),
        (
          "next 9",
          [
            "1.000 a executing → finished ✓ 1 s",
            "1.000 after 1 of 9 steps; nothing can happen by itself any more: 'z': queue 'shut' is "
              + "paused → queue resume shut",
          ]
        ),
      ]),
    Walk(
      "The beginning of a group belongs to the statement that has built it",
      "group g { delay 1s --name m; delay 1s --name n --after m }",
      [
        (
          "next",
          [
            "0.000 m ready → executing slot 1 on g, unlimited width",
            "1.000 m executing → finished ✓ 1 s",
            "1.000 n pending → ready dependencies met: m",
            "1.000 n ready → executing slot 1 on g, unlimited width", "1.000 after 1 step",
          ]
        ),
        (
          "next",
          [
            "2.000 n executing → finished ✓ 1 s", "2.000 g executing → finished ✓ 2 succeeded",
            "2.000 after 1 step",
          ]
        ),
      ]),
    Walk(
      "A ready operation that will start and never end can change once",
      "queue width 1; delay 1s --name a; async x { echo begun }",
      [
        (
          "next x",
          [
            "1.000 a executing → finished ✓ 1 s",
            "1.000 x ready → executing slot 1 of 1 on network",
            "1.000 after 1 step until 'x' changed",
          ]
        )
      ]),
  ]

  @Test("Each step shows what happened in it", arguments: walks)
  func shows(_ walk: Walk) throws {
    let fixture = try ShellFixture("set clock virtual\n" + walk.script)
    _ = fixture.session.screen.feed.skip()
    fixture.session.run.drainFeed()
    fixture.session.screen.feed.destination = .standardError
    for (line, expected) in walk.typed {
      let shown = try fixture.lines {
        try fixture.run(line)
        try fixture.session.run.pump()
      }
      #expect(shown.map(squeezed) == expected, "\(line)")
    }
    fixture.session.screen.feed.destination = .off
  }

  private func squeezed(_ line: String) -> String {
    line.split(separator: " ").joined(separator: " ")
  }

  @Test("Nothing moves between statements: not a body, not a timer, not while looking")
  func standsStill() throws {
    let folder = try ScratchFolder()
    let x = "'\(folder.path)/x'"
    let fixture = try ShellFixture(
      """
      set clock virtual; queue new side
      delay 1s --name a; delay 1s --name b
      on a finished { echo x > \(x) }
      block --name c --queue side { delay 1s --name d; delay 2s --name e }
      """)
    for count in 0..<6 {
      let before = (fixture.session.jobs.engine.log.count, fixture.session.run.clock.now)
      try fixture.run(
        "ops > \(x); why > \(x); queue > \(x); tree > \(x); doctor > \(x); let n = \(count)")
      for _ in 0..<20 { try fixture.session.run.pumpAtPrompt() }
      #expect(
        (fixture.session.jobs.engine.log.count, fixture.session.run.clock.now) == before)
      #expect(try fixture.run("next > \(x)").text == "1")
    }
  }

  @Test("Main queue, pace and requests take one step for each event, and a deadlock is told")
  func kinds() throws {
    for (script, steps) in [
      ("delay 1s; block --queue main --after delay-1 { delay 1s; sleep 1s }", 1),
      ("queue pace 1s; delay 0s --count 3", 5), ("fetch questions --count 2", 2),
      ("group g { delay 1s; delay 2s }", 2), ("async x { sleep 1s; finish x }", 1),
    ] {
      let fixture = try ShellFixture("set clock virtual; \(script)")
      #expect(try fixture.session.run.step(99).taken == steps, "\(script)")
    }
    let stuck = try ShellFixture(
      "set clock virtual; delay 1s --name y --hold; block --name x --after y { echo no }")
    #expect(
      try stuck.output(of: "next 3") == [
        "0.000 after 0 of 3 steps; nothing can happen by itself any more: 'y', 'x': 'y' is on no "
          + "queue, so nothing will start it → start y"
      ])
  }

  @Test("Its value is the number of steps, and an integer in a variable is a count")
  func value() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1s --count 6; delay 9s --name 'n3'")
    #expect(try fixture.run("let n = 2; next $n").text == "2")
    #expect(try fixture.run("let o = (n3.id); next $o").text == "5")
    #expect(try fixture.run("next 5").text == "0")
  }
}
