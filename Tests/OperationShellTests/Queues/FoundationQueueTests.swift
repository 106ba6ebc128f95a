import FoundationProcess
import TestSupport
import Testing

@Suite("Queues of Foundation", .timeLimit(.minutes(10)))
struct FoundationQueueTests {
  /// What one mistake does on a queue of opsh and on one of Foundation.
  struct Animal: Sendable, CustomTestStringConvertible {
    let script: String
    let own: [String]
    let foundation: [String]

    init(_ script: String, own: [String], foundation: [String]? = nil) {
      self.script = script
      self.own = own
      self.foundation = foundation ?? own
    }

    var testDescription: String { script }
  }

  // A 'wait' that nothing can end any more fails: then the body has done its work.
  private static let zoo: [Animal] = [
    Animal(
      "async a --forget finish { finish a }; try { wait a } catch e { }; (a.state); why a; "
        + "finish a 7; wait; result a",
      own: [
        "executing", "a is executing and waits because",
        "  'a' has done its work, and nothing has called finish  → finish a", "7",
      ]),
    Animal(
      "async a --forget kvo:isFinished { finish a 5 }; delay 1ms --name b --after a; "
        + "try { wait a } catch e { }; (a.isFinished); (b.state); why a; "
        + "finish a; wait; result a; (b.outcome)",
      own: [
        "true", "pending", "a is executing and waits because",
        "  'a' says isFinished = true, but sent no KVO for it, so the queue does not know  → finish a",
        "5", "succeeded",
      ]),
    Animal(
      "observe a isExecuting; async a --forget kvo:isExecuting { finish a }; wait; (a.outcome)",
      own: ["succeeded"]),
    Animal(
      "async a --finish twice { sleep 1ms }; wait; (a.outcome)",
      own: ["succeeded"]),
    Animal(
      "async a --finish before-start { sleep 1ms }; try { wait a } catch e { }; (a.state); "
        + "finish a; wait --any-outcome; (a.outcome)",
      own: ["executing", "succeeded"], foundation: ["finished"]),
    Animal(
      "async a --ignore-cancel { sleep 1ms }; try { wait a } catch e { }; cancel a; sleep 200ms; "
        + "(a.state); finish a; wait --any-outcome; (a.outcome)",
      own: ["executing", "cancelled"]),
    Animal(
      "async a --own-ready { sleep 1ms }; try { wait a } catch e { }; (a.isReady); finish a; wait; "
        + "(a.outcome)",
      own: ["false", "succeeded"]),
    Animal(
      "async a --lock-while-notifying { finish a }; try { wait a } catch e { }; (a.state); why a",
      own: ["finished", "a has finished: ✓ succeeded"],
      foundation: [
        "executing", "a is executing and waits because",
        "  'a' holds its lock while it sends KVO, and the observer needs the same lock"
          + "  → queue remove q",
      ]),
    Animal(
      "async a --forget ready { finish a }; try { wait a } catch e { }; (a.state); (a.isReady); "
        + "why a; cancel a; wait --any-outcome; (a.outcome)",
      own: [
        "pending", "false", "a is pending and does not run because",
        "  'a' never says isReady = true: its own condition stays false  → cancel a", "cancelled",
      ]),
    Animal(
      "async a --forget kvo:isReady { finish a }; sleep 100ms; try { wait a } catch e { }; "
        + "(a.state); (a.isReady); why a; cancel a; wait --any-outcome; (a.outcome)",
      own: [
        "pending", "true", "a is pending and does not run because",
        "  'a' says isReady = true, but sent no KVO for it, so the queue does not know  → cancel a",
        "cancelled",
      ]),
    Animal(
      "queue pause; async a --forget cancel-check { echo runs; finish a }; cancel a; queue resume; "
        + "wait --any-outcome; (a.outcome)",
      own: ["runs", "cancelled"]),
    Animal(
      "async a --no-lock { sleep 1ms }; try { wait a } catch e { }; cancel a; wait --any-outcome; "
        + "finish a 5; (a.outcome)",
      own: ["cancelled"]),
    Animal("async a --no-guard { finish a }; wait; (a.outcome)", own: ["succeeded"]),
    Animal(
      "async a --call-super-start { sleep 300ms; echo done; finish a }; "
        + "block --after a { echo ($input) }; wait; sleep 600ms; (a.outcome)",
      own: ["null", "done", "succeeded"]),
    Animal(
      "async a --finish-before-handler { finish a 5 }; block --after a { echo ($input) }; wait; "
        + "sleep 200ms; result a",
      own: ["null", "5"]),
    Animal(
      "block --name a --forget signal { echo begins }; try { wait a } catch e { }; (a.state); "
        + "cancel a; try { wait a } catch e { echo $e.code }; (a.state)",
      own: ["begins", "executing", "never-ends", "executing"]),
  ]

