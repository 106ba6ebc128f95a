import ShellLanguage

/// A word that articles about operations use and no command or concept has as its name: what it is
/// here, and what to type to see it.
package struct ReferenceWord: Sendable {
  /// The word, and others for the same.
  let names: [String]
  /// What it is, in one line that continues the name.
  let summary: String
  /// Statements to type.
  package let experiment: String
  /// The pages about it, as words to write after `help`.
  let pages: [String]

  private init(_ names: [String], _ summary: String, _ experiment: String, _ pages: [String]) {
    (self.names, self.summary, self.experiment, self.pages) = (names, summary, experiment, pages)
  }

  /// Returns the entry of a word, in any mix of capital and small letters.
  static func named(_ word: String) -> ReferenceWord? {
    let word = word.lowercased()
    return all.first { $0.names.contains { $0.lowercased() == word } }
  }

  /// Every word.
  package static let all: [ReferenceWord] = [
    ReferenceWord(
      ["authentication", "authenticate", "challenge", "credentials"],
      "answers a server's challenge (401) with a name and a password",
      "get /auth/basic --auth basic:opsh:env:HOME; wait --any-outcome; show last --verbose",
      ["get"]),
    ReferenceWord(
      ["coalesce", "coalescing", "duplicate", "duplicates", "deduplicate"],
      "lets identical requests share one transfer",
      "server latency 1s; fetch questions --coalesce --count 2; wait; server log",
      ["fetch questions", "queue coalesce"]),
    ReferenceWord(
      ["singleton", "one-at-a-time"],
      "lets at most one operation with a name for exclusive use execute",
      "queue width 4; delay 20ms --count 3 --exclusive login; why last; wait", ["exclusive"]),
    ReferenceWord(
      ["serial", "sequential", "FIFO", "in-order"],
      "starts one operation after the other, in the order in which they were added",
      "queue width 1; delay 20ms --count 3; queue order; wait; timeline",
      ["width", "queue order"]),
    ReferenceWord(
      ["GCD", "dispatch", "libdispatch", "dispatch-queue", "pool", "thread-pool"],
      "runs Foundation's queues on a pool of few threads",
      "queue new raw --engine foundation --width 8\nblock --queue raw --count 8 { sleep 50ms }\n"
        + "stats threads; wait", ["threads", "foundation"]),
    ReferenceWord(
      ["lock", "locking", "mutex", "recursive", "NSLock", "NSRecursiveLock", "critical-section"],
      "protects the state of an operation; held while KVO is sent, it can jam the operation",
      "async l --lock-while-notifying { finish l }\nobserve l isFinished; sleep 50ms; why l; cancel l",
      ["zoo", "kvo"]),
    ReferenceWord(
      ["race", "race-condition", "thread-safe", "thread-safety", "atomic"],
      "cancels and finishes at once: each operation still has exactly one result",
      "queue width 8; fetch questions --count 8; cancel all; wait; ops", ["outcome", "zoo"]),
    ReferenceWord(
      ["semaphore", "DispatchSemaphore", "signal"],
      "blocks the thread of a body until something else is done, as 'wait' in a block does",
      "block --name outer { delay 100ms --name inner --queue system; wait inner }\n"
        + "sleep 20ms; why outer; stats threads; wait", ["wait", "threads", "deadlock"]),
    ReferenceWord(
      ["exponential", "exponential-backoff", "jitter"],
      "doubles the pause before each further attempt",
      "server fail 100%; fetch questions --retry 2 --backoff 20ms; wait --any-outcome\n"
        + "show last --attempts", ["retry"]),
    ReferenceWord(
      ["inversion", "priority-inversion"],
      "lets an operation of high priority wait for one of low priority",
      "queue width 1; queue pause; delay 10ms --name low --priority veryLow; delay 10ms --count 3\n"
        + "delay 10ms --name high --priority veryHigh --after low; why high; queue resume; wait",
      ["priority", "why"]),
    ReferenceWord(
      ["NSURLSession", "URLSession", "URLSessionTask", "NSURLSessionTask", "NSURLConnection"],
      "sends requests; here each is an operation over libcurl",
      "get '/2.3/info?site=stackoverflow'; wait; show last --verbose", ["get", "show"]),
    ReferenceWord(
      ["NSOperation", "Operation", "subclass"],
      "is a unit of work with states, dependencies and a priority",
      "delay 10ms --name a; wait; show a; diagram a", ["states", "async", "foundation"]),
    ReferenceWord(
      ["suspend", "suspended"],
      "pauses a queue: nothing further starts, what executes goes on",
      "queue pause; delay 10ms; why last; queue resume; wait", ["queue pause", "app background"]),
  ]
}
