import ShellLanguage
import TestSupport
import Testing

/// Which waits can end, and so are no error.
@Suite("Waits that something later ends", .timeLimit(.minutes(15)))
struct WaitEndTests {
  private static let clocks = ["", "set clock virtual\n"]

  @Test(
    "A body's wait goes on while statements may still end it", arguments: clocks,
    [
      "queue pause; delay 1ms --name a; block --queue system { wait a }; sleep 50ms; queue resume",
      "async a { }; block { wait a }; sleep 50ms; finish a",
      "async a { }; block { follow a }; sleep 50ms; finish a",
      "async a { }; block { time { wait a --timeout 60s } }; sleep 50ms; finish a",
      "delay 1ms --name a --hold; block { wait a }; sleep 50ms; start a",
      "async a { }; block { wait a }; never (1 == 2) until (a.running > 50ms); finish a",
      "async a { }; block --queue system { follow a }; delay 50ms --name x; wait x; finish a",
      "async a { }; delay 50ms --name x; on x finished { finish a }; block { follow a }",
    ])
  func statements(_ clock: String, _ script: String) throws {
    let outcome = try Opsh.run("\(clock)\(script)\nwait\nexpect (block-1.outcome == succeeded)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A wait is refused as soon as the end of a delay was the last that could change")
  func delayedBehindHeld() throws {
    for clock in Self.clocks {
      let outcome = try Opsh.run(
        "\(clock)block --name h --hold { }; delay 1ms --name a --after h --delay 3ms; wait a")
      #expect(outcome.status == 1 && outcome.errors.contains("[never-ends]"), "\(outcome.errors)")
    }
  }

  @Test("A wait that can't end names three operations, and how many more there are")
  func manyReasons() throws {
    for count in 3...5 {
      let outcome = try Opsh.run("queue pause; delay 1ms --count \(count); wait")
      let more = count > 3 ? " and \(count - 3) more" : ""
      #expect(outcome.errors.contains("'delay-3'\(more): "), "\(outcome.errors)")
    }
  }

  @Test(
    "A body that waits for the queue it is on, or that a group around it is on, is refused",
    arguments: [
      "block --name b { wait queue network }", "group g { block --name b { wait queue network } }",
    ])
  func ownQueue(_ script: String) throws {
    let outcome = try Opsh.run(
      "set clock virtual\n\(script)\nwait --any-outcome\necho (b.error.code)")
    #expect(outcome.output == "waits-for-itself\n", "\(outcome.errors)")
  }

  @Test(
    "A body's wait that no statement can end any more is refused", arguments: clocks,
    [
      "async a { }; block { wait a }; wait block-1 --any-outcome",
      "async a { }; block { wait a }; sleep 50ms; wait block-1 --any-outcome",
      "async a { }; block { follow a }; sleep 50ms; queue drain network --any-outcome --timeout 9s",
      "block --hold { wait b }; block --name b { wait block-1 }; start block-1; "
        + "expect (block-1.state == finished) within 20s",
      // A body that waits for what needs its own slot.
      "queue width 1; block { delay 1ms --name c; wait c }; "
        + "expect (block-1.state == finished) within 20s",
    ])
  func refused(_ clock: String, _ script: String) throws {
    let outcome = try Opsh.run(
      "\(clock)\(script)\nexpect (block-1.outcome == failed)\necho 'reached'; quit --now")
    let isDrain = script.contains("drain")
    #expect(outcome.output.contains("reached") != isDrain, "\(outcome.errors)")
    #expect(outcome.status == (isDrain ? 1 : 0), "\(outcome.errors)")
  }

  @Test(
    "A deadlock is refused although something unrelated waits for a statement", arguments: clocks)
  func deadlock(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)async z { }
      block --name p --hold --queue system { wait q }; block --name q --queue system { wait p }
      start p; expect (q.state == finished) within 20s
      expect (q.outcome == failed); finish z; wait --any-outcome
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "A timer counts as what may end a wait or meet an expectation", arguments: clocks,
    [
      "queue pause; delay 1ms --name a --delay 50ms; expect (a.state == ready) within 9s; quit --now",
      "queue pause; delay 1ms --name a --delay 50ms; on a ready { queue resume }; wait",
      "queue pause; delay 1ms --name a --delay 50ms; on a ready { queue resume }; wait a",
      "queue pause; delay 1ms --name a --delay 50ms; on a ready { queue resume }; queue drain",
      "queue pause; delay 1ms --name a --delay 50ms; on a ready { queue resume }",
      "queue width 1; async u { }; delay 1ms --name a --delay 50ms; on a ready { finish u }; wait",
      "queue pause; group g --delay 50ms { delay 1ms --name i }; on g ready { queue resume }; wait i",
      "queue pause; delay 1ms --name a --essential; app background --grace 50ms\n"
        + "expect (a.cancelled) within 9s; quit --now",
      "queue pause; group g --timeout 50ms { delay 1ms --name i }; queue pause g; queue resume\n"
        + "expect (i.cancelled) within 9s; quit --now",
    ])
  func timers(_ clock: String, _ script: String) throws {
    let outcome = try Opsh.run(clock + script)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A start delay alone does not keep a wait that a pause makes endless", arguments: clocks)
  func delayOfPaused(_ clock: String) throws {
    let outcome = try Opsh.run(
      "\(clock)queue pause; delay 1ms --name a --delay 1h; try { wait a } catch e { echo $e.code }")
    #expect(outcome.output.contains("never-ends"))
  }

  @Test(
    "The body of an observer may end a wait", arguments: clocks,
    ["wait a", "wait queue network", "queue drain network", "follow a", "wait"])
  func observers(_ clock: String, _ wait: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)queue pause; delay 1ms --name a; delay 50ms --queue system --name s --hold
      observe s isFinished { queue resume network }
      start s
      \(wait)
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("An observer that only prints ends no wait")
  func printingObserver() throws {
    let outcome = try Opsh.run(
      """
      queue pause; delay 1ms --name a; delay 1h --queue system --name s
      observe s isFinished
      try { wait a } catch e { echo $e.code }; quit --now
      """)
    #expect(outcome.output.contains("never-ends"), "\(outcome.errors)")
  }

  @Test("Bodies that follow each other are refused", arguments: clocks)
  func following(_ clock: String) throws {
    let outcome = try Opsh.run(
      "\(clock)block --name a --hold { follow b }; block --name b { follow a }; start a; wait")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("so neither will ever finish"), "\(outcome.errors)")
  }

