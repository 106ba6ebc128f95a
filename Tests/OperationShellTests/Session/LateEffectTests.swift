import Foundation
import TestSupport
import Testing

/// What has been decided, and takes effect a moment later, counts for a wait in between.
@Suite("Effects that come a moment later", .timeLimit(.minutes(15)))
struct LateEffectTests {
  private static let clocks = ["", "set clock virtual\n"]

  private func expectSuccess(_ script: String) throws {
    let outcome = try Opsh.run(script)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "An operation that pauses before its next attempt awaits no call of finish", arguments: clocks)
  func betweenAttempts(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)async x --retry 2 --backoff 5s { }
      expect (x.state == executing) within 9s
      sleep 50ms
      finish x --error no
      try { finish x } catch e { echo $e.message }
      expect (x.attempts == 2) within 30s
      sleep 50ms
      finish x
      wait
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("the next attempt of 'x' has not started"))
  }

  @Test("The body of the next attempt may end a wait", arguments: clocks)
  func nextBody(_ clock: String) throws {
    try expectSuccess(
      """
      \(clock)queue new q --paused
      delay 1ms --queue q --name y
      async x --retry 1 --backoff 200ms { if ($self.attempts == 2) { queue resume q } }
      expect (x.state == executing) within 9s
      sleep 50ms
      finish x --error no
      wait y
      finish x
      """)
  }

  @Test(
    "The end of the app's time in the background ends a wait that counted on it", arguments: clocks)
  func background(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)queue new q --paused
      delay 5s --essential --name e
      app background --grace 20s
      delay 1ms --queue q --name x
      on x finished { echo hm }
      wait x
      """)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("queue 'q' is paused"), "\(outcome.errors)")
  }

  @Test(
    "A group that a dependency's failure skips counts, and so does what is in it", arguments: clocks
  )
  func skippedGroup(_ clock: String) throws {
    for end in [
      "expect (g.outcome == skipped) within 9s", "expect (m.outcome == cancelled) within 9s",
      "wait g --any-outcome", "wait m --any-outcome",
    ] {
      try expectSuccess(
        """
        \(clock)delay 1ms --hold --name h
        delay 5s --timeout 20ms --name f
        group g --after f --on-failure skip { delay 1ms --name m --after h }
        \(end)
        expect (f.outcome == failed)
        quit --now
        """)
    }
  }

  @Test("What a failure skips is not said to wait for ever", arguments: clocks)
  func skipped(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)delay 1ms --hold --name h
      delay 5s --timeout 50ms --name f
      delay 1ms --name x --after h,f --on-failure skip
      doctor
      wait x --any-outcome
      expect (x.outcome == skipped)
      expect (f.outcome == failed)
      quit --now
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("never finish"), "\(outcome.output)")
  }

  @Test("'doctor' knows that the wait of a body may have a time limit")
  func limitedWait() throws {
    let outcome = try Opsh.run(
      """
      queue new q --paused
      delay 1ms --queue q --name x
      block --name b { try { wait x --timeout 30s } catch e { } }
      expect (b.state == executing) within 9s
      sleep 500ms
      doctor
      quit --now
      """)
    #expect(
      outcome.output.contains("x will never finish: queue 'q' is paused"), "\(outcome.output)")
    #expect(!outcome.output.contains(/\bb will never/), "\(outcome.output)")
  }

  @Test("The body of an operation of Foundation that is about to begin may end a wait")
  func foundationBody() throws {
    for command in ["async", "block --name"] {
      try expectSuccess(
        """
        queue new raw --engine foundation --width unlimited
        queue new q --paused
        delay 0s --queue q --name y
        \(command) a --queue raw { sleep 200ms; queue resume q }
        wait y
        cancel a
        """)
    }
  }

  @Test("Also of a delayed operation it is said what holds the slot", arguments: clocks)
  func delayedInJam(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)queue width 1
      async a { }
      delay 1s --delay 1h --name later
      expect (a.state == executing) within 9s
      sleep 50ms
      try { wait later } catch e { echo $e.message }
      quit --now
      """)
    #expect(
      outcome.output.contains("'later': 'a' has done its work, and nothing has called finish"))
  }

  @Test("A cancelled operation is not ended by a failure", arguments: clocks)
  func cancelled(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)queue new p --paused
      delay 1h --name d
      delay 1s --queue p --after d --on-failure skip --name x
      cancel x
      try { wait x } catch e { echo $e.code }
      quit --now
      """)
    #expect(outcome.output == "never-ends\n", "\(outcome.errors)")
  }

  @Test("A Foundation operation that was asked to end does not wait for a call of finish")
  func foundation() throws {
    try expectSuccess(
      "queue new raw --engine foundation\n"
        + (1...40).map { number in
          """
          async a\(number) --queue raw { }
          expect (a\(number).state == executing) within 9s
          \(number.isMultiple(of: 2) ? "finish" : "cancel") a\(number)
          wait a\(number) --any-outcome

          """
        }.joined())
  }

  @Test("A queue of Foundation's that is removed has ended its operations")
  func removedQueue() throws {
    let outcome = try Opsh.run(
      """
      queue new raw --engine foundation --paused
      async a --queue raw { }
      async b --queue raw { }
      queue remove raw
      expect (a.outcome == failed and b.outcome == failed)
      """)
    #expect(outcome.errors.contains("foundation-ended") && !outcome.errors.contains("expectation"))
  }

  @Test("A wait in more handlers than may be nested is refused, too")
  func nestedHandlers() throws {
    let outcome = try Opsh.run(
      """
      queue new q --paused
      delay 1ms --queue q --name x
      delay 1ms --count 30 --name d
      on d-* finished { wait x }
      wait d-*
      """)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("queue 'q' is paused"), "\(outcome.errors)")
  }

  @Test("What a body builds while the session ends is cancelled")
  func lateBuilding() throws {
    let outcome = try Opsh.run(
      "block --name b { while (true) { delay 60s } }\nexpect (network.ready > 50) within 20s\nquit --now",
      options: ["--json"])
    let summary = outcome.output.split(separator: "\n").last ?? ""
    #expect(summary.contains("\"unfinished\":0"), "\(summary)")
  }

  @Test("The status of an 'exit' that comes at the end of the script counts", arguments: clocks)
  func exitAtEnd(_ clock: String) throws {
    for script in [
      "block { sleep 20ms; exit 3 }", "block { sleep 20ms; exit 3 --now }",
      "delay 20ms --name l; on l finished { exit 3 }", "block { sleep 20ms; exit 3 }; exit",
      "block { sleep 20ms; exit 3 }; wait", "async a { exit 3 }",
      "block { sleep 5s; exit 4 }; exit 3",
    ] {
      let outcome = try Opsh.run(clock + script)
      #expect(outcome.status == 3, "\(script): \(outcome.errors)")
    }
  }

  @Test("Very many further 'exit' at the end cost neither stack nor quadratic time")
  func manyExits() throws {
    let outcome = try Opsh.run(
      "set clock virtual\ndelay 1ms --count 20000 --name d\non d-* finished { exit 4 }\nexit 3")
    #expect(outcome.status == 3, "\(outcome.errors)")
  }

  @Test("A 'quit' in a body waits for other operations, and is not a failure", arguments: clocks)
  func quitInBody(_ clock: String) throws {
    for end in ["", "; wait", "; quit"] {
      let outcome = try Opsh.run(
        "\(clock)delay 300ms --name l; block { sleep 20ms; quit }\(end)", options: ["--json"])
      #expect(outcome.status == 0, "\(end): \(outcome.errors)")
      let summary = outcome.output.split(separator: "\n").last ?? ""
      #expect(summary.contains(#""succeeded":1,"failed":0,"cancelled":1"#), "\(end): \(summary)")
    }
  }

  /// The words that choose an engine for the queue 'q', or nothing.
  static let engines = ["", "queue new q --engine foundation; queue use q; "]

  @Test(
    "An error of a body that comes after its own 'finish' is reported, and is the status",
    arguments: clocks + [engines[1]])
  func errorAfterFinish(_ setup: String) throws {
    let bodies = [
      ("finish a; sleep 30ms; fail \"oops\"", "oops"),
      ("finish a 1; finish a 2", "'a' has finished already"),
    ]
    for (body, message) in bodies {
      let outcome = try Opsh.run("\(setup)async a { \(body) }; wait", options: ["--json"])
      #expect(outcome.status == 1, "\(body)")
      let text = "'a' was finished before its body failed: \(message)"
      #expect(outcome.output.components(separatedBy: text).count == 2, "\(outcome.output)")
      #expect(outcome.output.contains(#""succeeded":1,"failed":0"#))
    }
  }

  @Test(
    "The end of a script and 'quit' wait for bodies whose operations have finished",
    arguments: clocks + [engines[1]])
  func bodiesAfterFinish(_ setup: String) throws {
    for end in ["", "; wait", "; quit", "; wait; exit 0"] {
      let outcome = try Opsh.run(
        "\(setup)async a { finish a; sleep 300ms; delay 1ms --name late; wait late; echo done }\(end)",
        options: ["--json"])
      #expect(outcome.status == 0, "\(end): \(outcome.errors)")
      #expect(outcome.output.contains("done"), "\(end): \(outcome.output)")
      #expect(outcome.output.contains(#""succeeded":2"#), "\(end): \(outcome.output)")
    }
  }

  @Test("An error of the body of an attempt that has ended is reported", arguments: clocks)
  func errorInEarlierAttempt(_ clock: String) throws {
    for rest in ["finish a", "sleep 1s; finish a"] {
      let outcome = try Opsh.run(
        """
        \(clock)async a --retry 1 --backoff 1ms {
          if ($self.attempts == 1) { finish a --error first; sleep 300ms; fail "oops" }
          \(rest)
        }
        """)
      #expect(outcome.status == 1, "\(rest)")
      let text = "'a' was finished before its body failed: oops"
      #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }
  }

  @Test(
    "A 'finish' as soon as the operation executes does not hide its body", arguments: engines)
  func finishAtStart(_ setup: String) throws {
    for _ in 0..<20 {
      let outcome = try Opsh.run(
        """
        \(setup)queue pause
        async a { while ($self.state != finished) { sleep 1ms }; fail "x" }
        on a executing { finish a }; queue resume; wait
        """)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("'a' was finished before its body failed: x"))
    }
  }

  @Test("A body that goes on may end its own operation after all", arguments: clocks)
  func secondFinishOfBody(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)async a --forget kvo:isFinished { finish a; sleep 100ms; finish a }
      wait a
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A body whose operation has finished may end what a wait is for", arguments: clocks)
  func waitForLateBody(_ clock: String) throws {
    let outcome = try Opsh.run(
      """
      \(clock)queue pause; delay 1ms --name d; queue new q
      async a --queue q { finish a; sleep 100ms; queue resume network }
      wait a; wait d
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("A wait after the own 'finish' for what can't come is refused", arguments: clocks)
  func hopelessLateBody(_ clock: String) throws {
    let waits = [
      "delay 1ms --queue q --name d; async a { finish a; sleep 20ms; wait d }",
      "async a { finish a; delay 1ms --queue q --name d; wait d }",
      "async a { finish a; delay 1ms --hold --name d; wait d }",
      "delay 1ms --queue q --name d; async a { finish a; wait d }; block { wait d }; wait d",
      "delay 1ms --queue q --name d; block { wait d }; async a { finish a; wait d }; wait d",
    ]
    for wait in waits {
      let outcome = try Opsh.run("\(clock)queue new q; queue pause q; \(wait)")
      #expect(outcome.status == 1, "\(wait)")
      let text = "'a' was finished before its body failed: the wait can never end: 'd': "
      #expect(outcome.errors.contains(text), "\(wait)\n\(outcome.errors)")
    }
  }

  @Test("'quit --now' does not wait for such a body")
  func quitNowWithLateBody() throws {
    let outcome = try Opsh.run("async a { finish a; sleep 1h }; wait; quit --now")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "'quit --now' ends the program of a body that goes on",
    arguments: [
      "async a { finish a; BODY }",
      "async a --retry 1 --backoff 1h { if ($self.attempts == 1) { finish a --error no; BODY } }",
    ])
  func programOfLateBody(_ statement: String) throws {
    for engine in Self.engines where engine.isEmpty || !statement.contains("--retry") {
      let folder = try ScratchFolder()
      // It is ended by force a moment after the request, which it ignores.
      let body = statement.replacing(
        "BODY", with: "!trap '' TERM && echo $$ > pid && exec sleep 60\n")
      let outcome = try Opsh.run(
        "\(engine)\(body)\n!sh -c 'until [ -s pid ]; do sleep 0.01; done'\nquit --now",
        directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let text = try String(contentsOfFile: folder.path + "/pid", encoding: .utf8)
      let process = try #require(pid_t(text.prefix { !$0.isNewline }))
      #expect(kill(process, 0) != 0, "the program goes on")
    }
  }

  @Test("A time limit that passes while an 'async' body runs is shown")
  func limitOfRunningBody() throws {
    let fixture = try ShellFixture("set clock virtual; async a --timeout 1s { sleep 5s }; sleep 2s")
    let why = try fixture.output(of: "why a").joined()
    #expect(why.contains("its time limit has passed, it ends when its work does"), "\(why)")
    let log = try fixture.output(of: "log a").joined(separator: "\n")
    #expect(log.contains("1.000  a "), "\(log)")
    #expect(log.contains("its time limit has passed; it ends when its body does"), "\(log)")
    try fixture.run("wait --any-outcome; expect (a.error.code == \"timed-out\")")
  }

  @Test(
    "An operation fails with the code of the error of its body",
    arguments: [
      ("fail \"no\"", "script"), ("let d = 0; echo (1 / $d)", "division-by-zero"),
      ("expect (1 == 2)", "expectation-failed"), ("let n = \"gone\"; wait $n", "unknown-operation"),
      ("!sh -c 'exit 3'", "exit-status(3)"), ("echo x > /nowhere/x", "file(2)"),
    ])
  func codeOfBody(_ statement: String, _ code: String) throws {
    for engine in Self.engines {
      let outcome = try Opsh.run(
        """
        \(engine)block --name a { \(statement) }
        try { wait a } catch e { echo "<$e.code>" }
        expect (a.error.code == "\(code)")
        """, options: ["--keep-going"])
      #expect(outcome.output.contains("<\(code)>"), "\(outcome.output)\(outcome.errors)")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test("Foundation is not asked to finish an operation twice")
  func secondFinish() throws {
    let outcome = try Opsh.run(
      """
      queue new raw --engine foundation
      async z --queue raw { }
      expect (z.state == executing) within 9s
      finish z 1
      try { finish z 2 } catch e { echo $e.code }
      wait z
      expect (z.result == 1)
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("already-finished"))
  }

  @Test("A body that ends the session decides its status")
  func exitInBody() throws {
    for _ in 0..<20 {
      let outcome = try Opsh.run(
        "block --name b { sleep 1ms; exit 3 }\ndelay 1ms --count 20\nwait b")
      #expect(outcome.status == 3, "\(outcome.errors)")
    }
  }

  @Test("The clock can be changed while nothing uses the app's time in the background")
  func clockInBackground() throws {
    let outcome = try Opsh.run(
      """
      delay 3s --essential --name e
      app background --grace 60s
      wait e
      set clock virtual
      app
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("background") && !outcome.output.contains("s left"))
  }

  @Test("Statuses of programs are known although opsh was started with SIGCHLD ignored")
  func ignoredChildSignal() throws {
    let folder = try ScratchFolder()
    try folder.write("run false\nwait --any-outcome\necho (last.outcome)\n!false\n", to: "a.opsh")
    let program = try BuiltProducts.executable("opsh")
    let outcome = try Opsh.run(
      "!sh -c \"trap '' CHLD; exec '\(program)' --no-rc '\(folder.path)/a.opsh'\"")
    #expect(outcome.output.contains("failed"), "\(outcome.output) \(outcome.errors)")
    #expect(outcome.status == 1)
  }
}
