import ShellLanguage

extension ErrorCatalog {
  /// How operations end, and what a script makes of it.
  static let outcomes: [ErrorPage] = [
    ErrorPage(
      "cancelled", "The operation was cancelled",
      "The operation, its group or its queue was cancelled. That does not fail a script.",
      help: "'log OP' says who", wrong: "delay 1s\ncancel last", right: "delay 1ms\nwait",
      proof: .none),
    ErrorPage(
      "skipped", "The operation was skipped, because a dependency did not succeed",
      "'--on-failure skip' asks for it.", help: "'--on-failure run' runs it all the same",
      wrong:
        "block { fail \"no\" } --name a\ndelay 1ms --after a --on-failure skip\nwait --any-outcome",
      right: "delay 1ms --name a\ndelay 1ms --after a --on-failure skip\nwait", proof: .none),
    ErrorPage(
      "dependency-failed", "A dependency did not succeed",
      "'--on-failure fail' lets an operation fail with what it depends on.",
      help: "'--on-failure run' runs it all the same",
      wrong:
        "block { fail \"no\" } --name a --hold\ndelay 1ms --after a --on-failure fail\nstart a\nwait a --any-outcome",
      right: "delay 1ms --name a\ndelay 1ms --after a --on-failure fail\nwait", proof: .running),
    ErrorPage(
      "timed-out", "Something took longer than it may",
      "'--timeout' of an operation limits how long it executes, that of 'wait' how long it waits, "
        + "and that of opsh itself the whole run.",
      help: "give it more time with '--timeout'",
      wrong: "delay 10s --name d\nwait d --timeout 10ms",
      right: "delay 1ms --name d\nwait d --timeout 10s", proof: .running),
    ErrorPage(
      "group-failed", "Operations of a group failed",
      "The message names them. The group has finished when all of it has.",
      help: "'tree' shows the group with what is in it",
      wrong: "group g { block { fail \"no\" } }\nwait g", right: "group g { delay 1ms }\nwait g",
      proof: .none),
    ErrorPage(
      "operations-failed", "A wait covered several operations that failed",
      "A failure is expected where 'wait --any-outcome' covers it, where a met 'expect' reads the "
        + "operation's 'outcome' or 'error', or where 'try' catches the error of the wait.",
      help: "'wait --any-outcome' takes any outcome",
      wrong: "block { fail \"no\" } --count 2\nwait",
      right: "block { fail \"no\" } --count 2\nwait --any-outcome", proof: .running),
    ErrorPage(
      "script", "The script itself says that it failed",
      "'fail' ends a body or a script with a reason of its own.",
      help: "the message is the script's own", wrong: "fail \"no data\"",
      right: "try { fail \"no data\" } catch e { echo $e.message }", proof: .running),
    ErrorPage(
      "error", "An operation failed with an error that has no code of its own",
      "The message describes it.", help: "'show OP' shows the whole error",
      wrong: "(an operation of a program that uses the engine)", right: "delay 1ms\nwait",
      proof: .none),
    ErrorPage(
      "expectation-failed", "An expectation was not met",
      "The message says what was expected and what was seen instead.",
      help: "'within D' waits that long for it",
      wrong: "delay 1h --name d --hold\nexpect (d.finished)",
      right: "delay 1ms --name d\nexpect (d.finished) within 10s", proof: .running),
    ErrorPage(
      "interrupted", "It was interrupted", "Ctrl-C, or the end of the session, stopped it.",
      wrong: "(Ctrl-C)", right: "wait", proof: .none),
  ]

