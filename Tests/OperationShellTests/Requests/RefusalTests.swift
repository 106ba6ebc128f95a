import Networking
import Operations
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

  @Test("A reading is counted twice only where that is said")
  func counting() throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture(
      "quotes sync; wait; let q = quotes list --limit 1", keepingIn: folder)
    #expect(try shell.error(of: "quotes read $q[0].id --retry 2").code == "unsafe-retry")
    try shell.run("quotes read $q[0].id --retry 2 --retry-unsafe; wait")
  }
}
