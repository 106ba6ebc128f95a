extension Concept {
  /// What is called on an operation, and what it calls.
  static let methods: [Concept] = [
    Concept(
      name: "start", searchTerms: ["begin", "hold", "start()"],
      summary: "begins an operation",
      text: """
        The queue calls start() when an operation is ready and a slot is free. The default \
        start() looks at isCancelled, sets isExecuting, calls main() and finishes. An \
        asynchronous class overrides it, without super.start(), and returns while work goes on.
        """,
      picture: """
        queue → start() ├ cancelled → finish
                        └ isExecuting = true → main() → isFinished = true
        """,
      experiment: """
        delay 1ms --name nap --hold; start nap; wait; expect (nap.outcome == succeeded)
        """,
      shows: "ready → executing     slot 1 of 2 on network",
      swift: "override func start() { isCancelled ? finish() : begin() }",
      foundation: .differs(
        """
        'start NAME' adds a held operation to its queue; 'start NAME --directly' calls start() \
        without one. Foundation's ends the process if it is queued, not ready or executing.
        """),
      related: ["main", "finish", "isAsynchronous"]),
    Concept(
      name: "main", aliases: ["body"], searchTerms: ["main()", "work", "override"],
      summary: "the work of a synchronous operation",
      text: """
        A synchronous class overrides only main(): start() calls it, and when it returns the \
        operation has finished. The body of a 'block' is a main(). An operation that was \
        cancelled before its start never gets there. The queue 'main' is another thing: \
        'help main-queue'.
        """,
      picture: """
        start() → isExecuting = true → main() → isExecuting = false, isFinished = true
        """,
      experiment: """
        block --name job { echo "in main" }; wait; show job; expect (job.outcome == succeeded)
        """,
      shows: "from start to end",
      swift: "override func main() { for part in parts where !isCancelled { work(part) } }",
      foundation: .same("BlockOperation(block:) is an operation whose main() calls the block."),
      related: ["start", "isAsynchronous", "isCancelled", "main-queue"]),
    Concept(
      name: "finish", aliases: ["jam"],
      searchTerms: [
        "stuck", "hang", "never finishes", "queue jams", "forgotten", "awaits-finish", "block",
      ],
      summary: "ends an asynchronous operation",
      text: """
        An asynchronous operation ends itself, from any thread, exactly once, after its start: \
        isExecuting = false, isFinished = true, KVO for both. Until then it executes and keeps \
        its slot. Forgetting this on one path of the code is the jam: the most frequent mistake.
        """,
      picture: """
        start → body ends → executing, holds its slot ├ finish → KVO → slot is free
                                                      └ no finish → the queue jams
        """,
      experiment: """
        async upload { echo sent }; sleep 50ms; why upload
        finish upload 200; wait; result upload; expect (upload.outcome == succeeded)
        """,
      shows: "'upload' has done its work, and nothing has called finish  → finish upload",
      swift: "func finish() { isExecuting = false; isFinished = true }  // setters send KVO",
      foundation: .differs(
        """
        It has no finish(): each class writes its own. Finishing twice is ignored, before the \
        start it crashes on Linux; opsh refuses both.
        """),
      related: ["isFinished", "kvo", "slot", "zoo"]),
    Concept(
      name: "cancel",
      searchTerms: ["isCancelled", "stop a running operation", "cancelAllOperations"],
      summary: "asks an operation to stop",
      text: """
        It sets isCancelled; the operation ends when it notices. One that waits never runs. \
        Delays and requests end at once, a block when its body looks at self.isCancelled or has \
        ended: cancelling stops no running code. Dependents run all the same, unless they were \
        built with '--on-failure skip' or 'fail'.
        """,
      picture: """
        cancel → isCancelled ─ the body looks at it → finished, outcome cancelled
                             ─ it does not → runs to its end, then finished
        """,
      experiment: """
        block --name job { sleep 100ms; echo "still here" }; sleep 5ms; cancel job
        wait --any-outcome; expect (job.isCancelled)
        """,
      shows: "still here",
      swift: "override func cancel() { super.cancel(); task?.cancel() }",
      foundation: .same(
        """
        On no queue it only sets the flag (Apple's documentation: finishes at once; Linux: as \
        here). Finishing in cancel() before the start crashes on Linux.
        """),
      related: ["isCancelled", "isReady", "skip", "outcome"]),
    Concept(
      name: "completionBlock", aliases: ["completion", "callback"],
      searchTerms: ["completion handler", "handler", "when done", "after finishing"],
      summary: "code that runs after an operation has finished",
      text: """
        It is called once, on some thread, after isFinished has changed; dependents may have \
        started before it. Networking classes often call a handler of their own, with the \
        result, before isFinished changes or right after it. In opsh: 'on NAME finished { … }'.
        """,
      picture: """
        --completion before   handler │ isFinished = true
        --completion after              isFinished = true │ handler
        --completion block              isFinished = true │ ··· later ··· completionBlock
        """,
      experiment: """
        observe nap isFinished --completion block; delay 10ms --name nap; wait; sleep 50ms
        """,
      shows: "Foundation's completionBlock, some time after isFinished has changed",
      swift: "operation.completionBlock = { [weak operation] in print(operation?.name ?? \"\") }",
      foundation: .same(
        """
        Set after the end it never runs. On Linux it is not released after its call: a block \
        that holds its operation strongly leaks it.
        """),
      related: ["isFinished", "finish", "kvo", "outcome"]),
  ]
}
