package import ShellSession

extension ObjectKind {
  /// Every kind with its keys, in the order of the reference page.
  package static let all: [ObjectKind] = [
    why, attempt, stats, threads, timeline, blame, tree, deps, graph, diagram, doctor, order, route,
    quote, tag, cache, server, fault, request, endpoint, setting, recording, serve,
  ]

  private static let operation = (name: "operation", meaning: "the operation, `{id, name}`")
  private static let state = (name: "state", meaning: "its state")
  private static let outcome = (name: "outcome", meaning: "how it ended, or null")

  static let why = ObjectKind(
    type: "why", commands: "`why OP`, and `why`, one for each queue that is paused or not empty",
    keys: [
      ("operation", "the operation, `{id, name}`; null for a queue"),
      ("queue", "of a queue only: its name"),
      (
        "reasons",
        "why it does not run, the nearest first, or what the operations of the queue wait for: a "
          + "list of `{code, text, subject, cure}`"
      ),
      (
        "position",
        "how many events (entries and changes) the log had then: the moment that it is about"
      ),
      (
        "activity",
        "of an operation that executes and waits for nothing: what it does; of one that failed "
          + "although it has '--retry': why no attempt followed"
      ),
    ], optional: ["queue", "activity"])

  static let attempt = ObjectKind(
    type: "attempt", commands: "`show OP --attempts` and `show OP --verbose`, one for each attempt",
    keys: [
      operation, ("number", "its number, from 1"), ("started", "when it began, in seconds"),
      ("duration", "how long it took, in seconds; null while it runs"),
      ("status", "the status of its last response, or null"),
      ("fault", "the code of the error that it failed with, or null"),
      ("message", "that error in words, or null"),
      (
        "exchanges",
        "its requests: `method`, `request`, `url`, `sent`, `received` "
          + "(`[{name, value}]`), `bodySize`, `bytes` (received), `expanded`, `droppedHeaders`, "
          + "`underWay`, `status`, `statusText`, `version`, `peer`, `tls` "
          + "(`{version, cipher, subject, issuer, validFrom, validUntil}`), `times` (`{waited, "
          + "lookup, connect, tls, sent, firstByte, total}`, in seconds); what does not apply is null"
      ),
    ])

  static let stats = ObjectKind(
    type: "stats", commands: "`stats`, one for each queue and one for all",
    keys: [
      ("queue", "the name of the queue; null for all together, and with `--by kind`"),
      ("kind", "with `--by kind`: the kind of operation; null for all together"),
      ("operations", "how many were ever on it"), ("succeeded", "how many succeeded"),
      ("failed", "how many failed"), ("cancelled", "how many were cancelled"),
      ("skipped", "how many were skipped"), ("unfinished", "how many have not finished"),
      ("rate", "how many finished a second, or null"),
      ("bytes", "the bytes of the bodies received, of the latest attempts"),
      ("retries", "how many attempts were made after the first"),
      ("causes", "how many of them followed each failure, by its code, as far as the log tells"),
      ("waited", "the median of the waiting times, in seconds, or null"),
      ("waited90", "what 90 in a hundred of them do not exceed"),
      ("waited99", "what 99 in a hundred of them do not exceed"),
      ("longestWait", "the longest of them"),
      ("ran", "the median of the running times, in seconds, or null"),
      ("ran90", "what 90 in a hundred of them do not exceed"),
      ("ran99", "what 99 in a hundred of them do not exceed"),
      ("longestRun", "the longest of them"),
      ("exact", "false where records were dropped, and the medians are known to a hundredth"),
    ])

  static let threads = ObjectKind(
    type: "threads", commands: "`stats threads`",
    keys: [
      ("threads", "how many threads the process has; null if the system does not tell"),
      ("executing", "how many operations execute"),
      ("holders", "those of them that hold a thread each, a list of `{id, name}`"),
      ("purposes", "what the threads are for, a list of `{purpose, count}`"),
    ])

  static let timeline = ObjectKind(
    type: "timeline", commands: "`timeline`, one for each operation",
    keys: [
      operation, ("depth", "how many groups of the list are around it"), state, outcome,
      ("pending", "when it was added, in seconds since the start, or null"),
      ("ready", "when it became ready, or null"), ("started", "when it started, or null"),
      ("finished", "when it finished, or null"),
      ("waited", "how long it waited up to now, in seconds, or null"),
      ("ran", "how long it executed up to now, in seconds, or null"),
      ("pauses", "its pauses while it executed, a list of `{start, end, reason}`"),
      ("phases", "what its time went to, a list of `{cause, start, end, culprit}`"),
    ])

  static let blame = ObjectKind(
    type: "blame", commands: "`blame`, one for each cause, and one for each step of the path",
    keys: [
      ("part", "`sum` for a cause, `path` for a step of the critical path"),
      ("operation", "of a step: the operation, `{id, name}`, else null"),
      ("cause", "what the time went to, such as `queue-full`, `work` or `first-byte`"),
      ("start", "of a step: when it began, in seconds since the start, else null"),
      ("seconds", "its time in seconds; of a cause: the sum over all operations"),
      ("share", "of a cause: its share of the time of all operations, from 0 to 1, else null"),
      ("operations", "of a cause: how many operations spent time on it, else null"),
      ("culprits", "the operations that caused the time, a list of `{id, name}`"),
    ])

  static let tree = ObjectKind(
    type: "tree", commands: "`tree`, one for each line",
    keys: [
      operation, ("kind", "what it does"), state, outcome,
      ("depth", "how far it is below the operation that the tree begins with"),
      ("relation", "`root`, `member` of the parent, or `dependency` of the parent"),
      ("parent", "the operation above it, `{id, name}`, or null"),
      ("policy", "of a dependency: what happens if it fails, else null"),
      ("waits", "what it waits for, in a few words, or null"),
    ])

