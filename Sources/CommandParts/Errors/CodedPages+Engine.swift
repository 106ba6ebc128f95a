package import ShellLanguage
import ShellSession

extension CodedPages {
  /// Operations and queues that the engine refuses to change.
  package static let engine: [ErrorPage] = [
    ErrorPage(
      "already-executing", "The operation executes already",
      "An executing operation cannot be added to another queue.", help: "build another operation",
      wrong: "(an operation that executes is added to a queue)", right: "delay 1s"),
    ErrorPage(
      "already-on-queue", "The operation is on a queue already",
      "An operation can be on one queue only, and only once. Foundation ends the process for it: "
        + "'operations finished, executing or already in a queue cannot be enqueued'.",
      help: "'--hold' leaves an operation off its queue; 'retry' builds another one",
      wrong: "queue new second\nqueue pause\ndelay 1ms --name a\nqueue add a second",
      right: "queue new second\ndelay 1ms --name a --hold\nqueue add a second\nwait",
      proof: .running),
    ErrorPage(
      "added-twice", "The operation is in the batch twice",
      "An operation runs only once, so it can be added only once.",
      help: "leave one of them out", wrong: "(a batch with an operation twice)",
      right: "delay 1s --count 2"),
    ErrorPage(
      "different-logs", "The operations belong to different sessions",
      "Operations can depend on each other, and be on a queue, only within one engine.",
      help: "build both in the same session", wrong: "(a dependency across two sessions)",
      right: "delay 1s\ndelay 1s --after last"),
    ErrorPage(
      "group-finished", "The group has finished and takes no more operations",
      "Operations are added to a group by its block, by its own operations while it runs, and with "
        + "'--queue' until it has finished: before a handler of its last member runs, say.",
      help: "'group NAME --open { … }' keeps a group open until 'close NAME'",
      wrong: "group g { delay 1ms }\nwait\ndelay 1ms --queue g",
      right: "group g --open { delay 1ms --name last-one }\n"
        + "on last-one finished { delay 1ms --queue g; close g }\nwait", proof: .running),
    .exclusiveConflict,
    ErrorPage(
      "invalid-width", "The width is out of range", "The width is 0 or more, or 'unlimited'.",
      help: "0 starts nothing", wrong: "(a width of -2)", right: "queue width 3"),
    ErrorPage(
      "not-suspended", "The queue is not paused, so it cannot be stepped",
      "'queue step' starts the next operations of a paused queue.", help: "pause it first",
      wrong: "queue step", right: "queue pause\nqueue step\nqueue resume", proof: .running),
    ErrorPage(
      "foundation-queue", "A queue of Foundation cannot do that",
      "'queue new NAME --engine foundation' runs on Foundation's OperationQueue, which has no pace, "
        + "no steps, time limits or retries, and takes what 'block', 'async', 'delay' and "
        + "'fetch … --blocking' build.",
      help: "a queue of opsh can: 'queue new NAME'",
      wrong: "queue new raw --engine foundation\nqueue pace raw 1s",
      right: "queue new slow\nqueue pace slow 1s", proof: .running),
    ErrorPage(
      "wait-from-inside", "An operation waits for the queue that it is on",
      "The queue cannot become empty while the operation is on it.",
      help: "wait outside, or for certain operations",
      wrong: "(a body that waits for its own queue)", right: "block { echo done }\nwait"),
    ErrorPage(
      "self-dependency", "An operation would wait for itself", "It could never run.",
      help: "name another operation", wrong: "delay 1ms --hold\ndeps last on last",
      right:
        "delay 1ms --hold --name a\ndelay 1ms --hold --name b\ndeps b on a\nstart a\nstart b\nwait"),
    ErrorPage(
      "too-late", "It is too late to change what the operation depends on",
      "Dependencies can change until the operation executes.",
      help: "build it with '--hold', and start it after setting its dependencies",
      wrong: "delay 1ms --name a\ndelay 1ms --name b\nwait\ndeps b on a",
      right: "delay 1ms --name a\ndelay 1ms --name b --hold\ndeps b on a\nstart b\nwait",
      proof: .running),
    ErrorPage(
      "already-starting", "The operation has its slot and is about to execute",
      "Its observers are called just before that; what it depends on can no longer change.",
      help: "add the dependency before: build the operation with '--hold'",
      wrong: "(an observer of isExecuting with 'prior' that adds a dependency)",
      right: "delay 1ms --name a\ndelay 1ms --name b --hold\ndeps b on a\nstart b\nwait"),
    ErrorPage(
      "not-ready", "The operation cannot start yet",
      "It waits for other operations. In Foundation a call of start() then ends the process.",
      help: "'why OP' says what it waits for",
      wrong: "delay 1s --name a\ndelay 1ms --name b --after a --hold\nstart b --directly",
      right: "delay 1ms --name a\ndelay 1ms --name b --after a --hold\nwait a\n"
        + "start b --directly\nwait", proof: .running),
    ErrorPage(
      "on-queue", "The operation is on a queue, which starts it",
      "'start' starts held operations.", help: "'priority OP high' starts it earlier",
      wrong: "(start of an operation on a queue)", right: "delay 1ms --hold\nstart last\nwait"),
  ]

  /// What the engine lets operations fail with.
  package static let engineOutcomes: [ErrorPage] = [
    ErrorPage(
      "cancelled", "The operation was cancelled",
      "The operation, its group or its queue was cancelled; the message says by whom. That does "
        + "not fail a script.", help: "'retry OP' builds it anew", wrong: "delay 1s\ncancel last",
      right: "delay 1ms\nwait",
      proof: .unproven),
    ErrorPage(
      "skipped", "The operation was skipped, because a dependency did not succeed",
      "'--on-failure skip' skips such operations.", help: "'--on-failure run' runs it anyway",
      wrong:
        "block { fail \"no\" } --name a\ndelay 1ms --after a --on-failure skip\nwait --any-outcome",
      right: "delay 1ms --name a\ndelay 1ms --after a --on-failure skip\nwait", proof: .unproven),
    ErrorPage(
      "dependency-failed", "A dependency did not succeed",
      "With '--on-failure fail', an operation fails if a dependency does not succeed.",
      help: "'--on-failure run' runs it anyway",
      wrong:
        "block { fail \"no\" } --name a --hold\ndelay 1ms --after a --on-failure fail\nstart a\nwait a --any-outcome",
      right: "delay 1ms --name a\ndelay 1ms --after a --on-failure fail\nwait", proof: .running),
    .foundationEnded,
    .groupFailed,
    .uncoded,
  ]
}

extension ErrorPage {
  package static let uncoded = ErrorPage(
    "error", "An operation failed with an error that has no code of its own",
    "The message describes it.", help: "'show OP' shows the whole error",
    wrong: "(an operation of a program that uses the engine)", right: "delay 1ms\nwait")
}

extension ErrorPage {
  package static let exclusiveConflict = ErrorPage(
    "exclusive-conflict", "A group and an operation in it need the same exclusive name",
    "A group has its names until all that is in it has finished, so the operation would wait for "
      + "ever.", help: "give the name to the group alone, or to its operations",
    wrong: "group g --exclusive db { delay 1ms --exclusive db }",
    right: "group g --exclusive db { delay 1ms }")
}
