import Operations
import ShellLanguage
import Testing

@Suite("Deadlock detection beyond dependencies", .timeLimit(.minutes(15)))
struct ProgressOfGroupsTests {
  /// A script that leaves operations, and which of them can finish by themselves.
  struct Case: Sendable, CustomTestStringConvertible {
    let script: String
    let can: [String]
    let cannot: [String]

    var testDescription: String { script }
  }

  static let cases: [Case] = [
    Case(script: "group g { delay 60s --name a }", can: ["g", "a"], cannot: []),
    Case(script: "group g --hold { delay 60s --name a }", can: [], cannot: ["g", "a"]),
    Case(
      script: "group g --hold { group h { delay 60s --name a } }; delay 60s --after a --name b",
      can: [], cannot: ["g", "h", "a", "b"]),
    Case(
      script: "group g { queue width 1; delay 60s --name a; delay 60s --name b }",
      can: ["g", "a", "b"], cannot: []),
    Case(
      script: "group g { queue pause; delay 60s --name a }; delay 60s --after g --name b",
      can: [], cannot: ["g", "a", "b"]),
    Case(
      script: "queue pause; delay 60s --name a; queue barrier --name bar; delay 60s --name b",
      can: [], cannot: ["a", "bar", "b"]),
    Case(
      script: """
        delay 60s --name a; delay 60s --name held --hold; delay 60s --after held --name b
        queue barrier --name bar; delay 60s --name c; queue new q; delay 60s --queue q --name d
        """, can: ["a", "d"], cannot: ["held", "b", "bar", "c"]),
    Case(
      script: "delay 60s --name a; queue barrier --name bar; delay 60s --name c",
      can: ["a", "bar", "c"], cannot: []),
    Case(
      script: "delay 60s --exclusive x --name a; delay 60s --exclusive x,y --name b",
      can: ["a", "b"], cannot: []),
    Case(script: "delay 60s --delay 60s --name a", can: ["a"], cannot: []),
    Case(script: "queue pace 60s; delay 60s --count 2 --name a", can: ["a-1", "a-2"], cannot: []),
  ]

  @Test("The wait graph has the expected edges", arguments: cases)
  func verdicts(_ expected: Case) throws {
    let fixture = try ShellFixture(expected.script)
    for name in expected.can {
      #expect(try fixture.operation(name).canFinish, "\(name) can")
    }
    for name in expected.cannot {
      #expect(try !fixture.operation(name).canFinish, "\(name) can't")
    }
    try fixture.run("cancel all")
  }

  @Test(
    "A deadlocked wait in a body fails at once",
    arguments: [
      // The waiting operation holds the name.
      (
        "delay 1ms --exclusive x --name b --hold; block --exclusive x --name a { start b; wait b }",
        "the wait can never end"
      ),
      // The waiting operation holds the only slot.
      (
        "queue width 1; delay 1ms --name b --hold; block --name a { start b; wait b }",
        "the wait can never end"
      ),
      (
        "group g --width 1 { block --name a { delay 1ms --name b; wait b } }",
        "the wait can never end"
      ),
      ("group g { block --name a { wait queue network } }", "'a' can't wait for itself"),
      ("queue barrier --name a { delay 1ms --name b; wait b }", "the wait can never end"),
    ])
  func stuckBodies(_ script: String, _ beginning: String) throws {
    let fixture = try ShellFixture()
    try fixture.run(script)
    #expect(try fixture.pump { try fixture.operation("a").state == .finished })
    let message = try fixture.operation("a").outcome?.failure?.message ?? ""
    #expect(message.hasPrefix(beginning), "\(message)")
    try fixture.run("cancel all")
  }

  /// What remains of a script in which waits of bodies are deadlocked.
  struct Refused: Sendable, CustomTestStringConvertible {
    let script: String
    let failed: [String]
    let succeeded: [String]

    var testDescription: String { script }
  }

  @Test(
    "Of deadlocked waits only the innermost is refused, and those around it go on",
    arguments: [
      Refused(
        script: "queue width 1; block --name o { delay 1ms --name z; wait z }",
        failed: ["o"], succeeded: ["z"]),
      Refused(
        script:
          "queue width 1; block --name o { block --name i { delay 1ms --name z; wait z }; wait i }",
        failed: ["o", "i"], succeeded: ["z"]),
      Refused(
        script: """
          queue width 2
          block --name o {
            block --name i { delay 1ms --name z; wait z }
            wait i --any-outcome
          }
          """, failed: ["i"], succeeded: ["o", "z"]),
      Refused(
        script: """
          block --name o --hold { wait i --any-outcome }
          block --name i --hold { wait o --any-outcome }
          start o i
          """, failed: ["i"], succeeded: ["o"]),
    ], ["real", "virtual"])
  func innermost(_ refused: Refused, clock: String) throws {
    for _ in 1...20 {
      let fixture = try ShellFixture("set clock \(clock)\n\(refused.script)\nwait --any-outcome")
      for name in refused.failed {
        let message = try fixture.operation(name).outcome?.failure?.message ?? ""
        #expect(message.hasPrefix("the wait can never end"), "\(name): \(message)")
      }
      for name in refused.succeeded {
        #expect(try fixture.operation(name).outcome == .succeeded, "\(name)")
      }
    }
  }

  @Test(
    "A wait outside of a body fails at once if no refusal helps", arguments: ["real", "virtual"])
  func outermost(clock: String) throws {
    let fixture = try ShellFixture(
      """
      set clock \(clock)
      queue new p; queue pause p
      delay 1ms --name a --queue p
      block --name o { wait a }
      """)
    #expect(try fixture.error(of: "wait o a").message.contains("can never end"))
    #expect(try fixture.operation("o").outcome?.failure?.code == "never-ends")
    #expect(try fixture.error(of: "wait a").code == "never-ends")
    try fixture.run("cancel all")
  }

  @Test("A wait in a body ends if a slot can still become free for its target")
  func goingBodies() throws {
    let fixture = try ShellFixture(
      """
      queue width 2
      delay 1ms --name c --hold
      block --name a { start c; wait c }
      delay 50ms --name b
      wait
      """)
    #expect(try fixture.operation("a").outcome == .succeeded)
  }
}
