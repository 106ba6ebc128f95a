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
      "async a { }; block { time { wait a --timeout 5s } }; sleep 50ms; finish a",
      "delay 1ms --name a --hold; block { wait a }; sleep 50ms; start a",
      "async a { }; block { wait a }; expect (a.state == finished) within 50ms",
    ])
  func statements(_ clock: String, _ script: String) throws {
    let isLate = script.contains("expect")
    let script = isLate ? "try { \(script) } catch e { }\nfinish a" : script
    let outcome = try Opsh.run("\(clock)\(script)\nwait\nexpect (block-1.outcome == succeeded)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "A body's wait that no statement can end any more is refused", arguments: clocks,
    [
      "async a { }; block { wait a }; wait block-1 --any-outcome",
      "async a { }; block { wait a }; sleep 50ms; wait block-1 --any-outcome",
      "async a { }; block { follow a }; sleep 50ms; queue drain network --any-outcome --timeout 9s",
      "block --hold { wait b }; block --name b { wait block-1 }; start block-1; sleep 1s",
      // A body that waits for what needs its own slot.
      "queue width 1; block { delay 1ms --name c; wait c }; sleep 1s",
    ])
  func refused(_ clock: String, _ script: String) throws {
    let outcome = try Opsh.run(
      "\(clock)\(script)\nexpect (block-1.outcome == failed)\necho 'reached'; quit --now")
    let isDrain = script.contains("drain")
    #expect(outcome.output.contains("reached") != isDrain, "\(outcome.errors)")
    #expect(outcome.status == (isDrain ? 1 : 0), "\(outcome.errors)")
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
    ])
  func barrierCycle(_ script: String, _ path: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)")
    #expect(outcome.errors.contains("[dependency-cycle]"), "\(outcome.errors)")
    #expect(outcome.errors.contains(path), "\(outcome.errors)")
    #expect(outcome.status == 1)
  }
}
