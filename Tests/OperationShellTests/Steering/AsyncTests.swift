import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession
@testable import SteerCommands

@Suite("Operations that 'finish' ends", .timeLimit(.minutes(10)))
struct AsyncTests {
  /// Waits until the body of an operation has ended.
  private func awaitJam(_ name: String, in fixture: ShellFixture) throws {
    let operation = try fixture.operation(name)
    #expect(try fixture.pump { operation.finishWait != nil })
  }

  @Test("It executes until it is finished, with a value or an error")
  func finishes() throws {
    let fixture = try ShellFixture("async a { echo x > /dev/null }; async b { let x = 1 }")
    try awaitJam("a", in: fixture)
    try awaitJam("b", in: fixture)
    try fixture.run("finish a 42; finish b --error \"disk full\"; wait --any-outcome")
    let (a, b) = (try fixture.operation("a"), try fixture.operation("b"))
    #expect(Value(resultOf: a).text == "42")
    #expect(b.outcome?.failure?.code == "script")
    #expect(b.outcome?.failure?.message == "disk full")
  }

  @Test("A handler, another body and its own body finish it")
  func callers() throws {
    let fixture = try ShellFixture(
      """
      async a { let x = 1 }
      on a executing { finish a 1 }
      async b { let x = 1 }
      block --name c { sleep 5ms; finish b 2 }
      async d { finish $self 3; sleep 5ms }
      wait
      """)
    for (name, value) in [("a", 1), ("b", 2), ("d", 3)] as [(String, Int64)] {
      #expect(Value(resultOf: try fixture.operation(name)).text == "\(value)")
    }
  }

  @Test(
    "An error in the body, a time limit and cancelling end it",
    arguments: [
      ("async a { fail \"no\" }", "script"),
      ("async a --timeout 20ms { let x = 1 }", "timed-out"),
      ("async a --timeout 20ms --ignore-cancel { let x = 1 }", "timed-out"),
      ("async a --timeout 20ms --ignore-cancel { sleep 60ms }", "timed-out"),
      ("set clock virtual; async a --timeout 20ms --ignore-cancel { sleep 60ms }", "timed-out"),
      ("async a { let x = 1 }; sleep 10ms; cancel a", nil),
      ("async a { sleep 20ms }; on a executing { cancel a }", nil),
      ("async a { finish a }; wait a; cancel a", ""),
    ] as [(String, String?)])
  func otherEnds(_ script: String, _ code: String?) throws {
    let fixture = try ShellFixture("\(script); wait --any-outcome")
    let outcome = try fixture.operation("a").outcome
    switch code {
    case nil: #expect(outcome == .cancelled)
    case "": #expect(outcome == .succeeded)
    default: #expect(outcome?.failure?.code == code)
    }
  }

  @Test(
    "What comes right after the start finds the body begun, on both clocks",
    arguments: ["", "set clock virtual"])
  func rightAfterTheStart(_ clock: String) throws {
    let fixture = try ShellFixture(
      """
      \(clock)
      queue width unlimited
      async a { delay 1ms --name of-a }
      finish a 1
      async b --retry 1 --backoff 1ms { delay 1ms }
      finish b --error x
      expect (b.attempts == 2) within 30s
      finish b 2
      async c { delay 1ms --name of-c }
      cancel c
      async d --ignore-cancel { delay 1ms --name of-d }
      cancel d
      expect ((count of ops where name == "of-d" and state == finished) == 1) within 30s
      expect (d.state == executing)
      wait a b c of-a of-c delay-1 delay-2 --any-outcome
      """)
    #expect(Value(resultOf: try fixture.operation("b")).text == "2")
    #expect(try fixture.operation("c").outcome == .cancelled)
  }

