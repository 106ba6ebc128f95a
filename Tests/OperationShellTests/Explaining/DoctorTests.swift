import TestSupport
import Testing

@Suite("'doctor'", .timeLimit(.minutes(5)))
struct DoctorTests {
  private static let script = """
    set clock virtual
    let bad = true
    block --name c { if ($bad) { fail "x" } }; delay 1s --name d --after c --on-failure skip
    wait --any-outcome

    """

  @Test(
    "The command that a finding names ends it",
    arguments: [
      (retries: "", finding: "d did not run, because 'c' failed  → retry c"),
      ("let bad = false; retry c; wait", "d did not run, because 'c' failed  → retry d"),
      ("let bad = false; retry c; wait; retry d; wait", "nothing is wrong"),
    ])
  func cures(_ retries: String, _ finding: String) throws {
    let outcome = try Opsh.run("\(Self.script)\(retries)\ndoctor")
    #expect(outcome.output.contains(finding), "\(outcome.output)")
  }

  @Test(
    "The root is what nothing ends by itself",
    arguments: [
      (
        "queue width 1; delay 1h --name a; delay 1ms --name b; queue pause",
        "b will never finish: queue 'network' is paused  → queue resume network"
      ),
      (
        "queue width 1; async a { let x = 1 }; sleep 1ms; delay 1s --name b --delay 1h",
        "a, b will never finish: 'a' has done its work, and nothing has called finish  → finish a"
      ),
      (
        "group g --width 1 { async a { let x = 1 }; delay 1ms --name b }; sleep 1ms",
        "g, a, b will never finish: 'a' has done its work, and nothing has called finish  → finish a"
      ),
      (
        "delay 1h --name c; delay 1ms --name a --after c; delay 1ms --name h --hold\n"
          + "delay 1ms --name b --after h --after a",
        "h, b will never finish: 'h' is on no queue, so nothing will start it  → start h"
      ),
      (
        "async a --timeout 1h { let x = 1 }; sleep 1ms; delay 1ms --name h --hold\n"
          + "delay 1ms --name b --after h --after a",
        "h, b will never finish: 'h' is on no queue, so nothing will start it  → start h"
      ),
    ])
  func roots(_ script: String, _ finding: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)\ndoctor\nquit --now")
    #expect(outcome.output.contains(finding), "\(outcome.output)")
  }

  @Test(
    "Where several commands are needed, a finding names each",
    arguments: [
      (
        "queue pause; queue width 0; delay 1ms --name x",
        [
          "x will never finish: queue 'network' is paused  → queue resume network",
          "queue 'network' has width 0, and 1 operation is on it  → queue width network 1",
        ]
      ),
      (
        "queue pause; delay 1ms --name x; delay 1ms --name y --hold; delay 1ms --name z --after x,y",
        [
          "x, z will never finish: queue 'network' is paused  → queue resume network",
          "y is held, and nothing starts it  → start y",
        ]
      ),
    ])
  func several(_ script: String, _ findings: [String]) throws {
    let cures = findings.compactMap { $0.split(separator: "→ ").last }.joined(separator: "; ")
    let outcome = try Opsh.run("set clock virtual\n\(script)\ndoctor\n\(cures); wait; doctor")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    for finding in findings { #expect(lines.contains(finding), "\(outcome.output)") }
    #expect(lines.last?.hasPrefix("nothing is wrong") == true, "\(outcome.output)")
  }

  @Test(
    "The operations on a paused queue are counted",
    arguments: [
      ("", "is paused; what is added to it waits"),
      ("delay 5s; ", "is paused, and 1 operation is on it"),
      ("delay 5s --count 2; ", "is paused, and 2 operations are on it"),
    ])
  func pausedQueue(_ script: String, _ finding: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)queue pause\ndoctor\nquit --now")
    #expect(outcome.output.contains("queue 'network' \(finding)"), "\(outcome.output)")
  }

  @Test(
    "An operation starves behind those of a higher priority, not behind its equals",
    arguments: [
      (
        "low",
        "'a' has been ready for 2.50 s, and 3 operations with a higher priority started before it"
          + "  → priority a veryHigh"
      ),
      ("normal", "nothing is wrong: 2 operations unfinished, and all can finish"),
    ])
  func starvation(_ level: String, _ finding: String) throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      queue pause; queue width 1; delay 1s --name a; delay 1s --count 3
      priority a low; priority a \(level)
      queue resume; sleep 2.5s; doctor; quit --now
      """)
    #expect(outcome.output.contains(finding), "\(outcome.output)")
  }

  @Test(
    "An operation starves behind those that took its names, not behind those whose turn was first",
    arguments: [
      (
        "b", "high",
        "'both' has been ready for 3.50 s, and 3 operations that need 'b' started before it"
          + "  → priority both veryHigh"
      ),
      ("b", "normal", "nothing is wrong: 5 operations unfinished, and all can finish"),
      ("c", "high", "nothing is wrong: 2 operations unfinished, and all can finish"),
    ])
  func starvationByNames(_ name: String, _ level: String, _ finding: String) throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      queue new other --width 1
      delay 60s --name holder --exclusive a; delay 1s --name both --exclusive a,b
      delay 1s --count 3 --queue other --exclusive \(name) --priority \(level)
      sleep 3.5s; doctor; quit --now
      """)
    #expect(outcome.output.contains(finding), "\(outcome.output)")
  }

  @Test("What a failure stopped is cured from the first of a chain, which is the failure")
  func chain() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      block --name a { fail x }
      delay 1ms --name b --after a --on-failure skip
      delay 1ms --name c --after b --on-failure skip
      wait --any-outcome
      retry b; wait --any-outcome
      doctor
      """)
    #expect(outcome.output.contains("did not run, because 'a' failed  → retry a"))
    #expect(!outcome.output.contains("retry b"), "\(outcome.output)")
  }

  @Test("'why' of a queue counts those that wait, not the one that keeps them")
  func waitingOnes() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      queue width 1; async j { let x = 1 }; delay 1s --name l; sleep 10ms; why; finish j
      """)
    #expect(outcome.output.contains("  'l' waits: 'j' has done its work"), "\(outcome.output)")
  }

  @Test(
    "'why' of a queue names what nothing ends by itself, not what passes",
    arguments: [
      (
        "queue new q; queue pause q; block --name f --exclusive x --retry 1 --backoff 4s { fail no }\n"
          + "delay 1s --name o --queue q --exclusive x",
        "  'o' waits: queue 'q' is paused  → queue resume q"
      ),
      (
        "delay 1s --name h --hold; block --name f --retry 1 --backoff 9s { fail no }\n"
          + "delay 1s --name o --after h,f",
        "  'o' waits: 'h' is on no queue, so nothing will start it  → start h"
      ),
    ])
  func lasting(_ script: String, _ line: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)\nsleep 1s; why; quit --now")
    #expect(outcome.output.contains(line), "\(outcome.output)")
  }

  @Test("What was held for a group that has finished has no cure, and 'start' is none")
  func heldTooLong() throws {
    let outcome = try Opsh.run(
      "set clock virtual; group g { delay 1ms; delay 1ms --name l --hold }; wait g; doctor")
    #expect(outcome.output.contains("'l' was not started while group 'g' went on"))
    #expect(!outcome.output.contains("start l"), "\(outcome.output)")
  }

  @Test("'why' shows what happens first, then what it says of that")
  func orderOfLines() throws {
    let outcome = try Opsh.shell(
      "'set clock virtual; queue width 1; delay 5s; delay 5s --name b; cancel all; why b'",
      then: "2>&1")
    let lines = outcome.output.split(separator: "\n")
    let end = lines.firstIndex { $0.contains("b            ready → finished") }
    let verdict = lines.firstIndex { $0.contains("b has finished: ") }
    #expect(try #require(end) < #require(verdict), "\(outcome.output)")
  }

  @Test("An operation that executes already has no cure for what it depended on")
  func tooLate() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      block --name a { fail x }; delay 1s --name b --after a; sleep 5ms; doctor; quit --now
      """)
    #expect(outcome.output.contains("nothing is wrong"), "\(outcome.output)")
  }
}
