extension Concept {
  /// What opsh adds to an operation.
  static let results: [Concept] = [
    Concept(
      name: "outcome", aliases: ["succeeded", "failed", "success", "failure"],
      searchTerms: ["error", "result", "value", "how it ended", "isFinished"],
      summary: "how an operation ended: succeeded, failed, cancelled or skipped",
      text: """
        Finished says only that an operation is over. The outcome says how, with an error or a \
        value: 'result NAME' shows the value, a dependent finds it in $input. The error of a \
        cancelled one says who cancelled. A failure that no \
        'expect' and no '--any-outcome' covers makes the exit status of a script 1.
        """,
      picture: """
        finished ├ ✓ succeeded, with a value      ├ ⊘ cancelled
                 └ ✗ failed, with an error        └ ↷ skipped
        """,
      experiment: """
        block --name save { fail "disk full" }; wait --any-outcome
        expect (save.outcome == failed); show save
        """,
      shows: "outcome    ✗ script: disk full",
      swift: "private(set) var result: Result<Data, any Error>?",
      foundation: .opshOnly("A class keeps its own result; dependents do not see it."),
      related: ["isFinished", "skip", "cancel", "completionBlock"]),
    Concept(
      name: "group", aliases: ["GroupOperation"],
      searchTerms: ["composite", "parts", "nested", "inner queue", "children"],
      summary: "an operation that consists of others",
      text: """
        A group has a queue of its own for its parts. It executes while they do, and finishes \
        when all of them have: others depend on the group instead of on each part. Cancelling \
        it cancels all of them. It fails if a part failed; else it is cancelled or skipped if one \
        was. One built with '--open' takes more until 'close'.
        """,
      picture: """
        sync  │ load → parse → store │ → next
        """,
      experiment: """
        group sync { delay 100ms --name load; delay 5ms --name parse --after load }; tree sync
        wait; expect (sync.outcome == succeeded)
        """,
      shows: "parse  delay, pending: waits for load",
      swift: "inner.addOperations([load, parse, done], waitUntilFinished: false)  // in start()",
      foundation: .opshOnly("A class does it with an inner queue."),
      related: ["dependencies", "outcome"]),
    Concept(
      name: "retry", aliases: ["backoff", "attempts"],
      searchTerms: ["again", "repeat", "flaky", "jitter", "attempt"],
      summary: "another try after a failure",
      text: """
        '--retry N' makes further attempts within one execution, each after a pause that \
        doubles; the operation stays executing and keeps its slot. The command 'retry NAME' \
        builds a new operation: one that has finished never runs again.
        """,
      picture: """
        executing │ attempt 1 ✗ │ pause │ attempt 2 ✗ │ pause, doubled │ attempt 3 ✓ │ finished
        """,
      experiment: """
        block --name flaky --retry 2 --backoff 1ms { fail "again" }; wait --any-outcome
        expect (flaky.attempts == 3)
        """,
      shows: "attempt 3 of 3 after script",
      swift: "if attempt < 3 { timer.schedule(after: pause) { self.send() } } else { finish() }",
      foundation: .opshOnly("A class repeats its work itself; an operation cannot start twice."),
      related: ["outcome", "timeout", "states"]),
    Concept(
      name: "timeout", aliases: ["time-limit", "timed-out"],
      searchTerms: ["time limit", "deadline", "too long", "hang"],
      summary: "a time limit of an operation's execution",
      text: """
        '--timeout DURATION' counts from the start, over all attempts. When it has passed, the \
        operation fails with 'timed-out' and gives its slot back; while a body runs, which nothing \
        can stop, only when that ends. It also ends an asynchronous operation whose 'finish' was \
        forgotten. Waiting on the queue does not count.
        """,
      picture: """
        ready ··· not counted ··· │ executing ─── at most 20 ms ─── │ ✗ timed-out
        """,
      experiment: """
        delay 1s --name slow --timeout 20ms; wait --any-outcome; expect (slow.outcome == failed)
        """,
      shows: "timed-out: the operation took longer than 20 ms",
      swift: "timer.schedule(after: limit) { self.finish(with: .failure(TimedOut())) }",
      foundation: .opshOnly("Requests have time limits in URLRequest, operations have none."),
      related: ["retry", "outcome", "finish"]),
  ]
}
