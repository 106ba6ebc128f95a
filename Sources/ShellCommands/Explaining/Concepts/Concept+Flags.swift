extension Concept {
  /// The states, and the flags by which Foundation tells them.
  static let flags: [Concept] = [
    Concept(
      name: "states", aliases: ["state", "lifecycle", "pending", "ready", "executing", "finished"],
      searchTerms: ["life cycle", "created", "status", "flags", "transition"],
      summary: "the life of an operation, from created to finished",
      text: """
        created: on no queue yet. pending: waits for dependencies or a start delay. ready: waits \
        for a free slot. executing: holds a slot. finished: over, for ever. Cancelled is not a \
        state but a flag: a cancelled operation still has to finish, and its queue still has to \
        start it for that. \
        A ready operation that gets an unfinished dependency before it starts is pending again; \
        isReady turns false until the dependency has finished.
        """,
      picture: """
        created → pending ─ dependencies met → ready ─ free slot → executing → finished
                     └ cancelled: ready at once, finishes without running its body
        """,
      experiment: "delay 1ms --name nap; wait; log nap",
      shows: "ready → executing     slot 1 of 2 on network",
      swift: "let isWaiting = !operation.isExecuting && !operation.isFinished",
      foundation: .differs(
        """
        It has no state, only the flags isReady, isExecuting, isFinished and isCancelled; ask for \
        finished first, then executing, then ready: isReady may stay true after the start.
        """),
      related: ["isReady", "isExecuting", "isFinished", "isCancelled", "outcome"]),
    Concept(
      name: "isReady", searchTerms: ["ready", "readiness", "own-ready"],
      summary: "whether an operation may start now",
      text: """
        An operation is ready when all its dependencies have finished (and its '--delay' has \
        passed). A queue starts ready operations only, and only in a free slot: ready does not \
        mean that it runs now. A cancelled operation becomes ready at once, so that it can finish.
        """,
      picture: """
        dependencies: a, b     a finished     b finished
        isReady:      false ────────────────→ true ─ free slot → executing
        """,
      experiment: "observe b isReady; delay 50ms --name a; delay 5ms --name b --after a; wait",
      shows: "b.isReady  false → true",
      swift: "override var isReady: Bool { isCancelled || (super.isReady && isLoaded) }",
      foundation: .same(
        """
        A class that overrides isReady must call super, be true once cancelled, and send KVO for \
        each change; without that the queue does not notice, and the operation stays.
        """),
      related: ["dependencies", "slot", "kvo", "states"]),
    Concept(
      name: "isExecuting", searchTerms: ["running", "at work"],
      summary: "whether an operation has started and not finished",
      text: """
        It is true from the start of an operation until it finishes, and all that time the \
        operation holds a slot of its queue, whether it works or only waits for an answer. \
        An asynchronous operation sets it itself, and sends KVO for it.
        """,
      picture: """
        isExecuting  false ─ start → true ─ finish → false
        isFinished   false ─────────────── finish → true
        """,
      experiment: "observe nap isExecuting isFinished; delay 10ms --name nap; wait",
      shows: "nap.isExecuting  true → false",
      swift: "override var isExecuting: Bool { lock.withLock { executing } }",
      foundation: .same(
        "A synchronous operation gets it for nothing: the default start() sets it around main()."),
      related: ["start", "slot", "isAsynchronous", "kvo"]),
    Concept(
      name: "isFinished", searchTerms: ["done", "complete", "finished"],
      summary: "whether an operation is over",
      text: """
        It becomes true once and stays true, after success, failure and cancellation alike. The \
        queue gives the slot to the next operation and counts the dependency as met when it \
        receives KVO for isFinished. Setting a flag without KVO changes nothing for the queue.
        """,
      picture: """
        work done → isFinished = true ─ KVO → slot is free, dependents become ready
                                      ─ no KVO → slot held for ever
        """,
      experiment: """
        async upload --forget kvo:isFinished { finish upload }; sleep 50ms; why upload
        finish upload; wait; expect (upload.state == finished)
        """,
      shows: "sent no KVO for it, so the queue does not know",
      swift: "finished = true; didChangeValue(forKey: \"isFinished\")  // no lock held",
      foundation: .same("isFinished says nothing of success; opsh's 'outcome' does."),
      related: ["finish", "kvo", "outcome", "zoo"]),
    Concept(
      name: "isCancelled", aliases: ["cancelled"], searchTerms: ["abort", "stop", "cancellation"],
      summary: "a request to stop, kept as a flag",
      text: """
        cancel() sets the flag, and nothing else. An operation that waits becomes ready and \
        finishes without running as soon as its queue starts it: not while the queue is paused or \
        full, so a cancelled operation can stay. One that executes must look at the flag itself.
        """,
      picture: """
        cancel → isCancelled = true
          ├ waiting:    finishes when the queue starts it; its body does not run
          └ executing:  finishes when its body looks at the flag, or has ended
        """,
      experiment: """
        queue pause; delay 1s --name nap; cancel nap; why nap
        queue resume; wait --any-outcome; expect (nap.state == finished)
        """,
      shows: "nap is cancelled; it cannot finish yet because",
      swift: "for item in items { if isCancelled { return }; process(item) }",
      foundation: .same("The flag never becomes false again; after isFinished it has no effect."),
      related: ["cancel", "states", "isReady"]),
    Concept(
      name: "isAsynchronous",
      aliases: ["isConcurrent", "asynchronous", "synchronous", "concurrent"],
      searchTerms: ["async", "non-concurrent", "callback"],
      summary: "whether an operation goes on after its start() has returned",
      text: """
        A synchronous operation (block) has finished when its body returns, and holds a thread \
        until then. An asynchronous one (async, delay, fetch) begins its work and returns: it \
        waits without a thread, and must set isExecuting and isFinished itself, with KVO for both.
        """,
      picture: """
        block  │ body, on a thread ───────────────────────────│ finished
        async  │ body │ ··· executing, no thread ··· finish ──│ finished
        """,
      experiment: """
        delay 1ms --name timer; block --name work { sleep 1ms }; wait
        ops --columns name,isAsynchronous
        expect (timer.isAsynchronous and not work.isAsynchronous)
        """,
      shows: "work   false",
      swift: "override var isAsynchronous: Bool { true }  // and start, isExecuting, isFinished",
      foundation: .same(
        """
        isConcurrent is the old name. A queue does not ask for the flag. Without one it matters: \
        start() returns at once, or at the end: 'start NAME --directly'.
        """),
      related: ["start", "finish", "threads", "kvo"]),
  ]
}