  static let deps = ObjectKind(
    type: "deps", commands: "`deps`, one for each dependency and each dependent",
    keys: [
      operation,
      (
        "relation",
        "`dependency`: the operation depends on the other; `dependent`: it is needed by it"
      ),
      ("other", "the other operation, `{id, name}`"), ("state", "the state of the other"),
      ("outcome", "how the other ended, or null"),
      ("policy", "what happens if the dependency fails: `run`, `skip` or `fail`"),
      ("ignored", "true where the dependent was cancelled and waits for nothing"),
    ])

  static let graph = ObjectKind(
    type: "graph", commands: "`deps --graph`, one for each operation",
    keys: [
      operation, ("layer", "1 without dependencies, otherwise one more than the lowest of them"),
      ("dependencies", "what it depends on, a list of `{id, name}`"), state, outcome,
    ])

  static let diagram = ObjectKind(
    type: "diagram", commands: "`diagram`, one for each entry of the log",
    keys: [
      operation, ("event", "what happened, such as `transition` or `cancelling`"),
      ("from", "the state before"), ("to", "the state after"),
      ("at", "when, in seconds since the start"), ("reason", "why, in words"), outcome,
      ("notifications", "the key-value notifications, a list of `{key, old, new}`"),
    ])

  static let doctor = ObjectKind(
    type: "doctor", commands: "`doctor`, one for each finding",
    keys: [
      ("code", "what kind it is, such as `queue-paused`, `awaits-finish` or `starvation`"),
      ("text", "the finding in words"), ("subject", "the names of the operations or the queue"),
      ("cure", "the command that ends it, or null"),
    ])

  static let order = ObjectKind(
    type: "order", commands: "`queue order`, one for each operation",
    keys: [
      ("place", "its place in the order, from 1"), operation, state, ("priority", "its priority"),
      ("waits", "the unfinished operations that it depends on, a list of `{id, name}`"),
    ])

  static let route = ObjectKind(
    type: "route", commands: "`queue route` and `queue route KIND`, one for each kind",
    keys: [
      ("kind", "the kind of operations"), ("queue", "the name of the queue of new ones"),
      ("set", "whether it is a route; else it is the queue in use"),
    ])

  static let quote = ObjectKind(
    type: "quote", commands: "`quotes` and `quotes list`",
    keys: [
      ("id", "its id in the service"), ("text", "the quote"), ("author", "who said it"),
      ("reads", "how often it was read"), ("created", "when it was made"),
      ("updated", "when it was last changed"),
    ])

  static let tag = ObjectKind(
    type: "tag", commands: "`tags` and `tags list`", keys: [("text", "the search tag")])

  static let cache = ObjectKind(
    type: "cache", commands: "`cache` and `cache list`, one for each response",
    keys: [
      ("id", "its number, for `cache show`"), ("method", "the method of the request"),
      ("url", "the address, secrets masked"), ("status", "the status of the response"),
      ("age", "its age in seconds"), ("state", "`fresh`, `usable` while it is updated, or `stale`"),
      ("size", "how many bytes it takes in the store"), ("bytes", "how long its body is"),
      ("hits", "how often it was used"), ("confirmed", "how often the server confirmed it"),
    ])

  static let server = ObjectKind(
    type: "server", commands: "`server`",
    keys: [
      ("address", "its base URL; null before it was started"), ("faults", "its faults, in words"),
      ("seed", "the seed of its random numbers"), ("requests", "how many requests it served"),
      ("sent", "how many bytes it sent"),
    ])

  static let fault = ObjectKind(
    type: "fault", commands: "`server faults`, one for each setting and for each fault without one",
    keys: [
      ("name", "the name of the fault, for `server fault`"), ("summary", "what happens"),
      ("report", "what the client reports"), ("active", "whether it is set"),
      ("share", "how many of 100 requests it strikes; null if it is not set"),
      ("route", "the requests that it may strike; null if it is not set"),
      ("duration", "its time, in seconds, or null"),
      ("spread", "how far that may be off, in seconds, or null"),
      ("size", "its number, such as bytes, requests a second or a status, or null"),
      ("struck", "how many requests it has struck"),
    ])

  static let request = ObjectKind(
    type: "request", commands: "`server log`, one for each request",
    keys: [
      ("number", "its number, from 1"), ("method", "its method"),
      ("target", "the path and the query, secrets masked"),
      ("status", "the status of the response, or null"), ("bytes", "how long the body is"),
      ("duration", "how long it took, in seconds"),
      ("faults", "the names of the faults that struck it"),
      ("finished", "whether it was answered or has failed"),
    ])

  static let endpoint = ObjectKind(
    type: "endpoint", commands: "`endpoint` and those of the single APIs, one for each API",
    keys: [
      ("api", "the API; null for addresses that begin with a slash"),
      ("service", "`practice`, `live` or `another`"), ("address", "the base URL, or null"),
      ("remarks", "credentials that are set, masked, and the quota that is left"),
    ])

  static let serve = ObjectKind(
    type: "serve", commands: "`serve`",
    keys: [
      ("url", "the address for steering, with its secret"),
      ("readers", "the address for those who only follow, or null"),
      ("followers", "how many pages follow the session"),
    ])

  static let recording = ObjectKind(
    type: "recording",
    commands: "`record` and `record off` (`help recordings` names the keys in a file)",
    keys: [
      ("file", "the file that is written"), ("on", "whether it goes on"),
      ("lines", "how many lines the file has"),
    ])

  static let setting = ObjectKind(
    type: "setting", commands: "`set` and `set NAME`",
    keys: [
      ("name", "the name of the option"), ("value", "its value as it would be set"),
      ("summary", "what it is"),
    ])
}
