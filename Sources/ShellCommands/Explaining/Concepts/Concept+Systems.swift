extension Concept {
  /// The clock, Foundation, and broken operations.
  static let systems: [Concept] = [
    Concept(
      name: "virtual-clock", aliases: ["clock", "virtual-time"],
      searchTerms: ["time", "deterministic", "simulate", "jump", "virtual clock", "test"],
      summary: "time that jumps to the next event",
      text: """
        With 'set clock virtual' delays, retries, time limits and 'sleep' take no real time: \
        while everything waits, the clock jumps to the next event. One thing happens at a time, \
        so each run prints the same; 'next' takes one step. Set it before anything is built. \
        'set speed 1/10' does the opposite: real time in slow motion.
        """,
      picture: """
        real     0 s ···································· 3600 s
        virtual  0 s → 3600 s
        """,
      experiment: """
        set clock virtual; delay 1h --name long; wait; expect (long.duration >= 1h)
        """,
      shows: "3600.000  long         executing → finished",
      swift: "let clock: any Clock<Duration>  // injected, so that a test can replace it",
      foundation: .opshOnly("Foundation's timers follow the system's clock."),
      related: ["states", "timeout", "set clock", "set speed", "next", "back"]),
    Concept(
      name: "foundation", aliases: ["apple", "linux", "engine"],
      searchTerms: ["differences", "NSOperation", "corelibs", "Operation", "compare"],
      summary: "where opsh's engine and Foundation differ",
      text: """
        Names, flags and KVO are Foundation's. opsh decides itself what runs next, and differs \
        where Foundation hangs, crashes or keeps silent. 'queue new NAME --engine foundation' \
        makes a queue that is a bare OperationQueue in a child process, to compare.
        """,
      picture: """
                              Foundation               opsh
        default width         -1, unlimited            2
        cycle                 stalls silently          refused, with its path
        finish before start   crash on Linux           refused
        removeDependency      never ready on Linux     works
        blocking bodies       wait for pool threads    a thread each
        """,
      experiment: "apropos maxConcurrentOperationCount",
      shows: "queue width",
      swift: "import Foundation  // Operation, BlockOperation, OperationQueue",
      foundation: .differs(
        """
        Each page says how. outcome, retry, timeout, skip, exclusive, group and virtual-clock \
        are opsh only. 'apropos NAME' takes the methods and properties of Foundation's classes.
        """),
      related: ["width", "dependencies", "cycle", "zoo"]),
    Concept(
      name: "zoo", aliases: ["mistakes", "bugs", "broken"],
      searchTerms: [
        "forget", "jam", "bug", "broken operations", "wrong", "imitate", "semaphore", "lock",
        "race",
      ],
      summary: "broken operations: the options of 'async' and 'block' that imitate mistakes",
      text: """
        Each is a mistake in the code of a class. 'why' and 'doctor' say why one never ends.
        """,
      picture: """
        --forget finish           never finished: holds its slot for ever, the jam
        --forget kvo:isFinished   finished, but its queue does not know: the same jam
        --forget kvo:isExecuting  runs; observers of isExecuting miss the changes
        --forget ready            isReady stays false: it never starts
        --forget kvo:isReady      ready, but its queue does not know: it never starts
        --forget cancel-check     runs, although it was cancelled before its start
        --finish twice            the second is refused; Foundation ignores it
        --finish before-start     refused; Foundation on Linux crashes
        --finish-before-handler   its dependents start before the handler has the value
        --call-super-start        finished when main() returns; its work only begins
        --no-lock                 finish after cancel counts too: two results
        --no-guard                notifies without a change: false → false
        --ignore-cancel           goes on when cancelled, and keeps its slot
        --own-ready               isReady turns false when it executes
        --lock-while-notifying    deadlock, if an observer needs the same lock
        block --forget signal     its body blocks a thread for good
        """,
      experiment: """
        async jam --forget finish { finish jam }; sleep 50ms; doctor; finish jam; wait
        """,
      shows: "'jam' has done its work, and nothing has called finish  → finish jam",
      swift: "executing = false; finished = true  // no KVO: the queue does not notice",
      foundation: .differs(
        "After 'queue new raw --engine foundation; queue use raw' each happens there. On Linux the "
          + "lock jams even without an observer, and a queue looks at isReady when others end."
      ),
      related: ["finish", "kvo", "deadlock", "isReady"]),
  ]
}
