import ShellLanguage

extension ErrorCatalog {
  /// Names that lead to nothing, or to something else.
  static let finding: [ErrorPage] = [
    ErrorPage(
      "unknown-operation", "There is no such operation",
      """
      An operation is named by its id, its name, ids such as 3-7, a pattern such as \
      questions-*, 'last', 'all' or a variable. A pattern that matches nothing is an error too.
      """,
      wrong: "fetch questions\nwait question-1", right: "fetch questions\nwait questions-1"),
    ErrorPage(
      "unknown-queue", "There is no such queue",
      "The queues are network, system, those that 'queue new' made, and those of groups.",
      wrong: "queue new slow\nqueue pause slwo", right: "queue new slow\nqueue pause slow"),
    ErrorPage(
      "one-operation", "Several operations where one is wanted",
      "A pattern, a list or 'all' stands for several; this command works on one.",
      help: "name one of them",
      wrong: "delay 1ms --count 2\nwait\nfollow delay-*",
      right: "delay 1ms --count 2\nwait\nfollow delay-1", proof: .running),
    ErrorPage(
      "not-an-operation", "The value is no operation",
      "The variable holds something else, such as a queue or a number.",
      wrong: "let q = queue new slow\nwait $q", right: "let q = delay 1ms\nwait $q", proof: .running
    ),
    ErrorPage(
      "record-dropped", "The record of the operation was dropped",
      "Only the latest finished operations are kept, 100,000 by default, and fewer where the texts "
        + "of their errors take more than 64MB. 'set keep' sets both limits.",
      wrong: "set keep 1\ndelay 1ms --count 3\nwait\ndelay 1ms\nwait\nshow delay-1",
      right: "set keep 10\ndelay 1ms --count 3\nwait\nshow delay-1", proof: .none),
    ErrorPage(
      "reused-name", "A name is used again, and nothing waits in between",
      """
      A name is taken as long as its operation is unfinished. Where no statement between two uses \
      waits, the second may come too early, and then it is refused.
      """,
      wrong: "delay 1ms --name a\ndelay 2ms --name a",
      right: "delay 1ms --name a\nwait a\ndelay 2ms --name a", proof: .warning),
    ErrorPage(
      "value-dropped", "The value of the operation was dropped",
      "The values of finished operations may take 64MB by default; beyond that the oldest go first. "
        + "The operation itself stays, with its outcome and times.",
      help: "'set keep SIZE' sets the limit; a variable that holds the value itself keeps it",
      wrong:
        "set keep 1kB\nblock --count 2 { (format(\"{:>9000}\", 1)) }\nwait\nresult block-1",
      right:
        "set keep 64MB\nblock --count 2 { (format(\"{:>9000}\", 1)) }\nwait\nresult block-1",
      proof: .none),
    ErrorPage(
      "bad-limit", "The limits of 'set keep' contradict each other",
      "It takes a number of operations, a size, or one of each.",
      help: "'set keep NUMBER SIZE' sets both", wrong: "set keep 10 20",
      right: "set keep 10 20MB"),
    ErrorPage(
      "unknown-observer", "There is no such observer or handler",
      "'observers' lists them with their numbers.", wrong: "unobserve 5",
      right: "observe queue network operationCount\nunobserve 1", proof: .running),
    ErrorPage(
      "unknown-filter", "The filter is no state, no outcome and no operation",
      "A pattern also stands for operations that are built later.",
      wrong: "events filter questions",
      right: "events filter questions-*", proof: .running),
  ]

