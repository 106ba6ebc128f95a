import Networking
import Operations
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell

/// Requests that a server refuses, and those that must not be sent twice.
@Suite("Refused requests and unsafe repetitions", .timeLimit(.minutes(15)))
struct RefusalTests {
  @Test("What the server said about a failure is shown by 'result', and is a value")
  func body() throws {
    let shell = try ShellFixture(
      """
      get /1/classes/Quote --name a
      post /1/classes/Quote --json '{"text":"x"}' --name b
      get '/2.3/questions?site=nowhere' --name c; get /2.3/questions --name d --retry 1
      head '/2.3/questions?site=nowhere' --name e; get '/2.3/info?site=stackoverflow' --name f
      wait --any-outcome
      """)
    for (name, text) in [
      ("a", "unauthorized"), ("b", "unauthorized"), ("c", "nowhere"), ("d", "site"),
    ] {
      #expect(try shell.outcome(of: name).hasPrefix("invalid-status-code(4"), "\(name)")
      let folder = try ScratchFolder()
      #expect(throws: Diagnostic.self) {
        try shell.run("result \(name) > '\(folder.path)/text'")
      }
      let shown = try shell.run("(\(name).refusal.body)").json.text
      #expect(shown.contains(text), "\(shown)")
      #expect(try shell.text("(\(name).refusal.status == \(name).status)") == "true")
      #expect(try shell.text("(\(name).result)") == "null")
    }
    #expect(try shell.text("(e.refusal.bytes)") == "0")
    #expect(try shell.text("(f.refusal)") == "null")
  }

  @Test("In the terminal it stands before the error, control characters made visible")
  func shown() throws {
    let outcome = try Opsh.run(
      "get '/2.3/questions?site=no%1Bwhere' --name a; wait --any-outcome; result a")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("\"error_name\": \"bad_parameter\""), "\(outcome.output)")
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.errors.contains("error: 'a' has no value: it failed: the server answered"))
  }

  @Test("A blocking request keeps it too")
  func blocking() throws {
    let shell = try ShellFixture(
      "server fault status-503; fetch questions --blocking --name a; wait --any-outcome")
    #expect(try shell.text("(a.refusal.status)") == "503")
  }

  @Test(
    "What may be done twice is repeated only where that is said",
    arguments: ["post", "put", "patch", "delete"])
  func unsafe(method: String) throws {
    let shell = try ShellFixture()
    try shell.setFault("status-503")
    let error = try shell.error(of: "\(method) /1/classes/Quote --retry 2")
    #expect(error.code == "unsafe-retry" && error.help?.contains("--retry-unsafe") == true)
    #expect(shell.session.operations.count == 0)
    try shell.run(
      "\(method) /1/classes/Quote --retry 2 --backoff 1ms --retry-unsafe --name a; "
        + "\(method) /1/classes/Quote --retry 0 --name b; "
        + "group g { \(method) /1/classes/Quote --name c } --retry 2; wait --any-outcome")
    #expect(try shell.operation("a").attempts == 3)
    #expect(try shell.operation("b").attempts == 1)
    #expect(try shell.operation("c").attempts == 1)
  }

  @Test(
    "Retry-After of a refusal holds for the next request too, whatever is asked",
    arguments: [
      "fetch questions", "fetch answers", "fetch tweets swift", "fetch quotes", "get /2.3/sites",
      "download /2.3/sites",
    ])
  func retryAfter(command: String) throws {
    let folder = try ScratchFolder()
    let command = command + (command == "download /2.3/sites" ? " '\(folder.path)/file'" : "")
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("status-503", duration: .seconds(7))
    try shell.run(
      "\(command) --name a; wait --any-outcome; server fault off; \(command) --name b; sleep 1s")
    let why = try shell.output(of: "why b").joined()
    #expect(why.contains("the service asked for a pause of 7 s, the request follows in"), "\(why)")
    #expect(try shell.output(of: "show b").contains { $0.hasPrefix("pause") })
    try shell.run("wait --any-outcome")
    let (first, second) = (try shell.operation("a").timestamps, try shell.operation("b").timestamps)
    let waited = try #require(second.finished) - #require(first.finished)
    #expect(waited >= .milliseconds(6_900))
    // Nobody waits for longer than a minute.
    try shell.setFault("status-503", duration: .seconds(90))
    try shell.run("\(command) --name c; wait --any-outcome; server fault off; \(command) --name d")
    try shell.run("wait --any-outcome")
    let third = try shell.operation("d").timestamps
    #expect(try #require(third.finished) - #require(third.executing) < .seconds(5))
  }

  @Test("Where attempts end before their number is reached, the reason is told")
  func lastAttempt() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("status-503", duration: .seconds(90))
    try shell.run("fetch questions --retry 2 --name a; wait --any-outcome")
    #expect(try shell.outcome(of: "a") == "invalid-status-code(503)")
    let long =
      "no attempt 2 of 3: the server asks for a pause of 1 min 30 s, and 1 min 0 s is the longest"
    #expect(try shell.reasons(of: "a").last?.hasSuffix("; " + long) == true)
    shell.server.update { $0.removeAllNamed() }
    try shell.setFault("status-500")
    try shell.run(
      "get /2.3/sites --retry 100 --backoff 100ms --timeout 700ms --jitter 0% --name b; wait --any-outcome"
    )
    #expect(try shell.outcome(of: "b") == "invalid-status-code(500)")
    #expect(
      try shell.reasons(of: "b").last?.hasSuffix(
        "; no attempt 4 of 101: a pause of 400 ms does not fit into the time limit") == true)
  }

  @Test(
    "'why' and 'show' tell of the pause before an attempt",
    arguments: [
      ("get /2.3/sites --retry 2 --backoff 10s --jitter 0%", "invalid-status-code(500)"),
      ("fetch questions --retry 2 --backoff 10s --jitter 0%", "invalid-status-code(500)"),
      ("block { fail no } --retry 2 --backoff 10s", "script"),
    ])
  func pause(command: String, code: String) throws {
    let shell = try ShellFixture()
    try shell.setFault("status-500")
    try shell.run("\(command) --name a")
    let head = "\(code), attempt 2 of 3 follows in "
    #expect(try shell.pump { try shell.output(of: "why a").joined().contains(head) })
    let why = try shell.output(of: "why a")
    #expect(why.first == "a is executing and pauses because", "\(why)")
    #expect(try shell.output(of: "show a").contains { $0.contains(head) })
    try shell.run("cancel a; wait")
  }

  @Test("No time at all is over at once, whichever time it is")
  func noTime() throws {
    let shell = try ShellFixture()
    for option in ["timeout", "connect-timeout", "idle-timeout"] {
      try shell.run("get /x --\(option) 0s --name \(option); wait --any-outcome")
      #expect(try shell.outcome(of: option) == "timed-out", "\(option)")
    }
    #expect(shell.requests.isEmpty)
  }

  @Test("A reading is counted twice only where that is said")
  func counting() throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture(
      "quotes sync; wait; let q = quotes list --limit 1", keepingIn: folder)
    #expect(try shell.error(of: "quotes read $q[0].id --retry 2").code == "unsafe-retry")
    try shell.run("quotes read $q[0].id --retry 2 --retry-unsafe; wait")
  }
}
