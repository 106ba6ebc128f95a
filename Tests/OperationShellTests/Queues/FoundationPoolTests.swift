import Operations
import TestSupport
import Testing

@testable import ShellSession

@Suite("The pool of threads of a queue of Foundation", .timeLimit(.minutes(5)))
struct FoundationPoolTests {
  @Test("While bodies hold all threads, 'why' and 'stats threads' name them, now and in a replay")
  func held() throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.program = try BuiltProducts.executable("opsh")
    let session = try ShellFixture(
      """
      record '\(folder.path)/run'
      queue new raw --engine foundation --width 40; queue use raw
      block --name b --count 40 { while (not $self.cancelled) { sleep 5ms } }
      """, configuration)
    let last = try session.operation("b-40")
    #expect(try session.pump { last.waitReasons().contains { $0.code == .threadPool } })
    let why = try session.shown(by: "why b-40").joined(separator: "\n")
    #expect(why.contains("a slot is free, but the "))
    #expect(why.contains(" of Foundation's pool are held by 'b-1'"))
    let threads = try session.shown(by: "stats threads").joined(separator: "\n")
    #expect(threads.contains("hold a thread of Foundation's pool each: b-1, b-2"))
    #expect(threads.contains("hold a thread each: b-1, b-2"))
    try session.run("record off")
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(
      try replay.shown(by: "why b-40").joined().contains(" of Foundation's pool are held by 'b-1'"))
    try session.run("cancel all; wait --any-outcome")
    #expect(
      try session.shown(by: "why b-40").joined().contains("no thread of Foundation's pool free"))
    #expect(session.session.jobs.queues.queue(named: "raw")?.poolHolders.isEmpty == true)
  }

  @Test("Requests that block hold the threads of the pool, and end as elsewhere")
  func requests() throws {
    let outcome = try Opsh.run(
      """
      server latency 300ms
      queue new raw --engine foundation --width 20; queue use raw
      fetch questions --blocking --count 12 --name q --pagesize 3 --timeout 20s --retry 1
      expect (q-12.started) within 30s; wait
      echo (q-1.status) (q-12.items) (q-12.started > q-1.finished); result q-12 --json
      """, options: ["--events", "off"])
    #expect(outcome.output.hasPrefix("200 3 true\n"))
    #expect(outcome.output.contains("\"type\":\"result\""))
    #expect(outcome.status == 0)
  }

  @Test("A cancelled request ends on a queue of Foundation, and its thread is free")
  func cancelledRequest() throws {
    let outcome = try Opsh.run(
      """
      server latency 60s
      queue new raw --engine foundation --width 1; queue use raw
      fetch questions --blocking --name q; fetch questions --blocking --name r
      expect (q.state == executing) within 30s; cancel q r; wait --any-outcome
      echo (q.outcome) (r.outcome)
      """, options: ["--events", "off"])
    #expect(outcome.output == "cancelled cancelled\n")
  }

  /// Two bodies on a queue with one slot, of which the first waits for the second.
  private static let deadlock = """
    queue new raw --engine foundation --width 1; queue use raw
    block --name a { wait b; echo never }; block --name b { echo never }
    expect (a.state == executing) within 30s

    """

  @Test("A body in a deadlock hangs, and the wait for it fails with the reasons")
  func deadlockInWait() throws {
    let outcome = try Opsh.run(Self.deadlock + "sleep 300ms; (a.state); wait")
    #expect(outcome.output == "executing\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("'b' waits for 'a', so neither will ever finish"))
    #expect(outcome.errors.contains("[never-ends]"))
  }

  @Test("The end of a script fails with the reasons of a deadlock")
  func deadlockAtEnd() throws {
    let outcome = try Opsh.run(Self.deadlock)
    #expect(outcome.output.isEmpty && outcome.status == 1)
    #expect(outcome.errors.contains("the body of 'a' waits for 'b'"))
    #expect(outcome.errors.contains("[never-ran]"))
  }

  @Test("Removing the queue ends a deadlock")
  func deadlockRemoved() throws {
    let outcome = try Opsh.run(
      Self.deadlock
        + "queue remove raw --force; wait --any-outcome; echo (a.error.code) (b.error.code)",
      options: ["--events", "off"])
    #expect(outcome.output == "foundation-ended foundation-ended\n")
    #expect(outcome.status == 0)
  }

  @Test("Without a priority, Foundation on Linux ranks by the quality of service")
  func rankedByQuality() throws {
    let outcome = try Opsh.run(
      """
      queue new raw --engine foundation --width 2 --paused; queue use raw
      delay 50ms --name back --qos background; delay 50ms --name plain; delay 50ms --name second
      delay 50ms --name eager --qos userInteractive
      delay 50ms --name urgent --priority veryHigh --qos background
      queue resume; wait
      echo (eager.started < plain.started) (urgent.started < plain.started) (plain.started < back.started)
      """, options: ["--events", "off"])
    #expect(outcome.output == "true true true\n")
  }
}