  /// What cannot be done with operations and queues.
  static let steering: [ErrorPage] = [
    ErrorPage(
      "already-started", "It was started already",
      "'start' is for operations that are held off their queue, and 'server start' for a server "
        + "that does not run yet.",
      help: "an operation runs only once; build another one",
      wrong: "delay 1ms\nwait\nstart last", right: "delay 1ms --hold\nstart last\nwait",
      proof: .running),
    ErrorPage(
      "exclusive-conflict", "A group and an operation in it need the same exclusive name",
      "A group has its names until all that is in it has finished, so the operation would wait for "
        + "ever.",
      help: "give the name to the group alone, or to its operations",
      wrong: "group g --exclusive db { delay 1ms --exclusive db }",
      right: "group g --exclusive db { delay 1ms }", proof: .running),
    ErrorPage(
      "already-executing", "The operation executes already",
      "What executes can be put on no other queue.", help: "build another operation",
      wrong: "(an operation that executes is added to a queue)", right: "delay 1s", proof: .none),
    ErrorPage(
      "already-finished", "The operation has finished already",
      "An operation runs only once.", help: "build another operation",
      wrong: "(an operation that has finished is added to a queue)", right: "delay 1s",
      proof: .none),
    ErrorPage(
      "already-on-queue", "The operation is on a queue already",
      "An operation is on one queue, and once.", help: "build another operation",
      wrong: "(an operation is added to a second queue)", right: "delay 1s", proof: .none),
    ErrorPage(
      "added-twice", "The operation is in the batch twice",
      "An operation runs only once, so that it can be added only once.",
      help: "leave one of them out", wrong: "(a batch with an operation twice)",
      right: "delay 1s --count 2", proof: .none),
    ErrorPage(
      "different-logs", "The operations belong to different sessions",
      "Only operations and queues that keep the same log can have to do with each other.",
      help: "build both in the same session", wrong: "(a dependency across two logs)",
      right: "delay 1s\ndelay 1s --after last", proof: .none),
    ErrorPage(
      "under-construction", "The group is still being built",
      "Its block runs, and may still add operations. It is added to its queue when the block has "
        + "run.",
      wrong: "group g --hold { delay 1ms; start g }",
      right: "group g --hold { delay 1ms }\nstart g\nwait",
      proof: .running),
    ErrorPage(
      "group-finished", "The group has finished and takes no more operations",
      "Operations are added to a group by its block, or by its own operations while it runs.",
      help: "make another group", wrong: "(an operation for a group that has just finished)",
      right: "group g { delay 1ms; delay 1ms }\nwait", proof: .none),
    ErrorPage(
      "invalid-width", "A queue cannot be so wide", "The width is 0 or more, or 'unlimited'.",
      help: "0 holds everything back", wrong: "(a width of -2)", right: "queue width 3",
      proof: .none),
    ErrorPage(
      "bad-width", "A queue cannot be so wide", "The width is 0 or more, 'unlimited' or 'auto'.",
      help: "0 holds everything back", wrong: "(a width that is no number)",
      right: "let w = 3\nqueue width $w", proof: .none),
    ErrorPage(
      "not-suspended", "The queue is not paused, so it takes no single steps",
      "'queue step' lets so many operations of a paused queue begin.", help: "pause it first",
      wrong: "queue step", right: "queue pause\nqueue step\nqueue resume", proof: .running),
    ErrorPage(
      "wait-from-inside", "An operation waits for the queue that it is on",
      "The queue cannot become empty while the operation is on it.",
      help: "wait outside, or for certain operations",
      wrong: "(a body that waits for its own queue)",
      right: "block { echo done }\nwait", proof: .none),
    ErrorPage(
      "default-queue", "The default queue cannot be removed",
      "There is always a queue 'network' and a queue 'system'.", help: "'queue pause' holds it",
      wrong: "queue remove network", right: "queue new slow\nqueue remove slow", proof: .running),
    ErrorPage(
      "queue-of-group", "The queue belongs to a group and goes with it",
      "It can be paused and made wider, but neither removed nor used for something else.",
      help: "'queue new' makes one of your own",
      wrong: "group g --hold { delay 1ms }\nqueue remove g",
      right: "queue new mine\nqueue remove mine", proof: .running),
    ErrorPage(
      "queue-not-empty", "The queue holds unfinished operations",
      "A queue is removed when nothing is on it or held for it.",
      help: "'queue drain' waits until it is empty, 'queue cancel' cancels what is on it",
      wrong: "queue new slow --paused\ndelay 1ms --queue slow\nqueue remove slow",
      right: "queue new slow\ndelay 1ms --queue slow\nwait\nqueue remove slow", proof: .running),
    ErrorPage(
      "self-dependency", "An operation would wait for itself",
      "It could never run.", help: "name another operation",
      wrong: "delay 1ms --hold\ndeps last on last",
      right:
        "delay 1ms --hold --name a\ndelay 1ms --hold --name b\ndeps b on a\nstart a\nstart b\nwait"),
    ErrorPage(
      "dependency-cycle", "The dependency would close a circle",
      "None of the operations in it could ever run. The message names them in order.",
      help: "leave one of the dependencies out",
      wrong: "delay 1ms --hold --name a\ndelay 1ms --hold --name b --after a\ndeps a on b",
      right: "delay 1ms --name a\ndelay 1ms --name b --after a\nwait", proof: .running),
    ErrorPage(
      "no-such-dependency", "The operation does not depend on the other",
      "'deps OP' lists what it depends on.", help: "'deps OP' lists what it depends on",
      wrong: "delay 1ms --hold --name a\ndelay 1ms --hold --name b\ndeps b off a",
      right:
        "delay 1ms --hold --name a\ndelay 1ms --hold --name b --after a\ndeps b off a\nstart a\nstart b\nwait",
      proof: .running),
    ErrorPage(
      "too-late", "It is too late to change what the operation depends on",
      "Dependencies can change until the operation executes.",
      help: "build it with '--hold', and start it when all is as it should be",
      wrong: "delay 1ms --name a\ndelay 1ms --name b\nwait\ndeps b on a",
      right: "delay 1ms --name a\ndelay 1ms --name b --hold\ndeps b on a\nstart b\nwait",
      proof: .running),
    ErrorPage(
      "not-ready", "The operation cannot start yet", "It waits for others, which come first.",
      help: "'why OP' says what it waits for", wrong: "(start of an operation that has to wait)",
      right: "delay 1ms\nwait", proof: .none),
    ErrorPage(
      "on-queue", "The operation is on a queue, which starts it in its turn",
      "'start' is for operations that are held.", help: "'priority OP high' lets it come earlier",
      wrong: "(start of an operation on a queue)", right: "delay 1ms --hold\nstart last\nwait",
      proof: .none),
    ErrorPage(
      "waits-for-itself", "An operation waits for itself",
      "A body that waits for its own operation, or follows it, would never end. The operation fails "
        + "with 'script', as by every error of its body.",
      help: "wait for it outside of its block",
      wrong: "block { try { wait $self } catch e { echo $e.code } }\nwait",
      right: "block { echo hello }\nwait", proof: .none),
    ErrorPage(
      "never-ends", "The wait can never end",
      "What is waited for cannot run any more: a queue is paused, a dependency is held. The "
        + "message says what keeps each.",
      help: "'why OP' says what keeps an operation",
      wrong: "queue pause\ndelay 1ms\nwait", right: "queue pause\ndelay 1ms\nqueue resume\nwait",
      proof: .running),
    ErrorPage(
      "never-ran", "At the end of the script an operation could not run any more",
      "It waits for something that never comes: a paused queue, or an operation that is held.",
      help: "'why OP' says what keeps an operation", wrong: "queue pause\ndelay 1ms",
      right: "queue pause\ndelay 1ms\nqueue resume", proof: .running),
    ErrorPage(
      "not-finished", "The operation has no result yet", "A result is there when it has finished.",
      help: "'wait OP' waits for it", wrong: "delay 1h --name d --hold\nresult d",
      right: "fetch questions --pagesize 1\nwait\nresult last > result.txt", proof: .running),
    ErrorPage(
      "no-tweets", "No search for tweets has a result", "'fetch tweets' searches for some.",
      help: "'fetch tweets WORD' searches", wrong: "result tweets",
      right: "fetch tweets swift\nwait\nresult tweets > tweets.txt", proof: .running),
  ]
}
