import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

@Suite("The queue 'main'", .timeLimit(.minutes(10)))
struct MainQueueTests {
  @Test("It is there from the start, has width 1 and cannot be changed or removed")
  func fixed() throws {
    let fixture = try ShellFixture()
    let queue = try #require(fixture.session.jobs.queues.queue(named: "main"))
    #expect(queue.maxConcurrentOperationCount == 1)
    #expect(try fixture.error(of: "queue width main 2").code == "fixed-width")
    #expect(try fixture.error(of: "queue width main auto").code == "fixed-width")
    #expect(try fixture.error(of: "queue remove main").code == "default-queue")
    #expect(try fixture.error(of: "queue new main").code == "bad-name")
    #expect(queue.maxConcurrentOperationCount == 1)
  }

  @Test("Bodies run on the interpreter's thread, in turn with handlers")
  func thread() throws {
    let fixture = try ShellFixture(
      """
      block --queue main --name a { sleep 5ms }
      block --queue main --name b { let x = 1 }
      fetch questions --pagesize 1 --queue main --name c
      async d --queue main { finish d }
      wait
      """)
    for name in ["a", "b", "c", "d"] {
      let operation = try fixture.operation(name)
      #expect(operation.outcome == .succeeded)
      #expect(operation.thread?.role == .executor)
    }
    let (a, b) = (try fixture.operation("a"), try fixture.operation("b"))
    #expect(try #require(a.timestamps.finished) <= (try #require(b.timestamps.executing)))
  }

  @Test("A wait inside for another of its operations is refused as one that never ends")
  func deadlock() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      block --queue main --name a {
        delay 1ms --queue main --name b
        try { wait b } catch e { echo $e.code > /dev/null; fail $e.code }
      }
      wait --any-outcome
      """)
    let failure = try fixture.operation("a").outcome?.failure
    #expect(failure?.message.hasPrefix("never-ends") == true, "\(String(describing: failure))")
    #expect(try fixture.operation("b").outcome == .succeeded)
  }

  @Test("'why' names the body that has the thread, without a cure that does not help")
  func blocks() throws {
    let lines = try ShellFixture().shown(
      by: "block --queue main --name a { delay 0s --queue main --name b; why b }; wait")
    let reason = try #require(lines.first { $0.contains("queue 'main' is full") })
    #expect(reason.hasSuffix("'a' holds its slot"))
  }

  @Test(
    "An end in the middle ends its operations too",
    arguments: [
      "quit --now", "fail \"no\"", "exit 3",
    ])
  func ends(_ end: String) throws {
    let outcome = try Opsh.run(
      "block --queue main --count 3 { sleep 20ms }; delay 50ms --queue main; \(end)",
      options: ["--json"], timeout: .seconds(30))
    #expect(outcome.output.contains("\"type\":\"summary\""))
    #expect(outcome.output.contains("\"unfinished\":0"), "\(outcome.output)")
  }

  @Test("On the virtual clock its operations take their turn in the same order in each run")
  func virtual() throws {
    let script = """
      set clock virtual
      block --queue main --name a { sleep 1s; echo a }
      delay 500ms --name d
      on d finished { echo handler }
      block --queue main --name b { echo b }
      wait
      """
    let runs = try (0..<3).map { _ in try Opsh.run(script) }
    #expect(Set(runs.map { $0.output + $0.errors }).count == 1)
    #expect(runs[0].status == 0)
    #expect(runs[0].output.split(separator: "\n").sorted() == ["a", "b", "handler"])
  }
}