  @Test(
    "A wait that begins to be endless after others rest is seen", arguments: clocks,
    [
      "block --queue main --name m { wait b }; wait", "block --queue main --name m { wait b }",
      "wait b", "follow b", "wait queue system",
    ])
  func late(_ clock: String, _ end: String) throws {
    let outcome = try Opsh.run(
      "\(clock)async a { }; block --name b --queue system { sleep 300ms; wait a }; \(end)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the wait can never end"), "\(outcome.errors)")
  }

  @Test("A wait with a time limit does not use it up if nothing can happen", arguments: clocks)
  func hopeless(_ clock: String) throws {
    let script = "\(clock)async a { }; block --name b --queue system { wait a }\n"
    for end in ["wait b --timeout 5h --any-outcome", "expect (b.outcome == failed) within 5h"] {
      let outcome = try Opsh.run(script + end + "\nexpect (b.outcome == failed); quit --now")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let other = try Opsh.run("\(clock)async a { }\nexpect (a.state == finished) within 5h")
    #expect(other.errors.contains("nothing can happen any more"), "\(other.errors)")
  }

  @Test("A body may expect what a later statement does", arguments: clocks)
  func laterStatement(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)block --queue system --name b { expect (network.paused == on) within 30s }
      try { expect (b.state == finished) within 200ms } catch e { echo caught }
      queue pause
      wait b
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("caught"))
  }

  @Test("At the end of a script, a body's wait that nothing ends is refused", arguments: clocks)
  func end(_ clock: String) throws {
    let outcome = try Opsh.run("\(clock)async a { }; block { wait a }")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the wait can never end"), "\(outcome.errors)")
  }

  @Test(
    "The time limit of a group ends what is in it", arguments: clocks,
    [
      "group g { async a { } } --timeout 50ms; wait --any-outcome",
      "group g { async a { } } --timeout 50ms; expect (g.outcome == failed) within 5s",
      "group g { group h { async a { } } } --timeout 50ms; wait queue network --any-outcome",
      "group g { async a { } } --timeout 50ms; queue drain network --any-outcome",
      "queue new q; queue pause q; delay 1ms --name d --queue q --essential\n"
        + "group g --timeout 50ms { delay 1ms --after d }; wait g --any-outcome; queue resume q",
      "async o --exclusive db { }\n"
        + "group g --queue system --timeout 50ms { delay 1ms --exclusive db }\n"
        + "wait g --any-outcome; cancel o",
      "queue width 1; group g --timeout 50ms { async a { } }; delay 1ms --name b; wait b\n"
        + "wait g --any-outcome",
    ])
  func groupLimit(_ clock: String, _ script: String) throws {
    let outcome = try Opsh.run(
      "\(clock)\(script)\nwait --any-outcome\nexpect (g.error.code == timed-out)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("'doctor' reports nothing that a group's time limit ends")
  func doctor() throws {
    let outcome = try Opsh.run(
      "set clock virtual\ngroup g { async a { } } --timeout 5s\nsleep 1s\ndoctor\n"
        + "wait --any-outcome")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("never"), "\(outcome.output)")
  }

  @Test(
    "A group's time limit does not resume a queue",
    arguments: [
      "group g --timeout 5s --hold { delay 1ms --name a }; queue pause g; start g; wait g"
    ])
  func pausedGroup(_ script: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)")
    #expect(outcome.errors.contains("the wait can never end"), "\(outcome.errors)")
    #expect(outcome.status == 1)
  }

  @Test(
    "The end of the background time ends essential operations",
    arguments: [
      "wait --any-outcome", "expect (a.cancelled) within 10s", "wait a --any-outcome",
      "queue drain network --any-outcome",
    ])
  func background(_ wait: String) throws {
    let outcome = try Opsh.run(
      "set clock virtual\nasync a --essential { }\napp background\n\(wait)\nexpect (a.cancelled)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "A cycle through a barrier is refused with its path",
    arguments: [
      ("delay 5s --name a; queue barrier --name x; delay 1s --name z; deps x on z", "x → z → x"),
      (
        "queue pause; delay 5s --name a; queue barrier --name x; delay 1s --name z; deps a on z",
        "a → z → x → a"
      ),
      (
        "delay 1s --name h --hold; queue barrier --name x --after h; start h", "h → x → h"
      ),
      (
        "delay 1s --name h --hold; queue barrier --name x --after h --hold; start x h",
        "h → x → h"
      ),
      (
        "group g --hold { delay 1s --name m }; delay 1s --name w; queue barrier --name x\n"
          + "deps x on m; start g", "g → x → m → g"
      ),
    ])
  func barrierCycle(_ script: String, _ path: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)")
    #expect(outcome.errors.contains("[dependency-cycle]"), "\(outcome.errors)")
    #expect(outcome.errors.contains(path), "\(outcome.errors)")
    #expect(outcome.status == 1)
  }

  @Test("A body's wait with a time limit closes no cycle through a barrier", arguments: clocks)
  func noCycle(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)block --name b { try { wait h --timeout 200ms } catch e { } }; queue barrier --name x
      delay 1ms --name h --hold; sleep 50ms; start h; wait
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "In a transcript a wait for a body that begins to wait is warned about",
    arguments: ["wait b", "follow b", "diagram b"])
  func transcript(_ wait: String) throws {
    let folder = try ScratchFolder()
    try folder.write(
      """
      opsh> async a { }; block --name b --queue system { sleep 100ms; wait a }
      …
      opsh> \(wait)
      …
      opsh> finish a; wait
      …

      """, to: "waits.txt")
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: ["--test-timeout", "30s", "--test", folder.path + "/waits.txt"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test(
    "A wait that can never end says who waits, for what, and what ends it",
    arguments: [
      (
        "queue pause; delay 1s --name a; delay 1s --name b --after a; "
          + "delay 1s --name c --queue system --after b",
        "'a', 'b', 'c': queue 'network' is paused", "queue resume network"
      ),
      (
        "queue width 0; delay 1s --count 30",
        "'delay-1', 'delay-2', 'delay-3' and 27 more: queue 'network' has width 0 and starts nothing",
        "queue width network 1"
      ),
      (
        "queue pause; delay 1s --name a; queue new q --width 0; delay 1s --queue q --name b",
        "'a': queue 'network' is paused; 1 more waits, and 'why' says for what",
        "queue resume network"
      ),
      ("async x { }", "'x': 'x' has done its work, and nothing has called finish", "finish x"),
    ])
  func jam(_ script: String, _ text: String, _ cure: String) throws {
    let error = try ShellFixture("set clock virtual").error(of: "\(script); wait")
    #expect(error.message == "the wait can never end: \(text)")
    #expect(error.help == cure)
  }
}