  /// What goes wrong between here and a server.
  static let network: [ErrorPage] = [
    ErrorPage(
      "connection-refused", "The server does not accept connections",
      "Nothing listens at that address and port.",
      help: "'endpoint' says which service is asked, 'server' whether the practice server runs",
      wrong: "get http://127.0.0.1:1/\nwait --any-outcome\nexpect (get-1.outcome == succeeded)",
      right: "get /", proof: .none),
    ErrorPage(
      "host-not-found", "The name of the server could not be resolved",
      "The name is misspelt, or this machine has no network.",
      help: "check the name in the address",
      wrong: "get http://host.invalid/", right: "get http://example.org/", proof: .none),
    ErrorPage(
      "connection-lost", "The connection ended before the response was complete",
      "The server closed it, or the network did.", help: "'--retry N' begins again",
      wrong: "server drop 100%\nget /2.3/info\nwait", right: "get /2.3/info --retry 3\nwait",
      proof: .running),
    ErrorPage(
      "tls", "The secure connection could not be set up",
      "The server's certificate is not trusted here, or the system has no certificates.",
      help: "install the package ca-certificates",
      wrong: "(a server with a certificate of its own)",
      right: "get https://example.org/", proof: .none),
    ErrorPage(
      "invalid-status-code", "The server answered with a status that is no success",
      "It stands in parentheses behind the code: invalid-status-code(503).",
      help: "'show OP' shows the answer; '--retry N' begins again where that is safe",
      wrong: "server fail 100%\nfetch questions\nwait", right: "fetch questions\nwait", proof: .none
    ),
    ErrorPage(
      "missing-data", "The response has no body", "The request needs one to give its value.",
      help: "'show OP' shows the answer", wrong: "(an empty answer)", right: "fetch questions",
      proof: .none),
    ErrorPage(
      "serialization", "The body of the response could not be decoded",
      "It is no JSON, or not what the API promises. The message says where.",
      help: "'show OP' shows the answer", wrong: "(an answer that is no JSON)",
      right: "fetch questions", proof: .none),
    ErrorPage(
      "bad-response", "The response is broken", "It does not keep the rules of HTTP.",
      help: "'--retry N' begins again", wrong: "(a broken answer)", right: "get /", proof: .none),
    ErrorPage(
      "too-many-redirects", "The server redirected too often",
      "Redirects that lead to each other never end.", help: "ask the address where they end",
      wrong: "(redirects in a circle)", right: "get /", proof: .none),
    ErrorPage(
      "bad-request", "The request cannot be made",
      "What it is to hold cannot be sent: the message says why.",
      help: "the message says what to change",
      wrong: "(a header with a line break)", right: "get /", proof: .none),
    ErrorPage(
      "api", "The service refused the request",
      "It says why by a number, a name and a sentence: api(502, throttle_violation, …).",
      help: "the service's own message says what to change",
      wrong: "fetch questions --pagesize 1 --page 1000000", right: "fetch questions --page 1",
      proof: .none),
    ErrorPage(
      "transport-unavailable", "There is no library for requests",
      "libcurl is opened when the first request needs it.", help: "install the package libcurl4",
      wrong: "(a system without libcurl)", right: "get /", proof: .none),
    ErrorPage(
      "unsafe-retry", "A request is to begin again that may have done its work",
      "A POST or PATCH without an answer may have been carried out; a further attempt would do it "
        + "twice.",
      help: "where that does no harm, say '--retry-unsafe' besides",
      wrong: "post / --body a --retry 3", right: "post / --body a --retry 3 --retry-unsafe",
      proof: .running),
    ErrorPage(
      "bad-header", "This is no header", "A header is 'Name: value' in one line.",
      help: "write it as 'Name: value'", wrong: "get / --header nonsense",
      right: "get / --header 'Accept: text/html'", proof: .none),
    ErrorPage(
      "bad-path", "The path of a file is empty", "A download needs a place to go to.",
      help: "name a file", wrong: "let p = \"\"\ndownload / \"$p\"",
      right: "download / page.html", proof: .none),
    ErrorPage(
      "conflicting-options", "Two options do not go together",
      "The message names them.", help: "leave one of them out",
      wrong: "post / --body a --file b.txt", right: "post / --body a", proof: .none),
    ErrorPage(
      "missing-option", "An option says more about another one, which is missing",
      "By itself it would change nothing. '--backoff' and '--jitter' say when to retry, and "
        + "'--on-failure' what a failure of '--after' means.",
      help: "add the other option, or leave both out",
      wrong: "delay 1ms --backoff 1s", right: "delay 1ms --retry 2 --backoff 1s", proof: .running),
    ErrorPage(
      "input-in-use", "Standard input is read already",
      "A script that comes from standard input cannot send the rest of it as a body.",
      help: "put the script into a file", wrong: "post / --file -", right: "post / --file body.txt",
      proof: .none),
  ]
}
