import Foundation
import TestSupport
import Testing

@Suite("The exit status", .timeLimit(.minutes(15)))
struct ExitStatusTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let status: Int32
    var options: [String] = []
    var testDescription: String { "\(text) → \(status)" }
  }

  @Test(
    "The outcome of the run determines the status",
    arguments: [
      Case(text: "", status: 0),
      Case(text: "# only a comment", status: 0),
      Case(text: "delay 1ms; wait", status: 0),
      Case(text: "delay 1ms", status: 0),
      // A cancelled operation is not a failure.
      Case(text: "delay 10s; cancel last; wait", status: 0),
      Case(text: "delay 10s; cancel last", status: 0),
      // Errors at run time.
      Case(text: "fail \"no\"", status: 1),
      Case(text: "show nobody", status: 1),
      Case(text: "expect (1 == 2)", status: 1),
      Case(text: "expect (1 == 2) within 1ms", status: 1),
      Case(text: "block { fail \"no\" }; wait", status: 1),
      Case(text: "block { fail \"no\" }; wait last", status: 1),
      Case(text: "block { fail \"no\" }", status: 1),
      Case(text: "delay 10s; wait --timeout 1ms", status: 1),
      Case(text: "echo x | false", status: 1),
      Case(text: "echo x > /nonexistent/file", status: 1),
      Case(text: "let most = 9223372036854775807\n($most + 1)", status: 1),
      Case(text: "delay 10s", status: 124, options: ["--timeout", "50ms"]),
      // Errors of the static check.
      Case(text: "echo 'x", status: 2),
      Case(text: "ecko", status: 2),
      Case(text: "echo --loud x", status: 2),
      Case(text: "delay soon", status: 2),
      Case(text: "queue width -5", status: 2),
      Case(text: "break", status: 2),
      Case(text: "return", status: 2),
      Case(text: "try { echo x }", status: 2),
      Case(text: "}", status: 2),
      Case(text: ")", status: 2),
      Case(text: "echo $nothing", status: 2),
      // The highest of several.
      Case(text: "fail \"no\"\necko", status: 2, options: ["--keep-going"]),
      Case(text: "fail \"no\"\nfail \"no\"", status: 1, options: ["--keep-going"]),
      Case(text: "expect (1 == 2)\necho fine", status: 1, options: ["-k"]),
      Case(text: "fail \"no\"\nquit --now", status: 1, options: ["-k"]),
      // The first status that was asked for, although a handler asks for another one later.
      Case(text: "delay 10ms --name d\non d finished { quit 4 }", status: 4),
      Case(text: "delay 10ms --name d\non d finished { quit 4 }\nquit 3", status: 3),
      Case(text: "delay 10ms --name d\non d finished { quit 4 --now }\nquit 3", status: 3),
      // An expected failure.
      Case(text: "block { fail \"no\" }; wait --any-outcome", status: 0),
      Case(text: "block { fail \"no\" }; wait last --any-outcome; wait", status: 0),
      Case(text: "block { fail \"no\" }; expect (last.outcome == failed) within 20s", status: 0),
      Case(
        text: "let b = block { fail \"no\" }; expect ($b.outcome == failed) within 20s", status: 0),
      Case(text: "block { fail \"no\" }; try { wait } catch e { echo $e.code }", status: 0),
      Case(text: "try { fail \"no\" } catch e { }", status: 0),
      // An expected failure does not cover another one.
      Case(text: "block { fail \"a\" } --count 2; wait block-1 --any-outcome", status: 1),
      // An expectation that is not met expects no failure.
      Case(
        text:
          "block { fail \"no\" }; try { expect (last.outcome == succeeded) within 1s } catch e { }",
        status: 1),
      // `exit N` sets the status to N.
      Case(text: "exit", status: 0),
      Case(text: "exit 0", status: 0),
      Case(text: "exit 7", status: 7),
      Case(text: "exit 255", status: 255),
      Case(text: "quit 3", status: 3),
      Case(text: "exit 256", status: 2),
      Case(text: "exit -1", status: 2),
      Case(text: "def f { exit 9 }\nf\necho never", status: 9),
      Case(text: "try { exit 4 } catch e { exit 5 }", status: 4),
      Case(text: "fail \"no\"\nexit 0", status: 0, options: ["--keep-going"]),
      Case(text: "delay 10s; quit --now", status: 0),
      Case(text: "delay 10s; quit 6 --now", status: 6),
    ])
  func status(_ test: Case) throws {
    let outcome = try Opsh.text(test.text, options: test.options)
    #expect(outcome.status == test.status, "\(outcome.errors)")
    #expect(!outcome.output.contains("never"))
    if test.status == 1 || test.status == 2 {
      #expect(outcome.errors.contains("error: "), "an error has a message: \(outcome.errors)")
    }
  }

  @Test(
    "A signal cancels operations, writes the summary, and sets the status to 128 plus its number",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2])
  func signal(_ number: Int32) throws {
    let child = try Opsh.start(["--json", "-c", "delay 60s; wait"])
    #expect(child.read { stdout, _ in stdout.contains(#""to":"executing""#) })
    child.send(signal: number)
    let outcome = child.communicate(timeout: .seconds(30))
    #expect(outcome.status == 128 + number)
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.last { $0.type == "transition" }?.string("outcome") == "cancelled")
    #expect(lines.last?.integer("cancelled") == 1)
  }

  @Test("A signal ends a command that builds a million operations, and what it has built")
  func signalWhileBuilding() throws {
    let child = try Opsh.start([
      "-c", "events off; echo begun; delay 0s --count 1000000; echo never",
    ])
    #expect(child.read { stdout, _ in stdout.contains("begun") })
    child.send(signal: SIGINT)
    let outcome = child.communicate(timeout: .seconds(60))
    #expect(outcome.status == 128 + SIGINT)
    #expect(!outcome.output.contains("never"))
    #expect(!outcome.errors.contains("1000000 operations"), "\(outcome.errors)")
  }

  @Test("A signal ends a loop, a sleep, a body that loops, and a wait for standard input")
  func signalAnywhere() throws {
    let texts = [
      "echo begun; while (true) { }", "echo begun; sleep 60s",
      "block { echo begun; while (true) { } }; wait",
      "delay 90s --name d; echo begun; expect (d.state == finished) within 60s",
      "echo begun; def f { while (true) { } }\nf",
    ]
    for text in texts {
      let child = try Opsh.start(["-c", text])
      #expect(child.read { stdout, _ in stdout.contains("begun") }, "\(text)")
      child.send(signal: SIGTERM)
      #expect(child.communicate(timeout: .seconds(30)).status == 128 + SIGTERM, "\(text)")
    }
    let reader = try Opsh.start([])
    reader.write("echo begun\n")
    #expect(reader.read { stdout, _ in stdout.contains("begun") })
    reader.send(signal: SIGHUP)
    #expect(reader.communicate(timeout: .seconds(30)).status == 128 + SIGHUP)
  }

  @Test("The summary of a failed run on standard error counts the outcomes")
  func summary() throws {
    let outcome = try Opsh.text(
      "delay 1ms; wait; block { fail \"no\" }; delay 1ms --hold; wait last; wait")
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.last?.hasPrefix("opsh: ") == true)
  }
}
