extension Concept {
  /// Queues, and what their operations take.
  static let queues: [Concept] = [
    Concept(
      name: "queue", aliases: ["OperationQueue", "NSOperationQueue"],
      searchTerms: ["scheduler", "isSuspended", "pause", "addOperation", "network", "system"],
      summary: "starts operations when they are ready and a slot is free",
      text: """
        A queue starts the ready operation with the highest priority whenever one of its slots \
        is free. It learns by KVO what became ready and what finished. It never starts one \
        twice, and never interrupts one: pausing and a smaller width act on later starts only.
        """,
      picture: """
        add → pending → ready, by priority → slots │ a │ b │ → finished
        """,
      experiment: """
        queue pause; delay 1ms --name nap; why nap; queue resume; wait
        """,
      shows: "queue 'network' is paused  → queue resume network",
      swift: "let queue = OperationQueue(); queue.addOperations([a, b], waitUntilFinished: false)",
      foundation: .differs(
        """
        Default width -1, here 2. On Linux an operation can stay for ever if its last \
        dependency finishes just as it is added; adding one twice ends the process.
        """),
      related: ["width", "slot", "main-queue"]),
    Concept(
      name: "width", aliases: ["maxConcurrentOperationCount", "concurrency", "unlimited"],
      searchTerms: ["defaultMaxConcurrentOperationCount", "-1", "limit", "how many", "parallel"],
      summary: "how many operations of a queue may execute at once",
      text: """
        Further ready ones wait for a slot. Foundation's default is -1, which means unlimited; \
        opsh's is 2, because waiting, order and priority only show where operations wait. \
        'queue width -1' is unlimited here too. 0 starts nothing; less interrupts nothing.
        """,
      picture: """
        width  2   │ a │ b │           c d e wait, the highest priority first
        width -1   │ a │ b │ c │ d │ e │
        """,
      experiment: """
        queue width -1; delay 200ms --count 5; expect (network.executing == 5) within 1s
        queue; wait; queue width 2
        """,
      shows: "network *  unlimited",
      swift: "queue.maxConcurrentOperationCount = 2  // less than -1 ends the process",
      foundation: .differs(
        """
        On Linux blocking bodies get 2 or 3 threads on two cores, then one more each second, \
        whatever the width; opsh starts a thread for each.
        """),
      related: ["slot", "priority", "threads", "queue width"]),
    Concept(
      name: "slot", aliases: ["slots", "queue-full"],
      searchTerms: ["full", "free", "capacity", "jam"],
      summary: "the place that an executing operation takes in its queue",
      text: """
        A queue of width 2 has two slots. An operation takes one at its start and gives it back \
        when it has finished, not when its body ends. One that waits for an answer or for \
        'finish' holds its slot all that time; a lost 'finish' in each slot jams the queue.
        """,
      picture: """
        slot 1   │ jam ··· until finish ··· │ next │
        waiting  │ next                     │
        """,
      experiment: """
        queue width 1; async jam { echo begun }; delay 1ms --name next; sleep 50ms; why next
        finish jam; wait; queue width 2
        """,
      shows: "queue 'network' is full: 'jam' holds its slot",
      swift: "let isFull = queue.operations.filter(\\.isExecuting).count >= 2",
      foundation: .same("It has no word for a slot, and cannot say which operation holds one."),
      related: ["width", "finish", "isExecuting"]),
    Concept(
      name: "main-queue", aliases: ["main-thread", "OperationQueue.main"],
      searchTerms: ["main queue", "main thread", "user interface", "run loop", "dispatchMain"],
      summary: "the queue 'main', whose operations run on the interpreter's thread",
      text: """
        It is there from the start; its width is always 1. Its operations run between \
        statements, as handlers do: at the prompt, in 'wait' and in 'sleep'. Results are handed \
        to it for display. A wait inside for another of its operations can never end.
        """,
      picture: """
        network: │ load │ → main: │ show │ → statements, handlers
        """,
      experiment: """
        delay 5ms --name load; block --name draw --queue main --after load { echo drawn }
        wait; show draw; expect (load.finished before draw.started)
        """,
      shows: "thread      the interpreter's thread, from start to end",
      swift: "OperationQueue.main.addOperation { label.text = text }",
      foundation: .differs(
        """
        Nothing runs on it without a run loop or dispatchMain(). On Linux its \
        cancelAllOperations() does nothing, and it cannot be paused.
        """),
      related: ["threads", "queue", "deadlock"]),
    Concept(
      name: "threads", aliases: ["thread"],
      searchTerms: ["pool", "blocking", "64 threads", "starve", "underlyingQueue"],
      summary: "what an operation takes of the machine while it executes",
      text: """
        A 'block' holds a thread from start to end, even if it only waits. A request, a delay \
        and an 'async' operation that waits hold none. Apple's pool has some 64 threads: as many \
        blocking requests use it up, thousands of asynchronous ones do not.
        """,
      picture: """
        block  │ thread ─────────────────── │
        fetch  │ begin │ ··· no thread ···  │ decode │
        """,
      experiment: """
        block --name busy { sleep 200ms }; delay 200ms --name idle; sleep 5ms
        stats threads; wait
        """,
      shows: "holds none: idle",
      swift: "override func start() { task = session.dataTask(with: url); task?.resume() }",
      foundation: .differs(
        """
        On Linux the bodies share a pool that grows by one thread a second; with it full, \
        completion blocks wait too. opsh has a thread for each body.
        """),
      related: ["isAsynchronous", "width", "qos", "main-queue"]),
  ]
}