  @Test("Finishing right after the start needs no event, and refuses no wait of a body")
  func finishAtOnce() throws {
    let outcome = try Opsh.run(
      """
      queue width unlimited
      for i in 1..25 {
        async "a-${i}" { while (true) { sleep 10s } }
        finish "a-${i}" 1
        delay 1ms --hold --name "o-${i}"
        async "b-${i}" { wait "o-${i}" }
        finish "b-${i}" 1
        start "o-${i}"
        wait "b-${i}" "o-${i}"
      }
      quit --now
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A cancelled one ends when its body does")
  func cancelledBody() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      async a { sleep 60ms }
      sleep 20ms
      cancel a
      wait
      """)
    let operation = try fixture.operation("a")
    let times = operation.timestamps
    let (start, end) = (try #require(times.executing), try #require(times.finished))
    // Entries of the log are a nanosecond apart. Cancelled at once, it would end after 20 ms.
    #expect(end - start >= .milliseconds(59))
    #expect(operation.outcome == .cancelled)
  }

  @Test(
    "Waiting for an operation that nothing finishes fails, with the reason and its cure",
    arguments: [
      "wait", "wait a", "wait queue network", "expect (a.outcome == succeeded) within 20s",
    ])
  func stuck(_ command: String) throws {
    let fixture = try ShellFixture("async a { let x = 1 }")
    let error = try fixture.error(of: command)
    #expect(["never-ends", "expectation-failed"].contains(error.code), "\(error)")
    #expect(error.message.contains("'a' has done its work, and nothing has called finish"))
  }

  @Test("The end of a script names it, with its cure and status 1")
  func endOfScript() throws {
    let outcome = try Opsh.run("async jam { echo hi }", options: ["--json"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "'jam' has done its work, and nothing has called finish ('finish jam')"))
    #expect(outcome.output.contains("\"code\":\"never-ran\""))
  }

  @Test("A script on the virtual clock jams and goes on in the same way in each run")
  func virtual() throws {
    let script = """
      set clock virtual
      async a { sleep 1m; echo sent }
      delay 2m --name later
      on later finished { finish a 7 }
      wait
      result a
      async b { sleep 1m }
      """
    let runs = try (0..<3).map { _ in try Opsh.run(script) }
    #expect(Set(runs.map { $0.output + $0.errors }).count == 1)
    #expect(runs[0].output == "sent\n7\n")
    #expect(runs[0].errors.contains("'b' has done its work"))
    #expect(runs[0].status == 1)
  }

  @Test(
    "Finishing what cannot be finished is an error that explains itself",
    arguments: [
      ("delay 60s --name d; finish d", "not-finishable", "when its time is over"),
      ("block --name b { sleep 60s }; finish b", "not-finishable", "when its body returns"),
      (
        "group g --hold { delay 1ms }; finish g", "not-finishable",
        "when all of its operations have"
      ),
      ("async a { finish a }; wait; finish a", "already-finished", "succeeded"),
      ("queue pause; async a { let x = 1 }; finish a", "finish-before-start", "it is ready"),
      ("async a --hold { let x = 1 }; finish a", "finish-before-start", "it is created"),
      ("async a { let x = 1 }; finish a b c", "unexpected-argument", ""),
    ])
  func refused(_ script: String, _ code: String, _ text: String) throws {
    let error = try ShellFixture().error(of: script)
    #expect(error.code == code)
    #expect(text.isEmpty || error.message.contains(text), "\(error.message)")
  }

  @Test(
    "isAsynchronous is right for every kind",
    arguments: [
      ("async x { finish x }", true), ("block --name x { let y = 1 }", false),
      ("delay 0s --name x", true), ("group x { delay 0s }", true), ("run --name x true", true),
      ("fetch questions --pagesize 1 --name x", true),
      ("fetch questions --pagesize 1 --blocking --name x", false),
      ("fetch answers --pagesize 1 --blocking --name x", false),
      ("fetch tweets swift --blocking --name x", false),
      ("fetch quotes --blocking --name x", false), ("get / --name x", true),
    ])
  func asynchronous(_ script: String, _ isAsynchronous: Bool) throws {
    let fixture = try ShellFixture("\(script); wait")
    #expect(try fixture.operation("x").isAsynchronous == isAsynchronous)
    #expect(try fixture.run("(x.isAsynchronous)").text == "\(isAsynchronous)")
  }

  @Test(
    "'show' names the thread that an operation ran on",
    arguments: [
      ("block --name x { let y = 1 }", "body thread", "from start to end"),
      (
        "block --queue main --name x { let y = 1 }", "the interpreter's thread", "from start to end"
      ),
      ("async x { finish x }", "body thread", "only to begin"),
      ("delay 0s --name x", "none", "without one"),
    ])
  func threads(_ script: String, _ thread: String, _ part: String) throws {
    let fixture = try ShellFixture("\(script); wait")
    let line = try #require(
      fixture.output(of: "show x").first { $0.hasPrefix("thread") })
    #expect(line.contains(thread) && line.contains(part), "\(line)")
  }
}
