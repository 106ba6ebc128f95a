extension Concept {
  /// What decides which operation comes first.
  static let relations: [Concept] = [
    Concept(
      name: "dependencies", aliases: ["dependency", "dependent"],
      searchTerms: [
        "addDependency", "removeDependency", "after", "order", "prerequisite", "graph",
        "what if a dependency fails",
      ],
      summary: "operations that must have finished before another one may start",
      text: """
        An operation is ready when all its dependencies have finished, on whatever queue they \
        are and however they ended: finished, not succeeded, is the condition, so a dependent \
        runs after a failure too. Dependencies come before every priority.
        """,
      picture: """
        load → parse → save      delay 1ms --name parse --after load, or: deps parse on load
        """,
      experiment: """
        block --name bad { fail "no" }; delay 1ms --name next --after bad
        wait --any-outcome; expect (next.outcome == succeeded)
        """,
      shows: "dependencies met: bad (failed)",
      swift: "parse.addDependency(load)  // before parse starts",
      foundation: .differs(
        """
        On Linux an operation never becomes ready after removeDependency() of an unfinished one; \
        opsh's 'deps b off a' works. '--on-failure skip' and 'fail' are opsh only.
        """),
      related: ["isReady", "skip", "cycle", "priority"]),
    Concept(
      name: "skip", aliases: ["on-failure", "skipped"],
      searchTerms: ["dependency-failed", "dependency fails", "policy", "propagate", "failure"],
      summary: "what happens to an operation if a dependency fails",
      text: """
        '--on-failure run' runs it all the same, the default. 'skip' ends it without running, \
        with the outcome skipped; 'fail' with the outcome failed. Both go on along a chain. \
        A cancelled or skipped dependency counts as one that did not succeed.
        """,
      picture: """
        bad ✗ ├ run  → executing → finished ✓
              ├ skip → finished ↷ skipped
              └ fail → finished ✗ dependency-failed
        """,
      experiment: """
        block --name bad { fail "no" }; delay 1ms --name next --after bad --on-failure skip
        wait --any-outcome; expect (next.outcome == skipped)
        """,
      shows: "skipped, because the dependency 'bad' did not succeed",
      swift: "override func main() { if dependencies.contains(where: \\.isCancelled) { return } }",
      foundation: .opshOnly(
        "Foundation always runs the dependent, which has to check its dependencies itself."),
      related: ["dependencies", "outcome", "cancel"]),
    Concept(
      name: "cycle", aliases: ["circular", "circle"],
      searchTerms: ["loop", "deadlock", "circular"],
      summary: "operations that depend on each other in a circle",
      text: """
        Each waits for the next, so none of them ever becomes ready. opsh refuses the dependency \
        that would close a cycle, and shows its path. A cancelled operation waits for nothing, \
        so it cannot be part of a cycle.
        """,
      picture: """
        a → b → c → a
        """,
      experiment: """
        delay 1ms --name a --hold; delay 1ms --name b --after a --hold
        try { deps a on b } catch e { echo $e.message }; start a b; wait
        """,
      shows: "the dependency would close a cycle: a → b → a",
      swift: "a.addDependency(b); b.addDependency(a)  // neither is ever ready",
      foundation: .differs(
        """
        It accepts the cycle and stalls without a word; cancelling one of its operations ends \
        that. A dependency on itself hangs the caller on Linux.
        """),
      related: ["dependencies", "deadlock"]),
    Concept(
      name: "deadlock",
      searchTerms: ["stuck", "hang", "wait for each other", "lock", "never ends"],
      summary: "waits that can never end, because each needs the other",
      text: """
        A body that waits for an operation of its own full queue, two bodies that wait for each \
        other, a lock that is held while an observer needs it. opsh refuses such a wait with the \
        whole circle; 'why' and 'doctor' find the others.
        """,
      picture: """
        outer ─ waits for → inner ─ needs a slot of → network, full: outer holds it
        """,
      experiment: """
        queue width 1; block --name outer { delay 1ms --name inner; wait inner }; sleep 100ms
        wait --any-outcome; queue width 2; expect (outer.outcome == failed)
        """,
      shows: "'outer' waits for 'inner', so neither will ever finish",
      swift: "inner.waitUntilFinished()  // in a body on the same full queue: never returns",
      foundation: .differs(
        """
        It hangs without a word, and so does waitUntilAllOperationsAreFinished() in a body of \
        the same queue. Let a dependency wait instead of a body.
        """),
      related: ["cycle", "slot", "dependencies", "zoo"]),
    Concept(
      name: "priority", aliases: ["queuePriority"],
      searchTerms: ["veryHigh", "veryLow", "order", "starvation", "first"],
      summary: "which of the ready operations starts first",
      text: """
        When a slot is free, the ready operation with the highest priority starts; equal ones in \
        the order in which they were added. What follows from one event in the same instant, such \
        as skips and the ends of groups, comes before the slot is given. It never makes an operation ready: dependencies come \
        first. Use it for the order that you prefer, dependencies for the order that you need.
        """,
      picture: """
        ready: c high, a normal, b normal      pending: d veryHigh, waits for b
        starts: c, a, b, then d
        """,
      experiment: """
        queue pause; delay 1ms --name low-one --priority low
        delay 1ms --name high-one --priority high --after low-one; queue order
        queue resume; wait; expect (low-one.finished before high-one.started)
        """,
      shows: "2  high-one  pending  high      low-one",
      swift: "operation.queuePriority = .high  // before it starts",
      foundation: .differs(
        """
        On Linux it has no effect on an unlimited queue, and operations that one dependency \
        releases together can start in any order; opsh keeps it.
        """),
      related: ["dependencies", "width", "qos"]),
    Concept(
      name: "qos", aliases: ["qualityOfService", "quality-of-service"],
      searchTerms: ["threadPriority", "nice", "background", "userInitiated", "utility"],
      summary: "how much of the machine the work of an operation may take",
      text: """
        A level for the thread of a body: userInteractive, userInitiated, default, utility, \
        background. It does not choose which operation starts first; that is the priority. \
        An operation's own level counts, else that of its queue ('queue qos'), else that of \
        its group. It is settled when the operation begins to execute.
        """,
      picture: """
        priority → which one starts      qos → how fast its thread gets the processor
        """,
      experiment: """
        queue new bulk --qos background
        block --name calm --queue bulk { sleep 5ms }; wait; show calm
        queue remove bulk
        """,
      shows: "qos        background, of queue 'bulk'",
      swift: "operation.qualityOfService = .utility; queue.qualityOfService = .userInitiated",
      foundation: .differs(
        """
        Apple documents that rule. On Linux an operation takes nothing from its queue, only one \
        made by addOperation { } does. There, if no priority is set and the width is not 1, \
        the place on the queue follows from the level when it is added: userInteractive counts \
        as veryHigh, userInitiated as high, utility as low, background as veryLow.
        """),
      related: ["priority", "threads", "queue qos"]),
    Concept(
      name: "barrier", searchTerms: ["addBarrierBlock", "alone", "queue barrier"],
      summary: "an operation that waits for all before it and runs alone",
      text: """
        It starts when everything that was added to its queue earlier has finished, and \
        everything that is added later waits for it, whatever its priority. Use it between two \
        phases instead of many dependencies.
        """,
      picture: """
        a b c → │ gate │ → x y z
        """,
      experiment: """
        delay 100ms --name a; queue barrier --name gate { echo alone }; delay 1ms --name z
        why z; wait; expect (gate.finished before z.started)
        """,
      shows: "comes after barrier 'gate'",
      swift: "queue.addBarrierBlock { merge() }",
      foundation: .differs(
        """
        On Linux it starts at once on an empty queue, even a paused one, and is not in \
        'operations'; here it is an operation like any other.
        """),
      related: ["dependencies", "width", "exclusive"]),
    Concept(
      name: "exclusive",
      searchTerms: ["mutual exclusion", "mutex", "lock", "resource", "semaphore"],
      summary: "a name that only one operation at a time executes with",
      text: """
        Operations with the same '--exclusive NAME' execute one after the other, on whatever \
        queues they are. One that waits for names holds no slot, and others pass it; but the first \
        by priority and order of adding reserves all of its names, so that one that needs several \
        is not starved. 'why' says what is reserved. A queue of width 1 does the same for its own \
        operations only.
        """,
      picture: """
        a (db) executing      b (db) waits      c executing
        """,
      experiment: """
        delay 100ms --name a --exclusive db; delay 1ms --name b --exclusive db; why b
        wait; expect (a.finished before b.started)
        """,
      shows: "'db' is held by 'a'",
      swift: "second.addDependency(first)  // for each pair, or a queue of width 1",
      foundation: .opshOnly("Other libraries call it mutual exclusion, as a condition."),
      related: ["barrier", "slot", "deadlock"]),
  ]
}
