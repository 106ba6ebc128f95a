import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession
@testable import SteerCommands

/// Requests that a server rejects, and requests that must not be sent twice.
@Suite("Rejected requests and unsafe retries", .timeLimit(.minutes(15)))
struct RefusalTests {
  @Test("The response of a failed request is shown by 'result' and is a value")
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
      let body = try shell.output(of: "result \(name)").joined()
      #expect(body.hasPrefix("{") && body.contains(text), "\(body)")
      let kept = try shell.run("result \(name)")
      #expect(kept.property("status")?.text.hasPrefix("4") == true)
      #expect(kept.property("body")?.json.text.contains(text) == true)
      #expect(kept.property("headers")?.property("Date") != nil)
      let shown = try shell.run("(\(name).refusal.body)").json.text
      #expect(shown.contains(text), "\(shown)")
      #expect(try shell.text("(\(name).refusal.status == \(name).status)") == "true")
      #expect(try shell.text("(\(name).result)") == "null")
    }
    #expect(try shell.text("(e.refusal.bytes)") == "0")
    #expect(try shell.text("(f.refusal)") == "null")
  }

  @Test("The response has status and headers, with control characters escaped")
  func shown() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "get '/2.3/questions?site=no%1Bwhere' --name a; wait --any-outcome; result a",
      options: ["--transcript", folder.path + "/transcript"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("status 400\n"), "\(outcome.output)")
    #expect(outcome.output.contains("\nContent-Type: application/json"))
    #expect(outcome.output.contains("\"error_name\": \"bad_parameter\""))
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test(
    "The response object has status, headers and body, even if the error has a message",
    arguments: [
      "get '/2.3/questions?site=nowhere'", "fetch questions --site nowhere",
      "fetch questions --site nowhere --blocking", "download '/2.3/questions?site=nowhere' page",
    ])
  func objects(command: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "\(command); wait --any-outcome; result last --json", directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = try #require(outcome.output.split(separator: "\n").last)
    let value = try JSONValue(parsing: Array(line.utf8))["value"]
    #expect(value?["status"] == .integer(400), "\(line)")
    #expect(value?["encoding"] == .string("json"))
    #expect(value?["body"]?["error_name"] == .string("bad_parameter"))
    #expect(value?["headers"]?["Content-Type"] != nil)
    #expect(folder.names.isEmpty)
  }

  @Test("The headers of every request are kept, with a list for repeated names")
  func headers() throws {
    let shell = try ShellFixture("fetch questions --name a; head /2.3/sites --name b; wait")
    for name in ["a", "b"] {
      let type = try shell.text("(\(name).headers[\"Content-Type\"])")
      #expect(type.hasPrefix("application/json"), "\(type)")
      // HTTP/2 sends names in lower case (RFC 9113, section 8.2.1).
      #expect(try shell.text("(\(name).headers[\"content-type\"])") == type)
      #expect(try shell.text("(\"CONTENT-TYPE\" in \(name).headers)") == "true")
    }
    try shell.run("get /2.3/sites --name c; get /2.3/nothing --name d; wait --any-outcome")
    #expect(try shell.text("(c.result.headers[\"content-type\"] != null)") == "true")
    #expect(try shell.text("(d.refusal.headers[\"content-type\"] != null)") == "true")
    let headers = HTTPHeaders(received: [
      ("Via", "1.1 a"), ("X-One", "1"), ("via", "1.1 b"), ("VIA", "1.1 c"),
    ])
    #expect(headers.json.text == #"{"Via":["1.1 a","1.1 b","1.1 c"],"X-One":"1"}"#)
  }

  @Test("A blocking request keeps its response, too")
  func blocking() throws {
    let shell = try ShellFixture(
      "server fault status-503; fetch questions --blocking --name a; wait --any-outcome")
    #expect(try shell.text("(a.refusal.status)") == "503")
  }

  @Test(
    "Safe requests are retried; unsafe ones only with an option",
    arguments: ["post", "put", "patch", "delete"])
  func unsafe(method: String) throws {
    let shell = try ShellFixture()
    try shell.setFault("status-503")
    let error = try shell.error(of: "\(method) /1/classes/Quote --retry 2")
    #expect(error.code == "unsafe-retry" && error.help?.contains("--retry-unsafe") == true)
    #expect(shell.session.jobs.operations.count == 0)
    try shell.run(
      "\(method) /1/classes/Quote --retry 2 --backoff 1ms --retry-unsafe --name a; "
        + "\(method) /1/classes/Quote --retry 0 --name b; "
        + "group g { \(method) /1/classes/Quote --name c } --retry 2; wait --any-outcome")
    #expect(try shell.operation("a").attempts == 3)
    #expect(try shell.operation("b").attempts == 1)
    #expect(try shell.operation("c").attempts == 1)
  }

  @Test(
    "Retry-After of a rejected request delays the next request to any path",
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
    #expect(
      why.contains("Retry-After of 7 s in the answer to 'a' (1), the request follows in"),
      "\(why)")
    let logged = try shell.output(of: "log b")
    #expect(
      logged.contains {
        $0.contains("executing, pause")
          && $0.contains("Retry-After of 7 s in the answer to 'a' (1)")
      }, "\(logged)")
    #expect(try shell.output(of: "show b").contains { $0.hasPrefix("pause ") })
    try shell.run("wait --any-outcome")
    #expect(try shell.output(of: "timeline b").contains { $0.contains("█┄┄┄") })
    #expect(
      try shell.output(of: "show b").contains {
        $0.hasPrefix("paused ") && $0.contains("in the answer to 'a' (1)")
      })
    let (first, second) = (try shell.operation("a").timestamps, try shell.operation("b").timestamps)
    let waited = try #require(second.finished) - #require(first.finished)
    #expect(waited >= .milliseconds(6_900))
    // A Retry-After of more than a minute is not waited for.
    try shell.setFault("status-503", duration: .seconds(90))
    try shell.run("\(command) --name c; wait --any-outcome; server fault off; \(command) --name d")
    try shell.run("wait --any-outcome")
    let third = try shell.operation("d").timestamps
    #expect(try #require(third.finished) - #require(third.executing) < .seconds(5))
  }

  @Test("If retries end early, the reason is reported")
  func lastAttempt() throws {
    let shell = try ShellFixture("set clock virtual")
    try shell.setFault("status-503", duration: .seconds(90))
    try shell.run("fetch questions --retry 2 --name a; wait --any-outcome")
    #expect(try shell.outcome(of: "a") == "invalid-status-code(503)")
    let long =
      "no attempt 2 of 3: the server asks for a pause of 1 min 30 s, and 1 min 0 s is the longest"
    #expect(try shell.reasons(of: "a").last?.hasSuffix("; " + long) == true)
    shell.server.update { $0.remove(named: "status-503") }
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
    "'why' and 'show' say why no attempt followed, and the error where it would say '--retry'",
    arguments: [
      ("get /nowhere --retry 2", "no attempt 2 of 3: status 404 is usually final", true),
      ("fetch questions --site nowhere --retry 2", "no attempt 2 of 3: status 400 is", false),
      (
        "group g --retry 2 { post /nowhere --body a }",
        "no attempt 2 of 3: without '--retry-unsafe' a POST request is not repeated", true
      ),
      (
        "server drop 100%; get /2.3/sites --retry 1 --backoff 1ms", "all 2 attempts failed", true
      ),
      ("block { fail no } --retry 1 --backoff 1ms", "all 2 attempts failed", false),
    ])
  func endOfRetries(command: String, reason: String, isHelp: Bool) throws {
    let shell = try ShellFixture("\(command)\nwait --any-outcome")
    #expect(try shell.output(of: "why last").joined().contains("; " + reason))
    #expect(
      try shell.output(of: "show last").contains {
        $0.hasPrefix("retry end ") && $0.contains(reason)
      })
    #expect(try shell.output(of: "show last --json").joined().contains("retry end: " + reason))
    #expect(try shell.output(of: "doctor").joined().hasPrefix("nothing is wrong"))
    for outcome in [
      try Opsh.run("\(command)\nwait --any-outcome\nwait last"), try Opsh.run(command),
    ] {
      #expect(outcome.status == 1, "\(outcome.errors)")
      #expect(outcome.errors.contains("help: " + reason) == isHelp, "\(outcome.errors)")
      #expect(!outcome.errors.contains("'--retry N'"))
    }
  }

  @Test("Nothing is said of retries where there was no policy, or a success")
  func noEndOfRetries() throws {
    let shell = try ShellFixture(
      "get /nowhere --name a; get / --retry 3 --name b; delay 1ms --retry 2 --name c\n"
        + "wait --any-outcome")
    for name in ["a", "b", "c"] {
      #expect(try !shell.output(of: "show \(name)").contains { $0.hasPrefix("retry end") })
      #expect(try !shell.output(of: "why \(name)").joined().contains("attempt"))
    }
    #expect(try shell.output(of: "doctor").joined().hasPrefix("nothing is wrong"))
    let error = try Opsh.run("server drop 100%; get /2.3/sites; wait").errors
    #expect(error.contains("'--retry N' retries the request"), "\(error)")
  }

  @Test(
    "'why' and 'show' report the backoff before a retry",
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

  @Test("A time limit of 0 expires at once, for every kind of limit")
  func noTime() throws {
    let shell = try ShellFixture()
    for option in ["timeout", "connect-timeout", "idle-timeout"] {
      try shell.run("get /x --\(option) 0s --name \(option); wait --any-outcome")
      #expect(try shell.outcome(of: option) == "timed-out", "\(option)")
    }
    #expect(shell.requests.isEmpty)
  }

  @Test("A read count is incremented again by a retry only with an option")
  func counting() throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture(
      "quotes sync; wait; let q = quotes list --limit 1", keepingIn: folder)
    #expect(try shell.error(of: "quotes read $q[0].id --retry 2").code == "unsafe-retry")
    try shell.run("quotes read $q[0].id --retry 2 --retry-unsafe; wait")
  }
}
