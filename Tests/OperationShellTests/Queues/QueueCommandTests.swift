import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OpshProcesses
@testable import ShellSession

@Suite("Barriers, steps and paces of queues", .timeLimit(.minutes(15)))
struct QueueCommandTests {
  @Test("A barrier runs after earlier operations and before later ones")
  func barrier() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      delay 20ms --name a
      queue barrier network --name bar { echo "at $self.name" > /dev/null }
      delay 0s --name b --priority veryHigh
      wait
      """)
    let (a, bar, b) = (
      try fixture.operation("a"), try fixture.operation("bar"), try fixture.operation("b")
    )
    #expect(bar.kind == "barrier")
    #expect(bar.isBarrier)
    let end = try #require(a.timestamps.finished)
    let times = (try #require(bar.timestamps.executing), try #require(bar.timestamps.finished))
    #expect(end <= times.0)
    #expect(times.1 <= (try #require(b.timestamps.executing)))
  }

  @Test("A barrier without a block only finishes, and may be held")
  func heldBarrier() throws {
    let fixture = try ShellFixture(
      """
      queue new q --paused
      queue use q
      queue barrier --hold
      delay 1ms --name a
      start barrier-1
      delay 1ms --name b
      """)
    let barrier = try fixture.operation("barrier-1")
    #expect(barrier.isBarrier)
    #expect(barrier.queue?.name == "q")
    #expect(try fixture.operation("b").waitReasons().contains { $0.code == .barrier })
    #expect(try !fixture.operation("a").waitReasons().contains { $0.code == .barrier })
    try fixture.run("queue resume; wait")
    #expect(barrier.outcome == .succeeded)
    #expect(barrier.resultValue == nil)
  }

  @Test("A barrier in a group's block belongs to the group")
  func barrierInGroup() throws {
    let fixture = try ShellFixture(
      "group g { delay 1ms --name a; queue barrier --name bar; delay 1ms --name b }; wait")
    #expect(try fixture.operation("bar").group === fixture.operation("g"))
    let last = try #require(try fixture.operation("b").timestamps.executing)
    #expect(try #require(try fixture.operation("a").timestamps.finished) <= last)
  }

  /// Three delays of 60 s on a paused queue of width 2, the third of high priority.
  private static let three = """
    queue pause; delay 60s --name a; delay 60s --name b; delay 60s --name c --priority high
    """

  @Test(
    "A step reports the started operation, its queue and what blocks the others",
    arguments: [
      (
        "queue step",
        ["c takes slot 1 of 2 on network: it has the highest priority, high, of 3 ready"]
      ),
      (
        "queue step 1",
        ["c takes slot 1 of 2 on network: it has the highest priority, high, of 3 ready"]
      ),
      (
        "queue step network 3",
        [
          "c takes slot 1 of 2 on network: it has the highest priority, high, of 3 ready",
          "a takes slot 2 of 2 on network: it comes first of 2 ready with priority normal",
          "nothing more can start because",
          "  queue 'network' is full: 'c' and 'a' hold its 2 slots  → queue width network unlimited",
        ]
      ),
    ])
  func steps(_ command: String, _ expected: [String]) throws {
    let fixture = try ShellFixture(Self.three)
    #expect(try fixture.output(of: command) == expected)
    #expect(fixture.session.jobs.queues.inUse.isSuspended)
    let value = try fixture.run("cancel all; \(command) > /dev/null")
    #expect(!value.text.isEmpty, "the operations it started")
  }

  @Test(
    "A step that starts nothing reports the reason",
    arguments: [
      ("queue pause", "nothing can start: nothing is on queue 'network'"),
      (
        "queue pause; delay 60s; queue step > /dev/null",
        "nothing can start: all that is on queue 'network' executes"
      ),
      (
        "queue pause; queue width 0; delay 60s",
        "  queue 'network' has width 0 and starts nothing  → queue width network 1"
      ),
      (
        "queue pause; delay 60s --name held --hold; delay 60s --after held",
        "    'held' is on no queue, so nothing will start it  → start held"
      ),
      (
        "queue new q; delay 60s --exclusive db --queue q --name x; queue pause; "
          + "delay 60s --exclusive db",
        "  'db' is held by 'x'  → cancel x"
      ),
      (
        "queue pause; delay 60s; delay 1s --name x --after delay-1; queue step > /dev/null",
        "nothing can start: 'x' is next, and does not start because"
      ),
      (
        "queue pause; group g --hold { delay 60s }; start g; queue pause g; queue use network",
        "g takes slot 1 of 2 on network: it is the only one that is ready"
      ),
    ])
  func idleSteps(_ script: String, _ expected: String) throws {
    let fixture = try ShellFixture(script)
    #expect(try fixture.output(of: "queue step").contains(expected))
  }

  @Test("A group's queue supports steps after the group has started")
  func stepsOfGroups() throws {
    let fixture = try ShellFixture("queue pause; group g { delay 60s --name a }; queue pause g")
    #expect(
      try fixture.output(of: "queue step g").contains("  group 'g' has not begun  → why g"))
    #expect(try fixture.output(of: "queue step").count == 1)
    let group = try fixture.operation("g")
    #expect(try fixture.pump { group.state == .executing })
    #expect(
      try eventually {
        try fixture.output(of: "queue step g").first?.hasPrefix("a takes slot 1 on g:") == true
      })
  }

  @Test("A step on a queue that is not paused is an error that shows how to pause it")
  func runningQueue() throws {
    let error = try ShellFixture("queue new q").error(of: "queue step q 2")
    #expect(error.code == "not-suspended")
    #expect(error.help == "'queue pause q' pauses it, and what executes goes on")
  }

  @Test("The word after step is a number or a queue, depending on its form")
  func stepWords() throws {
    let fixture = try ShellFixture("queue pause; let n = 2; let q = queue new q2 --paused")
    for command in [
      "queue step 2", "queue step $n", "queue step ($n + 1)", "queue step $q",
      "queue step q2", "queue step q2 3", "queue step $q $n",
    ] {
      #expect(throws: Never.self, "\(command)") { try fixture.run("\(command) > /dev/null") }
    }
    #expect(try fixture.error(of: "queue step 2 q2").code == "wrong-kind")
    #expect(try fixture.error(of: "queue step nosuch").code == "unknown-queue")
  }

  @Test(
    "A group that was just started supports steps, on either clock", arguments: ["real", "virtual"])
  func stepsOfGroup(_ clock: String) throws {
    let fixture = try ShellFixture(
      "set clock \(clock); group g --hold { delay 60s --count 2 }; queue pause g; start g")
    // On the system's clock the group starts on another thread.
    var lines: [String] = []
    #expect(
      try eventually {
        lines = try fixture.output(of: "queue step g")
        return lines != ["nothing can start: 'delay-1' is about to start"]
      })
    #expect(lines == ["delay-1 takes slot 1 on g: it comes first of 2 ready with priority normal"])
    try fixture.run("cancel all; queue resume g")
  }

  @Test(
    "Help names a fix only if it works",
    arguments: [
      ("queue new q; delay 60s --name d --delay 30s --queue q", "may become ready", "wait d"),
      (
        "queue new q; queue pause q; delay 60s --name d --delay 30s --queue q", "may become ready",
        nil
      ),
      (
        "queue new q; delay 60s --name e --queue q; queue barrier q --name d; queue pause q",
        "waits for 'e'", "cancel e"
      ),
      (
        "queue new q; queue width q 0; delay 60s --name e --queue q; queue barrier q --name d",
        "waits for 'e'", nil
      ),
    ])
  func cures(_ script: String, _ reason: String, _ cure: String?) throws {
    let fixture = try ShellFixture(script)
    try expectCure(cure, for: reason, in: fixture)
    try fixture.run("cancel all")
  }

  @Test("Cancelling a holder again is not offered as a fix while it is ending")
  func cureByCancelling() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      queue new q
      run --name x --exclusive db --queue q --grace 60s -- sh -c \
        'trap "" TERM; echo ready; while [ ! -e "\(folder.path)/end" ]; do sleep 0.02; done'
      delay 60s --exclusive db --name d
      """)
    defer { try? folder.write("", to: "end") }
    let holder = try #require(try fixture.operation("x") as? ProcessOperation)
    #expect(try fixture.pump { holder.outputCount > 0 })
    try expectCure("cancel x", for: "is held by 'x'", in: fixture)
    try fixture.run("cancel x")
    try expectCure(nil, for: "is held by 'x'", in: fixture)
    try folder.write("", to: "end")
    try fixture.run("cancel d; wait --any-outcome")
    #expect(holder.outcome == .cancelled)
  }

  @Test(
    "A member of a group that was just started has its reason, on either clock",
    arguments: ["real", "virtual"],
    [
      ("why b-2", "  queue 'g' is full: 'b-1' holds its slot  → queue width g unlimited"),
      ("tree", "└─ b-2  delay, ready: g is full"),
    ])
  func memberOfNewGroup(_ clock: String, _ look: (command: String, last: String)) throws {
    let fixture = try ShellFixture(
      "set clock \(clock); group g --width 1 { delay 60s --name b --count 2 }")
    // On the system's clock the group starts on another thread.
    if clock == "real" {
      #expect(try fixture.pump { try fixture.operation("b-1").state == .executing })
    }
    #expect(try fixture.output(of: look.command).last == look.last)
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("An operation that can't be started is reported, and stays held after a rejected start")
  func heldForFinishedGroup() throws {
    let fixture = try ShellFixture(
      "group g { delay 1ms --name k --hold; group h --hold { delay 1ms --name m } }; wait")
    #expect(
      try fixture.output(of: "why k") == [
        "k is created and does not run because",
        "  'k' was not started while group 'g' went on, and now it can't be",
      ])
    #expect(try fixture.output(of: "why m").allSatisfy { !$0.contains("→") })
    for _ in 0..<2 {
      #expect(try fixture.error(of: "start k").code == "group-finished")
      #expect(try fixture.error(of: "start h").code == "group-finished")
    }
    try fixture.run("delay 1ms --name free --hold")
    #expect(try fixture.error(of: "start free k").code == "group-finished")
    #expect(try fixture.operation("free").state == .created)
    try fixture.run("start free; wait free")
  }

  @Test("Removing a non-removable queue reports the obstacle and the fix")
  func removing() throws {
    let fixture = try ShellFixture("queue new q; delay 1ms --queue q --name a --hold")
    let held = try fixture.error(of: "queue remove q")
    #expect(held.message == "'q' has 1 operation held for it: a")
    #expect(held.help?.hasPrefix("'start' ") == true)
    try fixture.run("queue pause q; start a; delay 1ms --queue q")
    let paused = try fixture.error(of: "queue remove q")
    #expect(paused.message == "'q' has 2 operations unfinished: a, delay-1")
    #expect(paused.help?.hasPrefix("'queue resume q' ") == true)
    #expect(paused.help?.hasSuffix("'queue remove q --force' cancels them") == true)
    try fixture.run("queue resume q; queue drain q; queue remove q")
  }

  @Test("Removing a queue with '--force' cancels what is on it, held for it, and in its groups")
  func removingByForce() throws {
    let fixture = try ShellFixture(
      """
      queue new q --paused --width 1
      delay 60s --queue q --name a
      delay 60s --queue q --name b --after a
      delay 60s --queue q --name c --hold
      group g --queue q { delay 60s --name m }
      queue new other; delay 1ms --queue other --name free
      queue remove q --force
      wait --any-outcome
      """)
    for name in ["a", "b", "c", "g", "m"] {
      #expect(try fixture.operation(name).outcome == .cancelled, "\(name)")
    }
    #expect(try fixture.operation("free").outcome == .succeeded)
    #expect(fixture.session.jobs.queue(named: "q") == nil)
    try fixture.run("queue new q; queue remove q --force")
  }

  @Test("What has not begun has ended when its queue is removed with '--force'")
  func removedAtOnce() throws {
    let fixture = try ShellFixture(
      """
      queue new q --width 0
      delay 60s --queue q --name a
      group g --queue q { delay 60s --name m }
      queue remove q --force
      expect (a.state == finished and m.state == finished and g.state == finished)
      """)
    #expect(try fixture.operation("a").outcome == .cancelled)
  }

  @Test(
    "What a body with an expectation waits for is not kept from a reserved name",
    arguments: [
      "expect (c.state == finished) within 60s",
      "never (A.state == finished) until (c.state == finished) within 60s",
    ])
  func expectationOfHolder(check: String) throws {
    let fixture = try ShellFixture(
      """
      queue width 6
      block --name B --exclusive x { sleep 50ms; \(check) }
      queue pause
      delay 10ms --name A --exclusive x,y
      delay 10ms --name c --exclusive y
      queue resume
      wait
      """)
    for name in ["A", "B", "c"] {
      #expect(try fixture.operation(name).outcome == .succeeded, "\(name)")
    }
  }

  @Test("Reasons of a delayed member of a group that can't start include the group's")
  func delayedInGroup() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue pause; group g { delay 1s --name m --delay 2s }")
    #expect(
      try fixture.output(of: "why m") == [
        "m is pending and does not run because",
        "  'm' may become ready in 2 s",
        "  group 'g' has not begun  → why g",
        "    queue 'network' is paused  → queue resume network",
      ])
    try fixture.run("queue resume; sleep 1ms; queue width 1; queue pace 1h; delay 1s --name next")
    // The pace started with the next operation, and the group has the only slot.
    try fixture.run("wait g; delay 1s --name z")
    #expect(
      try fixture.output(of: "why z").dropFirst() == [
        "  queue 'network' is full: 'next' holds its slot  → queue width network unlimited",
        "  queue 'network' starts the next one in 1 h 0 min  → queue pace network off",
      ])
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test(
    "'why' says what an executing operation does, and how long it has been executing",
    arguments: [
      ("delay 5s --name x", "x has been executing for 1 s: 4 s left"),
      ("delay 5s --name x --retry 2", "x has been executing for 1 s: attempt 1 of 3, 4 s left"),
      (
        "def pause { sleep 5s }\nblock --name x { echo a; pause }",
        "x has been executing for 1 s: its body runs 'sleep 5s' (test:2)"
      ),
      (
        "server latency 5s; fetch questions --name x",
        "x has been executing for 1 s: \(waiting)"
      ),
      (
        """
        server fault reset; fetch questions --name x --retry 2 --backoff 500ms; sleep 100ms
        server fault off; server latency 5s
        """, "x has been executing for 1.10 s: attempt 2 of 3, \(waiting)"
      ),
      (
        "server latency 30s; fetch questions --name x --blocking",
        "x has been executing for \(waiting)"
      ),
      ("run --name x sleep 30", "x has been executing for its program has printed 0 B"),
    ])
  func whileExecuting(_ script: String, _ told: String) throws {
    let isReal = script.contains("--blocking") || script.hasPrefix("run")
    let fixture = try ShellFixture(
      isReal ? script : "set clock virtual\n" + script + "\nsleep 1s")
    if isReal {
      let parts = told.split(separator: "for ", maxSplits: 1)
      var text = ""
      let isTold = try eventually {
        text = try fixture.output(of: "why x").first ?? ""
        return text.hasPrefix(parts[0]) && text.hasSuffix(parts[1])
      }
      #expect(isTold, "\(text)")
    } else {
      #expect(try fixture.output(of: "why x").first == told)
    }
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("'why --json' says what an executing operation does, if it waits for nothing")
  func activityAsData() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 5s --name x; delay 5s --name y
      sleep 1s
      """)
    func reasons(_ name: String) throws -> String {
      let line = try #require(try fixture.output(of: "why \(name) --json").first)
      return String(line.split(separator: "\"reasons\":", maxSplits: 1)[1])
    }
    #expect(
      try reasons("x")
        .hasSuffix(#","activity":"has been executing for 1 s: 4 s left"}"#))
    #expect(try !reasons("y").contains("has been executing"))
    try fixture.run("block { fail no } --name z --retry 1 --backoff 5s; wait x; wait y; sleep 1s")
    #expect(try reasons("z").hasPrefix(#"[{"code":"backoff","#))
    try fixture.run("wait --any-outcome")
    #expect(try reasons("x").hasPrefix("[],\"position\":"))
  }

  private static let waiting = "waiting for the first byte of the response"

  @Test(
    "A cancelled operation that still executes is reported as such, also by those that wait for it")
  func cancelledWhileExecuting() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      block --name b { sleep 10s }
      sleep 1s
      why b
      cancel b
      delay 1s --name n --after b
      """)
    #expect(
      try fixture.output(of: "why b") == [
        "b has been executing for 1 s: its body runs 'sleep 10s' (test:2); cancelled, it ends "
          + "when its work does"
      ])
    #expect(
      try fixture.output(of: "why n") == [
        "n is pending and does not run because", "  waits for 'b', which is executing, cancelled",
      ])
    try fixture.run("wait --any-outcome")
    #expect(try fixture.operation("n").outcome == .succeeded)
  }

  private func expectCure(_ cure: String?, for reason: String, in fixture: ShellFixture) throws {
    let line = try #require(try fixture.output(of: "why d").first { $0.contains(reason) })
    if let cure { #expect(line.hasSuffix("  → " + cure)) } else { #expect(!line.contains("→")) }
  }

  @Test(
    "Creating a missing queue is suggested only if its name is valid",
    arguments: [
      ("queue pause downloads", "'queue new downloads' makes it; 'queue' lists them"),
      ("queue width 8 4", "'queue' lists them"), ("queue pause auto", "'queue' lists them"),
      ("queue pause netwrok", "did you mean 'network'?"),
    ])
  func unknownQueue(_ command: String, _ help: String) throws {
    let error = try ShellFixture().error(of: command)
    #expect(error.code == "unknown-queue")
    #expect(error.help == help)
  }

  @Test("A pace limits starts, is shown, and can be removed")
  func pace() throws {
    let fixture = try ShellFixture("queue pace 60s; delay 0s --count 2 --name a")
    #expect(fixture.session.jobs.queues.inUse.pace == .seconds(60))
    #expect(try fixture.output(of: "queue").first?.contains("pace") == true)
    #expect(try fixture.output(of: "queue show").dropFirst().first?.contains(" 1m ") == true)
    #expect(try fixture.run("(network.pace)").text == "1m")
    let second = try fixture.operation("a-2")
    #expect(second.state == .ready)
    let why = try fixture.output(of: "why a-2")
    #expect(why.last?.hasSuffix("→ queue pace network off") == true)
    try fixture.run("queue pace network off; wait")
    #expect(second.outcome == .succeeded)
    #expect(try fixture.output(of: "queue").first?.contains("pace") == false)
  }

  @Test("With --json a queue's object has all properties of a queue, and nothing else is printed")
  func queueAsJSON() throws {
    let fixture = try ShellFixture("queue pace 200ms; queue pause; delay 1ms --name a")
    let lines = try fixture.output(of: "queue show --json") + fixture.output(of: "queue --json")
    #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix(#"{"type":"queue","#) })
    let ends = lines.map { $0.components(separatedBy: #""finished":0,"#).last ?? "" }
    #expect(
      ends == [
        #""coalesces":false,"pace":0.2,"operations":["a"]}"#,
        #""coalesces":false,"pace":0.2,"operations":["a"]}"#,
        #""coalesces":false,"pace":null,"operations":[]}"#,
        #""coalesces":false,"pace":null,"operations":[]}"#,
      ])
  }

  @Test(
    "'stats' counts operations that are on no queue, or on one that is gone, in a row of its own")
  func statsElsewhere() throws {
    let fixture = try ShellFixture(
      "set clock virtual; delay 1ms --hold; queue new old; delay 1ms --queue old; wait\n"
        + "queue remove old")
    let stats = try fixture.output(of: "stats")
    let rows = stats.dropFirst().prefix(3).map { $0.split(separator: "  ")[0] }
    #expect(rows == ["old", "no queue", "all"])
  }

  @Test("'queue order', 'queue route' and 'stats threads' print objects with --json")
  func objects() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1ms --name a; delay 1ms --name b --after a --priority high\n"
        + "queue route quotes system; block --name c --queue system { sleep 1m }\n"
        + "expect (c.state == executing) within 1m")
    let order = try fixture.output(of: "queue order --json")
    #expect(order.count == 2)
    let last = #""place":2,"operation":{"id":2,"name":"b"},"state":"pending","priority":"high","#
    #expect(order.last?.hasSuffix(last + #""waits":[{"id":1,"name":"a"}]}"#) == true, "\(order)")
    let routes = try fixture.output(of: "queue route --json")
    #expect(routes.contains { $0.hasSuffix(#""kind":"quotes","queue":"system","set":true}"#) })
    #expect(routes.contains { $0.hasSuffix(#""kind":"answers","queue":"network","set":false}"#) })
    let threads = try fixture.output(of: "stats threads --json")
    #expect(threads.count == 1)
    #expect(threads.first?.contains(#""executing":1,"holders":[{"id":3,"name":"c"}]"#) == true)
    try fixture.run("cancel all; queue resume; wait --any-outcome")
  }

  @Test(
    "Invalid values are found without running",
    arguments: [
      ("queue pace", 1), ("queue pace abc", 12), ("queue pace network abc", 20),
      ("queue step 0", 12), ("queue step network x", 20), ("queue barrier --count 2", 15),
      ("queue barrier network b", 23),
      ("group 1g { }", 7), ("group all { }", 7), ("group new { }", 7),
      ("group g", 1), ("group g { } --width -2", 21), ("group g { } --name h", 13),
      ("set kep", 5), ("set keep some", 10), ("set keep -1", 10), ("set keep 1 2", 12),
      ("delay 1s --retry many", 18), ("delay 1s --retry 101", 18), ("delay 1s --jitter 101%", 19),
      ("delay 1s --backoff x", 20), ("delay 1s --delay x", 18), ("delay 1s --exclusive a,1b", 24),
      ("block { } --timeout x", 21), ("get /x --exclusive ''", 20), ("stats x", 7),
    ])
  func wrongValues(_ text: String, _ column: Int) throws {
    let outcome = try Opsh.run(text, options: ["--check"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("-c:1:\(column): error:"), "\(outcome.errors)")
  }

  @Test("'why' lists each reason after its consequence, down to the holder of a slot")
  func reasonsAsTree() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new o --paused
      delay 1s --name z --queue o
      block --name r --retry 2 --backoff 10s --jitter 0 { fail x }
      group g { delay 1s --name a; queue pause g }
      sleep 1s
      delay 1s --name n --after z,r
      delay 1s --name m
      """)
    #expect(
      try fixture.output(of: "why n") == [
        "n is pending and does not run because", "  waits for 'z', which is ready",
        "    queue 'o' is paused  → queue resume o", "  waits for 'r', which is executing",
        "    'r' pauses: script, attempt 2 of 3 follows in 9 s",
      ])
    #expect(
      try fixture.output(of: "why m") == [
        "m is ready and does not run because",
        "  queue 'network' is full: 'r' and 'g' hold its 2 slots  → queue width network unlimited",
        "    'r' pauses: script, attempt 2 of 3 follows in 9 s",
        "    group 'g' waits for 'a' in it", "      queue 'g' is paused  → queue resume g",
      ])
    _ = try fixture.output(of: "cancel all; queue resume o; queue resume g")
  }

  @Test("A request in backoff is the last reason of the operations that wait for it")
  func pausingRequest() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      server fault drop-before-headers
      queue new o --paused
      fetch questions --name q --retry 1 --backoff 10s --jitter 0
      delay 1s --name z --queue o
      delay 1s --name n --after q,z
      sleep 5s
      """)
    let lines = try fixture.output(of: "why n")
    let pause = try #require(lines.dropFirst(2).first)
    #expect(pause.hasPrefix("    'q' pauses: connection-lost, attempt 2 of 2 follows in "))
    #expect(
      lines == [
        "n is pending and does not run because", "  waits for 'q', which is executing", pause,
        "  waits for 'z', which is ready", "    queue 'o' is paused  → queue resume o",
      ])
    _ = try fixture.output(of: "cancel all; queue resume o")
  }

  @Test("A step that ends a cancelled operation leaves the others their steps")
  func stepOverCancelled() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1; queue pause; delay 1s --name a; delay 1s --name b; cancel a
      """)
    let lines = try fixture.output(of: "queue step network 2")
    #expect(lines.map { $0.prefix(7) } == ["a takes", "b takes"], "\(lines)")
  }

  @Test("The order names no dependency that a cancelled operation ignores")
  func orderOfCancelled() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1s --name a; delay 1s --name c --after a; cancel c")
    let lines = try fixture.output(of: "queue order")
    #expect(lines.contains { $0.contains(" c ") && $0.hasSuffix("normal") }, "\(lines)")
  }
}