  private func run(_ script: String, on engine: String) throws -> ChildProcess.Outcome {
    try Opsh.run(
      "queue new q --engine \(engine); queue use q; \(script)", options: ["--events", "off"])
  }

  @Test("What each mistake does on a queue of opsh", arguments: zoo)
  func own(_ animal: Animal) throws {
    let outcome = try run(animal.script, on: "opsh")
    #expect(outcome.output.split(separator: "\n").map(String.init) == animal.own)
  }

  @Test("What each mistake does on a queue of Foundation", arguments: zoo)
  func foundation(_ animal: Animal) throws {
    let outcome = try run(animal.script, on: "foundation")
    #expect(outcome.output.split(separator: "\n").map(String.init) == animal.foundation)
  }

  @Test(
    "A second finish is in the log",
    arguments: [("opsh", "second finish refused: "), ("foundation", "second finish: ")])
  func twice(_ engine: String, _ reason: String) throws {
    let outcome = try run(
      "async a --finish twice { sleep 1ms }; wait; sleep 1s; log a", on: engine)
    let words = outcome.output.replacing(/\ +/, with: " ")
    #expect(words.contains("refused \(reason)Foundation ignores it"))
  }

  @Test(
    "Without a lock a cancelled operation gets a second result", arguments: ["opsh", "foundation"])
  func twoResults(_ engine: String) throws {
    let outcome = try Opsh.run(
      """
      queue new q --engine \(engine); queue use q
      async a --no-lock { sleep 600ms; finish a }; expect (a.state == executing) within 9s
      sleep 300ms # until the body has begun
      cancel a; wait --any-outcome; sleep 1s; log a
      """, options: ["--events", "off"])
    let words = outcome.output.replacing(/\ +/, with: " ")
    #expect(words.contains(" a finished, callback finished twice: cancelled, then succeeded\n"))
    #expect(words.matches(of: /executing → finished ⊘ cancelled/).count == 1)
    #expect(outcome.status == 0)
  }

  @Test("Foundation starts one that did not notify of its readiness when another one ends")
  func noticedReadiness() throws {
    let outcome = try run(
      """
      async a --forget kvo:isReady { finish a }; sleep 200ms
      repeat 20 { if (a.state == pending) { delay 1ms; sleep 100ms } }; wait; log a
      """, on: "foundation")
    #expect(outcome.output.contains("its queue looked at isReady again"))
    #expect(outcome.status == 0)
  }

