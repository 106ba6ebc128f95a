import Foundation
import TestSupport
import Testing

@Suite("Texts of commands and errors", .timeLimit(.minutes(15)))
struct SayingTests {
  @Test("The log shows what cancelled an operation")
  func whoCancelled() throws {
    let fixture = try ShellFixture(
      """
      delay 1m --name a; cancel a
      delay 1m --name b; queue cancel network
      group g { delay 1m --name c }; sleep 1ms; cancel g
      delay 1m --name d; app terminate
      """)
    try fixture.run("wait --any-outcome")
    func reason(_ name: String) throws -> String? {
      try fixture.reasons(of: name).first { $0.hasPrefix("cancelled") && $0.contains(", by ") }
    }
    #expect(try reason("a")?.hasSuffix(", by 'cancel'") == true)
    #expect(try reason("b")?.hasSuffix(", by 'queue cancel network'") == true)
    #expect(try reason("c")?.hasSuffix(", by 'cancel'") == true)
    #expect(try reason("d")?.hasSuffix(", by 'app terminate'") == true)
  }

  @Test("Transitions at the end of a run show what cancelled the operations")
  func endOfRun() throws {
    let quit = try Opsh.run("delay 1m --name a; sleep 5ms; quit --now")
    #expect(quit.errors.contains("cancelled while executing, by 'quit'"), "\(quit.errors)")
    let late = try Opsh.run("delay 1m --name a; wait", options: ["--timeout", "50ms"])
    #expect(late.errors.contains("by --timeout of the run"), "\(late.errors)")
    let failed = try Opsh.run("delay 1m --name a; sleep 5ms; fail no")
    #expect(failed.errors.contains("by an error that ended the run"), "\(failed.errors)")
  }

  @Test("Cancelling a finished operation prints a message")
  func cancelFinished() throws {
    let fixture = try ShellFixture("delay 1ms --name a; wait; delay 1m --name a-2")
    #expect(
      try fixture.output(of: "cancel a").first?.hasPrefix("a has already finished: ✓") == true)
    // A pattern cancels only unfinished operations, without a message about the others.
    #expect(try fixture.output(of: "cancel 'a*'") == [])
    try fixture.run("wait --any-outcome")
    #expect(try fixture.output(of: "cancel a a-2") == ["a, a-2 have already finished"])
  }

  @Test("A new priority or quality of service of a finished operation prints a message")
  func steerFinished() throws {
    let fixture = try ShellFixture(
      "delay 1ms --name a; delay 1ms --name b; wait; delay 1h --name a-2")
    for command in ["priority", "qos"] {
      let level = command == "qos" ? "utility" : "high"
      let told = try fixture.output(of: "\(command) a \(level)")
      #expect(told.count == 1 && told[0].hasPrefix("a has already finished: ✓"), "\(told)")
      #expect(
        try fixture.output(of: "\(command) a b a-2 \(level)") == ["a, b have already finished"])
      #expect(try fixture.output(of: "\(command) 'a*' \(level)") == [])
      #expect(try fixture.output(of: "\(command) all \(level)") == [])
    }
    #expect(try fixture.text("(a-2.priority)") == "high")
  }

  @Test("'dependencies met' lists the dependencies that did not succeed")
  func dependenciesMet() throws {
    let fixture = try ShellFixture(
      """
      queue pause
      block --name a { fail "no" }
      delay 1ms --name b; delay 1m --name c; cancel c
      delay 1ms --name d --after a,b,c
      queue resume; wait --any-outcome
      """)
    #expect(
      try fixture.reasons(of: "d").contains("dependencies met: a (failed), b, c (cancelled)"))
  }

  @Test(
    "A command of another language gets an error that names the opsh command",
    arguments: [
      ("kill", "'cancel'"),
      ("assert true", "'expect'"), ("throw x", "'fail'"), ("declare x", "'let'"),
      ("elif", "'else'"), ("foreach x", "'for'"),
    ])
  func otherWords(_ text: String, meant: String) throws {
    let outcome = try Opsh.run(text, options: ["--check"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("help: in opsh it is \(meant)"), "\(outcome.errors)")
  }

  @Test(
    "A concept that is typed as a command leads to its page",
    arguments: [
      ("isReady", "isReady"), ("isfinished", "isFinished"), ("kvo", "kvo"),
      ("maxConcurrentOperationCount", "width"),
    ])
  func concepts(_ text: String, page: String) throws {
    let outcome = try Opsh.run(text, options: ["--check"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("help: 'help \(page)' explains it"), "\(outcome.errors)")
  }

  @Test("'$' before the name of an operation with a hyphen gets an error with the correct form")
  func hyphen() throws {
    for options in [["--check"], []] {
      let property = try Opsh.run("delay 1ms\necho $delay-1.state", options: options)
      #expect(property.errors.contains("write: ${delay-1.state}"), "\(property.errors)")
      let name = try Opsh.run("delay 1ms\nshow $delay-1", options: options)
      #expect(name.errors.contains("without '$': delay-1"), "\(name.errors)")
    }
  }

  @Test("'tree OP' shows all transitive dependencies, each once")
  func wholeTree() throws {
    let fixture = try ShellFixture(
      """
      queue pause; delay 1ms --name a; delay 1ms --name b --after a; delay 1ms --name c --after b
      delay 1ms --name d --after b,c
      """)
    #expect(
      try fixture.output(of: "tree d").map { $0.split(separator: ",")[0] } == [
        "d  delay", "├─ after b", "│  └─ after a", "└─ after c", "   └─ after b",
      ])
    #expect(try fixture.output(of: "tree d").last?.hasSuffix(", shown above") == true)
  }

  @Test("The times of an operation have six digits as text, and all where they are compared")
  func microseconds() throws {
    let fixture = try ShellFixture("delay 1ms --name a; wait")
    let line = try #require(
      try fixture.output(of: "echo ${a.started} (a.finished) (a.duration)").first)
    for time in line.split(separator: " ") {
      let digits = try #require(time.split(separator: ".").last)
      #expect(digits.count <= 6, "\(line)")
    }
    try fixture.run("let t = (a.finished); expect ($t == a.finished)")
    try fixture.run("expect (a.finished - a.started == a.duration or a.duration > 0.001)")
  }
}
