package import ShellLanguage

/// Errors that commands of several groups raise, or whose codes operations fail with.
extension ErrorPage {
  package static let conflictingOptions = ErrorPage(
    "conflicting-options", "Two options cannot be combined", "The message names them.",
    help: "leave one of them out", wrong: "post /cookies --body a --file b.txt",
    right: "post /cookies --body a\nwait", proof: .checking)

  package static let dependencyCycle = ErrorPage(
    "dependency-cycle", "The dependency would close a cycle",
    "None of the operations in it could ever run. The message names them in order.",
    help: "leave one of the dependencies out",
    wrong: "delay 1ms --hold --name a\ndelay 1ms --hold --name b --after a\ndeps a on b",
    right: "delay 1ms --name a\ndelay 1ms --name b --after a\nwait", proof: .running)

  package static let waitsForItself = ErrorPage(
    "waits-for-itself", "An operation waits for itself",
    "A body that waits for its own operation, or follows it, would never end. The operation fails "
      + "with this error, as with any error of its body.", help: "wait for it outside of its block",
    wrong: "block { try { wait $self } catch e { echo $e.code } }\nwait",
    right: "block { echo hello }\nwait", proof: .unproven)

  package static let operationsFailed = ErrorPage(
    "operations-failed", "A wait covered several operations that failed",
    "A failure is expected where 'wait --any-outcome' covers it, where the condition of a met "
      + "'expect' does, as (a.outcome == failed), or where 'try' catches the error of the wait.",
    help: "'wait --any-outcome' takes any outcome", wrong: "block { fail \"no\" } --count 2\nwait",
    right: "block { fail \"no\" } --count 2\nwait --any-outcome", proof: .running)

  package static let timedOut = ErrorPage(
    "timed-out", "A time limit was exceeded",
    "'--timeout' of an operation limits how long it executes, that of 'wait' how long it waits, "
      + "and that of opsh itself the whole run. Of a request, '--connect-timeout' limits how long "
      + "it takes to find and reach the server (30 s), '--idle-timeout' how long nothing comes "
      + "(60 s); 'set' changes both for all requests, and 'off' removes them. The message says "
      + "which it was.",
    help: "give it more time with the option that sets the limit",
    wrong: "delay 10s --name d\nwait d --timeout 10ms",
    right: "delay 1ms --name d\nwait d --timeout 10s", proof: .running)

  package static let expectationFailed = ErrorPage(
    "expectation-failed", "An expectation was not met",
    "The message says what was expected and what was seen instead. 'within D' waits that long.",
    wrong: "delay 1h --name d --hold\nexpect (d.finished)",
    right: "delay 1ms --name d\nexpect (d.finished) within 10s", proof: .running)

  package static let appTerminated = ErrorPage(
    "app-terminated", "The app has been terminated",
    "No operation runs until the app is launched again.",
    help: "'app foreground' launches it again",
    wrong: "app terminate\ndelay 1ms", right: "app terminate\napp foreground\ndelay 1ms",
    proof: .unproven)

  package static let neverEnds = ErrorPage(
    "never-ends", "The wait can never end",
    "What is waited for cannot run any more: a queue is paused, a dependency is held. The "
      + "message gives the reason for each. If several waits are in a deadlock, that of the body "
      + "whose operation was created last fails, and the others continue. A wait in a body for "
      + "something that a later statement may still end is not an error.",
    help: "'why OP' says why an operation does not run",
    wrong: "queue pause\ndelay 1ms\nwait", right: "queue pause\ndelay 1ms\nqueue resume\nwait",
    proof: .running)

  package static let notFinished = ErrorPage(
    "not-finished", "The operation has no result yet", "A result is there when it has finished.",
    help: "'wait OP' waits for it", wrong: "delay 1h --name d --hold\nresult d",
    right: "fetch questions --pagesize 1\nwait\nresult last > result.txt", proof: .running)

  package static let alreadyStarted = ErrorPage(
    "already-started", "It was already started",
    "'start' starts held operations, and 'server start' starts a server that is not running.",
    help: "an operation runs only once; build another one",
    wrong: "delay 1ms\nwait\nstart last", right: "delay 1ms --hold\nstart last\nwait",
    proof: .running)

  package static let queueOfGroup = ErrorPage(
    "queue-of-group", "The queue belongs to a group and goes with it",
    "It can be paused and made wider, but neither removed nor used for something else.",
    help: "'queue new' makes one of your own",
    wrong: "group g --hold { delay 1ms }\nqueue remove g",
    right: "queue new mine\nqueue remove mine", proof: .running)

  package static let serviceGone = ErrorPage(
    "service-gone", "The service no longer exists",
    "Of the three services only one can still be asked; the practice server has them all.",
    help: "'endpoint practice' asks the practice server",
    wrong: "endpoint live\nfetch tweets swift", right: "endpoint practice\nfetch tweets swift",
    proof: .running)

  package static let alreadyFinished = ErrorPage(
    "already-finished", "The operation has finished already",
    "An operation runs and finishes once, and then keeps its outcome and its name. Foundation "
      + "ignores a second notification of 'isFinished'.",
    help: "'show OP' shows how it ended, 'retry OP' builds another one",
    wrong: "async upload { finish upload }\nwait\nfinish upload",
    right: "async upload { finish upload }\nwait", proof: .running)

  package static let missingOption = ErrorPage(
    "missing-option", "An option says more about another one, which is missing",
    "By itself it would change nothing. '--backoff' and '--jitter' say when to retry, and "
      + "'--on-failure' what a failure of '--after' means.",
    help: "add the other option, or leave both out", wrong: "delay 1ms --backoff 1s",
    right: "delay 1ms --retry 2 --backoff 1s")
}