  @Test("A crash of Foundation fails its operations, and the shell goes on")
  func crash() throws {
    let outcome = try run(
      """
      delay 5s --name running; delay 1ms --name waiting --after running
      sleep 200ms; async a --finish before-start { sleep 1ms }
      wait --any-outcome; ops; block --queue network { echo "still here" }; wait
      try { delay 1ms } catch e { echo $e.message }
      doctor
      queue remove q; delay 1ms; wait
      """, on: "foundation")
    #expect(outcome.output.contains("still here\n"))
    #expect(outcome.output.contains(/running .*foundation-ended/))
    #expect(outcome.output.contains(/waiting .*foundation-ended/))
    // What had not started does not begin after the end of what runs it.
    #expect(!(outcome.output + outcome.errors).contains(/waiting +ready → executing/))
    #expect(
      outcome.output.contains(
        "queue 'q' runs on Foundation: its process has ended ('queue remove q')"))
    #expect(
      outcome.output.contains(
        "the process of queue 'q' has ended, and nothing runs on it any more  → queue remove q"))
  }

  @Test("Its process can be killed at any moment")
  func killed() throws {
    let outcome = try run(
      """
      queue width unlimited; delay 1ms --count 200; block { !pkill -KILL -P $PPID -f foundation-queue }
      wait --any-outcome; queue show q
      """, on: "foundation")
    #expect(outcome.output.contains(/q \* +unlimited +ended +0 +0 +0 +201/))
    #expect(outcome.output.contains("its process has ended: 'queue remove q' removes it"))
  }

  @Test("A cycle is accepted and never starts; cancelling one of its operations ends it")
  func cycle() throws {
    let outcome = try Opsh.run(
      """
      queue new q --engine foundation --paused; queue use q
      delay 1ms --name a; delay 1ms --name b --after a; deps a on b; queue resume
      sleep 200ms; (a.state); why b; cancel a; wait --any-outcome; (b.outcome)
      """, options: ["--events", "stdout"])
    #expect(outcome.errors.contains("Foundation accepts the cycle a → b → a"))
    #expect(
      outcome.output.contains(
        "'a', which is ready\n    Foundation accepted the cycle a → b → a, and never starts what is in "
          + "it  → cancel a\n"))
    #expect(outcome.output.hasSuffix("succeeded\n"))
    #expect(outcome.status == 0)
  }

  @Test("What Foundation never starts is last in the order of the queue, and the order says so")
  func orderOfNeverStarted() throws {
    let outcome = try Opsh.run(
      """
      queue new q --engine foundation --paused; queue use q
      delay 1ms --name a; delay 1ms --name b --after a; delay 1ms --name c; deps b off a
      queue order; cancel b; queue resume; wait
      """, options: ["--events", "off"])
    let rows = outcome.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(
      rows == [
        "1 a ready normal", "2 c ready normal", "3 b ready normal Foundation never starts it",
      ])
  }

  @Test("A dependency of what has started closes no cycle")
  func dependencyOfStarted() throws {
    let outcome = try Opsh.run(
      """
      queue new q --engine foundation; queue use q
      delay 1s --name a; expect (a.state == executing) within 9s; delay 1ms --name b --after a
      deps a on b; doctor; wait
      """)
    #expect(outcome.errors.contains("Foundation accepts a dependency of 'a', which has started"))
    #expect(outcome.output.contains("2 operations unfinished, and all can finish"))
    #expect(outcome.status == 0)
  }

  @Test("A wait for a jam is an error, as on a queue of opsh")
  func jam() throws {
    let outcome = try run("async a { sleep 1ms }; wait", on: "foundation")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("[never-ends]"))
  }

  @Test("A thousand operations finish, and no more are taken")
  func thousand() throws {
    let outcome = try run(
      "queue width 8; delay 0s --count 1000; wait; queue show q; delay 1ms", on: "foundation")
    #expect(outcome.output.contains(/q \* +8 +running +0 +0 +0 +1000/))
    #expect(outcome.errors.contains("it takes at most 1000 operations in all [foundation-queue]"))
  }

  @Test(
    "What Foundation does not have is refused",
    arguments: [
      ("delay 1ms --timeout 1s", "cannot have a time limit"),
      ("delay 1ms --retry 2", "cannot have retries"),
      ("delay 1ms --delay 1s", "cannot have a delay"),
      ("delay 1ms --exclusive x", "cannot have an exclusive name"),
      ("delay 1ms --queue network --name n; delay 1ms --after n", "'n' is on another queue"),
      ("get http://127.0.0.1:1/", "it takes operations that 'block', 'async' and 'delay' build"),
      ("group g { delay 1ms }", "it takes operations that 'block', 'async' and 'delay' build"),
      ("queue pace 1s", "OperationQueue has no pace"),
      ("queue pause; queue step", "OperationQueue has no single steps"),
      ("queue barrier", "it takes operations that 'block', 'async' and 'delay' build"),
    ])
  func refusals(_ script: String, _ message: String) throws {
    let outcome = try run(script, on: "foundation")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(message))
    #expect(outcome.errors.contains("[foundation-queue]"))
  }

  @Test("Bodies that block wait for a thread of Foundation's pool, and it says so")
  func threads() throws {
    let outcome = try Opsh.run(
      """
      queue new q --engine foundation --width unlimited; queue use q
      block { sleep 3s } --count 40; sleep 2500ms; cancel all
      """, options: ["--events", "stdout"])
    #expect(
      outcome.errors.contains("late, although a slot is free: bodies that block hold the threads"))
  }

  @Test("Commands and reports survive their line", arguments: [0, 1, 127, 32_767])
  func lines(_ mistakes: Int) {
    let plan = RawOperationPlan(
      id: 3, isAsynchronous: true, priority: -8, quality: 9, dependencies: [1, 2],
      mistakes: .init(rawValue: mistakes))
    let commands: [QueueCommand] = [
      .add(plan), .cancel(1), .setPriority(1, -4), .addDependency(1, on: 2),
      .removeDependency(1, on: 2), .setSuspended(true), .setWidth(-1),
      .setQuality(1, 25), .setQueueQuality(-1), .bodyEnded(1, finishes: false), .finish(9),
    ]
    for command in commands { #expect(QueueCommand(line: command.line) == command) }
    let reports: [QueueReport] = [
      .executing(1, seen: 5), .finished(1), .awaitsFinish(1), .awaitsNotification(1),
      .isLocked(1), .ignoredFinish(1),
    ]
    for report in reports { #expect(QueueReport(line: report.line) == report) }
    for line in ["", "add", "add 1", "cancel", "cancel x", "width 1 2", "nonsense 1"] {
      #expect(QueueCommand(line: line) == nil)
    }
  }
}
