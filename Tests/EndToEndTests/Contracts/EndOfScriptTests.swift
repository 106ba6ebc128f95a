import Foundation
import TestSupport
import Testing

@Suite("End of a script and deadlocked waits", .timeLimit(.minutes(15)))
struct EndOfScriptTests {
  @Test("A script waits until nothing can run any more")
  func waitsForWork() throws {
    let outcome = try Opsh.text("delay 80ms --count 3; echo end", options: ["--json"])
    #expect(outcome.status == 0)
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.last?.integer("succeeded") == 3)
    #expect(lines.last?.integer("unfinished") == 0)
  }

  struct Rest: Sendable, CustomTestStringConvertible {
    let text: String
    /// The remaining operations.
    let names: [String]
    /// The text of their reasons.
    let words: String
    var testDescription: String { text }
  }

  static let rests = [
    Rest(text: "queue pause; delay 1ms --name a", names: ["a"], words: "paused"),
    Rest(text: "queue width 0; delay 1ms --name a", names: ["a"], words: "width"),
    Rest(
      text: "delay 1ms --name held --hold; delay 1ms --name a --after held", names: ["a", "held"],
      words: "held"),
    Rest(
      text:
        "queue new q; queue pause q; delay 1ms --name a --queue q; delay 1ms --name b --after a",
      names: ["a", "b"], words: "paused"),
  ]

  @Test("Remaining operations are listed with their reasons, and the status is 1", arguments: rests)
  func remains(_ rest: Rest) throws {
    let outcome = try Opsh.text(rest.text)
    #expect(outcome.status == 1)
    for name in rest.names {
      #expect(
        outcome.errorLines.contains {
          $0.hasPrefix("-c:1:") && $0.contains("error: '\(name)'") && $0.contains(rest.words)
        }, "\(outcome.errors)")
    }
    let json = try Opsh.text(rest.text, options: ["--json"])
    let lines = JSONContract.lines(of: json)
    #expect(lines.count { $0.type == "error" } == rest.names.count)
  }

  @Test("A wait for remaining operations fails with the reasons", arguments: rests)
  func waitNeverEnds(_ rest: Rest) throws {
    for wait in ["wait", "wait all", "wait a", "wait --any-outcome"] {
      let outcome = try Opsh.text("\(rest.text)\n\(wait)\necho after")
      #expect(outcome.status == 1, "\(wait)")
      #expect(outcome.output == "")
      #expect(
        outcome.errorLines.contains {
          $0.hasPrefix("-c:2:") && $0.contains("error: ") && $0.contains("'a'")
            && $0.contains(rest.words)
        }, "\(wait): \(outcome.errors)")
    }
  }

  @Test("Operations that were held and never started are left over, with 'start' as the cure")
  func held() throws {
    let outcome = try Opsh.text(
      "delay 1ms --name first --hold; delay 1ms --name second --hold; delay 1ms --hold; start last")
    #expect(outcome.status == 1)
    let errors = outcome.errorLines.filter { $0.contains("error: ") }
    #expect(errors.count == 2, "\(outcome.errors)")
    #expect(errors.first?.hasPrefix("-c:1:1: error: 'first' was held and never started: ") == true)
    #expect(errors.last?.contains("('start second')") == true)
    #expect(outcome.errors.contains("3 operations: 1 succeeded, 2 unfinished"))
    #expect(try Opsh.text("delay 1ms --hold; quit --now").status == 0)
    #expect(try Opsh.text("delay 1ms --hold; exit 3").status == 3)
  }

  @Test("Only a run with an error ends with a summary")
  func summary() throws {
    let good = try Opsh.run(["--events", "off", "-c", "delay 1ms"])
    #expect(good.status == 0 && good.errors == "")
    let bad = try Opsh.run(["--events", "off", "-c", "block { fail 'no' }"])
    #expect(bad.errors.hasSuffix("opsh: 1 operation: 1 failed\n"), "\(bad.errors)")
    let two = try Opsh.run(["--events", "off", "-c", "block { fail 'no' }; delay 1ms"])
    #expect(two.errors.hasSuffix("opsh: 2 operations: 1 succeeded, 1 failed\n"), "\(two.errors)")
  }

  @Test("A wait ends if a handler resumes the queue")
  func handlerRescues() throws {
    let outcome = try Opsh.text(
      """
      queue new other
      queue pause
      delay 1ms --name stuck
      delay 30ms --queue other --name rescuer
      on rescuer finished { queue resume network }
      wait stuck
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("Bodies that wait for each other are detected")
  func cycle() throws {
    let outcome = try Opsh.text(
      "block --name a { sleep 20ms; wait b }; block --name b { sleep 20ms; wait a }; wait")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("error: "))
  }

  @Test("A body that waits for itself is an error")
  func itself() throws {
    for text in ["block --name a { wait a }; wait", "block --name a { wait $self }; wait"] {
      let outcome = try Opsh.text(text)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("can't wait for itself"), "\(outcome.errors)")
    }
  }

  @Test(
    "quit waits for operations that can run, quit --now cancels them", arguments: ["quit", "exit"])
  func quit(name: String) throws {
    let waited = try Opsh.text("delay 50ms; \(name); echo never", options: ["--json"])
    #expect(waited.status == 0)
    #expect(JSONContract.lines(of: waited).last?.integer("succeeded") == 1)
    let cancelled = try Opsh.text("delay 60s; \(name) --now; echo never", options: ["--json"])
    #expect(cancelled.status == 0)
    #expect(JSONContract.lines(of: cancelled).last?.integer("cancelled") == 1)
  }

  @Test(
    "quit --now ends bodies, too",
    arguments: [
      "while (true) { }", "while (true) { sleep 1ms }", "sleep 60s",
      "delay 60s --name x; wait x", "def f { while (true) { } }; f",
      "expect (1 == 2) within 60s",
    ])
  func quitEndsBodies(body: String) throws {
    let text = "block --name b { \(body) }; expect (b.state == executing) within 20s; quit --now"
    let outcome = try Opsh.text(text, options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome)
    let last = lines.last { $0.type == "transition" && $0.operationName == "b" }
    #expect(last?.string("to") == "finished", "\(last?.text ?? "")")
  }

  @Test("Cancelling does not end a body, which can check for it")
  func bodyAsks() throws {
    let child = try Opsh.start([])
    child.write(
      "block --name b { echo begun; while (not $self.cancelled) { sleep 1ms }; echo asked }\n")
    // A body that is cancelled before its start never starts.
    #expect(child.read { stdout, _ in stdout == "begun\n" })
    let rest = "cancel b\nwait b\nexpect (b.outcome == cancelled)\n"
    let outcome = child.communicate(input: Data(rest.utf8), timeout: .seconds(30))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "begun\nasked\n")
  }

  @Test(
    "An event beyond the virtual clock's range is an error at its place, with or without a wait",
    arguments: ["", "\nwait", "\nsleep 1s"])
  func endOfTime(_ rest: String) throws {
    let text = "set clock virtual\ndelay 9223372036s --name far" + rest
    let outcome = try Opsh.text(text, options: ["--json"])
    #expect(outcome.status == 1)
    let lines = JSONContract.lines(of: outcome)
    let errors = lines.filter { $0.type == "error" }
    #expect(errors.map { $0.string("code") } == ["clock-ends"])
    #expect(errors.first?.integer("line") == (rest == "\nwait" ? 3 : 2))
    #expect(lines.last?.type == "summary" && lines.last?.integer("cancelled") == 1)
  }
}
