import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Groups", .timeLimit(.minutes(15)))
struct GroupTests {
  private func group(_ name: String, in fixture: ShellFixture) throws -> GroupOperation {
    try #require(try fixture.operation(name) as? GroupOperation)
  }

  @Test("'why' of a stalled group lists what its members wait for")
  func reasonsOfMembers() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new q --width 1
      delay 10s --queue q --name long
      group g --width 4 {
        delay 1s --name a --exclusive db
        delay 2s --name b --exclusive db
        delay 3s --name c --exclusive db --priority high
        delay 1s --name d --after long
        delay 1s --name e --delay 3s
        group inner { delay 1s --name f --after long; delay 1s --name h --after d }
        delay 0s --name z
      }
      sleep 1s
      """)
    #expect(
      try fixture.output(of: "why g") == [
        "g has been executing for 1 s: 1 of 7 operations finished; it waits for a, b, c and 3 more, "
          + "which do not all run because",
        "  2 operations wait: 'db' is held by 'c'  → cancel c",
        "  2 operations wait for 'long', which is executing",
        "  'e' may become ready in 2 s  → wait e",
        "  'h' waits for 'd', which is pending",
        "    waits for 'long', which is executing",
      ])
    try fixture.run("queue new wide; group same --queue wide { delay 1s --after long --count 30 }")
    #expect(
      try fixture.output(of: "why same").dropFirst() == [
        "  30 operations wait for 'long', which is executing"
      ])
  }

  @Test("'why' examines a limited number of members of a large group, and reports the limit")
  func reasonsOfManyMembers() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 10s --name long
      group g --width unlimited {
        delay 1s --after long --count 190
        for n in 1..20 { delay 1s --delay $n }
      }
      """)
    let lines = try fixture.output(of: "why g")
    #expect(lines.dropFirst().first == "  190 operations wait for 'long', which is executing")
    #expect(lines.count == 13 && lines.last == "  and 10 more, not examined")
  }

  @Test("'why' lists members of one line together and omits members that execute")
  func reasonsInOneLine() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new q; delay 1h --name long --queue q
      group g --queue q --width 1 { delay 10s --count 20 }
      group h --queue q --width unlimited { delay 10s --count 120; delay 1s --after long --count 2 }
      queue width q unlimited
      """)
    #expect(
      try fixture.output(of: "why g").dropFirst() == [
        "  19 operations wait: queue 'g' is full: 'delay-1' holds its slot"
          + "  → queue width g unlimited"
      ])
    #expect(
      try fixture.output(of: "why h").dropFirst() == [
        "  2 operations wait for 'long', which is executing"
      ])
  }

  @Test("'why' names the service whose backoff members wait for")
  func reasonsOfPausing() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      group g {
        block { fail no } --name flaky --retry 3 --backoff 10s
        block { fail no } --name shaky --retry 3 --backoff 20s
      }
      sleep 1s
      """)
    #expect(
      try fixture.output(of: "why g") == [
        "g has been executing for 1 s: 0 of 2 operations finished; it waits for flaky, shaky, which "
          + "do not all work because",
        "  'flaky' pauses: script, attempt 2 of 4 follows in 9 s",
        "  'shaky' pauses: script, attempt 2 of 4 follows in 19 s",
      ])
    try fixture.run("cancel flaky; sleep 1ms")
    #expect(
      try fixture.output(of: "why g").first
        == "g has been executing for 1 s: 1 of 2 operations finished; it waits for shaky, which "
        + "pauses because")
    try fixture.run("cancel shaky; sleep 1ms; group h { delay 5s; delay 1s }; sleep 2s")
    #expect(
      try fixture.output(of: "why h")
        == ["h has been executing for 2 s: 1 of 2 operations finished; it waits for delay-1"])
  }

  @Test("Operations built in the block are members, except those with another queue")
  func membership() throws {
    let fixture = try ShellFixture(
      """
      queue pause
      group sync --width 1 { delay 1s --name a; delay 1s --queue network --name b; delay 1s --name c }
      """)
    let sync = try group("sync", in: fixture)
    #expect(sync.operations.map(\.displayName) == ["a", "c"])
    #expect(sync.innerQueue.maxConcurrentOperationCount == 1)
    #expect(sync.innerQueue.name == "sync")
    #expect(sync.queue?.name == "network")
    #expect(try fixture.operation("b").group == nil)
    let value = try fixture.run("let g = group other { }; echo $g > /dev/null")
    #expect(value.text != "")
    #expect(fixture.shell.interpreter.variables["g"]?.text == "other")
  }

  @Test("A group runs its members and finishes last; its events show it as their queue")
  func life() throws {
    let outcome = try Opsh.run(
      "group sync { delay 5ms --name a; delay 5ms --name b --after a }; wait sync",
      options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let finished = lines.filter { $0.contains(#""to":"finished""#) }
    #expect(finished.count == 3)
    for (line, name) in zip(finished, ["a", "b", "sync"]) {
      #expect(line.contains(#""name":"\#(name)""#))
      #expect(line.contains(#""queue":"\#(name == "sync" ? "network" : "sync")""#))
    }
  }

  @Test("A group waits for its members, including those of nested groups")
  func nested() throws {
    let fixture = try ShellFixture(
      """
      group outer {
        delay 1ms --name first
        group middle --after first { group inner { delay 1ms --name deep } }
      }
      wait
      """)
    let deep = try fixture.operation("deep")
    #expect(deep.enclosingGroups.map(\.displayName) == ["inner", "middle", "outer"])
    let ends = try ["first", "deep", "inner", "middle", "outer"].map {
      try #require(try fixture.operation($0).timestamps.finished)
    }
    #expect(ends == ends.sorted())
  }

  @Test("--hold keeps the group off its queue together with its members")
  func held() throws {
    let fixture = try ShellFixture("group sync --hold { delay 1ms --name a }")
    #expect(try fixture.operation("sync").state == .created)
    #expect(try fixture.operation("a").state == .ready)
    #expect(try fixture.operation("a").isHeldBack)
    let error = try fixture.error(of: "start a")
    #expect(error.code == "already-started")
    #expect(error.help == "it waits for its group: 'start sync'")
    #expect(try fixture.error(of: "wait a").help == "start sync")
    try fixture.run("wait")
    try fixture.run("start sync; wait")
    #expect(try fixture.operation("a").outcome == .succeeded)
    #expect(try fixture.operation("sync").outcome == .succeeded)
  }

  @Test("A held group is left over at the end of a script, once for all its members")
  func heldAtTheEnd() throws {
    let outcome = try Opsh.run("group sync --hold { delay 1ms; group inner { delay 1ms } }")
    #expect(outcome.status == 1)
    #expect(outcome.errors.components(separatedBy: "error: ").count == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("error: 'sync' was held and never started"))
  }

  @Test("An error in the block ends the operations it built and reports them")
  func halfBuilt() throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(
      of: """
        group sync {
          delay 1s --name a
          delay 1s --name held --hold
          group inner { queue pause; delay 1s --name deep }
          queue width 0
          fail "no more"
          delay 1s --name never
        }
        """)
    #expect(error.message == "no more")
    #expect(error.line == 6)
    #expect(
      error.labels.map(\.message)
        == ["group 'sync' was cancelled with its 4 operations"])
    #expect(error.labels.first.map { error.source.place(of: $0.range.lower).column } == 7)
    for name in ["sync", "a", "held", "inner", "deep"] {
      #expect(try fixture.operation(name).outcome == .cancelled, "\(name)")
    }
    #expect(fixture.session.jobs.operations.operation(named: "never") == nil)
    #expect(fixture.session.jobs.queue(named: "sync") == nil)
    // The names are free, so the next attempt can use the same ones.
    try fixture.run("group sync { delay 1ms --name a }; wait")
    #expect(try fixture.operation("a").outcome == .succeeded)
    #expect(fixture.session.jobs.operations.all.count == 7)
  }

  @Test("With --count no group is created if one can't be built")
  func severalHalfBuilt() throws {
    let fixture = try ShellFixture("let n = 0")
    let script = """
      group part --count 3 { let n = ($n + 1); if ($n == 3) { fail "x" }; delay 1s }
      """
    let error = try fixture.error(of: script)
    #expect(error.labels.count == 3)
    #expect(fixture.session.jobs.operations.unfinished.isEmpty)
    try fixture.run("let n = 10; \(script); cancel all; wait")
    #expect(
      fixture.session.jobs.operations.names.suffix(6).filter { $0.hasPrefix("part") }.count == 3)
  }

  @Test("A group's queue has the group's name until the group finishes")
  func innerQueue() throws {
    let fixture = try ShellFixture(
      """
      queue pause; group sync { delay 1ms --name a }; queue pause sync; queue resume
      delay 1ms --queue sync --name b
      """)
    let sync = try group("sync", in: fixture)
    #expect(sync.innerQueue.isSuspended)
    #expect(try fixture.output(of: "queue").contains { $0.hasPrefix("sync ") })
    #expect(try fixture.output(of: "queue show sync").contains { $0.contains("paused") })
    #expect(try fixture.error(of: "queue use sync").code == "queue-of-group")
    #expect(try fixture.error(of: "queue remove sync").code == "queue-of-group")
    #expect(try fixture.error(of: "queue new sync").code == "bad-name")
    #expect(try fixture.error(of: "queue pause syn").help == "did you mean 'sync'?")
    try fixture.run("queue width sync 1; queue resume sync; wait queue sync; wait")
    #expect(sync.summary.succeeded == 2)
    #expect(
      try fixture.error(of: "queue pause sync").message
        == "group 'sync' has finished, and its queue with it")
    // Its operations are still listed.
    #expect(try fixture.output(of: "ops --queue sync --columns name") == ["name", "a", "b"])
    try fixture.run("queue drain sync; queue new sync")
    #expect(try fixture.output(of: "ops --queue sync") == ["none of that kind"])
  }

  @Test(
    "A group name that is a queue's or is invalid for a queue is rejected",
    arguments: ["group network { }", "queue new q; group q { }"])
  func takenNames(_ script: String) throws {
    #expect(try ShellFixture().error(of: script).code == "bad-name")
  }

  @Test("Cancelling a group cancels its members, started or not", arguments: [true, false])
  func cancelling(_ hasBegun: Bool) throws {
    let fixture = try ShellFixture(
      (hasBegun ? "" : "queue pause\n")
        + "group sync { delay 10s --name a; group inner { delay 10s --name deep } }")
    if hasBegun {
      #expect(try fixture.pump { try fixture.operation("deep").state == .executing })
    }
    try fixture.run("cancel sync")
    for name in ["sync", "a", "inner", "deep"] {
      #expect(try fixture.operation(name).isCancelled, "\(name)")
    }
    try fixture.run("queue resume; wait")
    for name in ["sync", "a", "inner", "deep"] {
      #expect(try fixture.operation(name).outcome == .cancelled, "\(name)")
    }
  }

  @Test("A body in a group builds operations into the group")
  func bodies() throws {
    let fixture = try ShellFixture(
      "group sync { block { delay 1ms --name made } }; wait sync; wait made")
    #expect(try fixture.operation("made").group === fixture.operation("sync"))
  }

  @Test("A handler created in a group's block builds operations outside the group")
  func handlers() throws {
    let fixture = try ShellFixture(
      "group sync { delay 1ms --name a; on a finished { delay 1ms --name later } }; wait sync")
    #expect(
      try fixture.pump { fixture.session.jobs.operations.operation(named: "later") != nil })
    #expect(try fixture.operation("later").queue?.name == "network")
  }

  @Test(
    "What a queue refuses is listed as cancelled, with all that is in it",
    arguments: [
      ("quotes sync --queue raw", 4), ("group g --queue raw { delay 1ms }", 2),
      ("group g --queue raw { group h { delay 1ms }; delay 1ms }", 4),
    ])
  func refused(_ script: String, _ count: Int) throws {
    let fixture = try ShellFixture("queue new raw --engine foundation")
    #expect(try fixture.error(of: script).message.contains("runs on Foundation"))
    let all = fixture.session.jobs.operations.all
    #expect(all.count == count)
    #expect(all.allSatisfy { $0.outcome == .cancelled })
    try fixture.run("queue remove raw; \(script.replacing(" --queue raw", with: "")); wait")
  }

  @Test("A cycle through an exclusive name and a group says how each waits for the next")
  func cycleOfOtherWaits() throws {
    let fixture = try ShellFixture(
      "group g --exclusive db { delay 1h --name k }; delay 1s --name o --exclusive db")
    let error = try fixture.error(of: "deps k on o")
    #expect(error.message == "the dependency would close a cycle: k → o → g → k")
    #expect(
      error.help
        == "'o' waits for 'g' for the exclusive name 'db'; 'g' waits for 'k' as one of its operations"
    )
  }

  @Test("A group that retries its operations makes one attempt itself")
  func attempts() throws {
    let fixture = try ShellFixture("group g --retry 2 { delay 1h --name k }")
    let group = try fixture.operation("g")
    #expect(try fixture.pump { group.state == .executing })
    #expect(try fixture.output(of: "why g").first?.contains("attempt") == false)
    #expect(try fixture.output(of: "why k").first?.contains("attempt 1 of 3") == true)
  }

  @Test(
    "A member can't wait for its group in any way",
    arguments: [
      "group g { delay 1s --after g }",
      "group g { group h { delay 1s --after g } }",
      "delay 1s --name out --hold; group g { group h { delay 1s --name in }; deps out on g; deps in on out }",
      "delay 1s --name out --hold; group g --hold { delay 1s --name in }; deps out on g; deps in on out",
      "group g --hold { delay 1s --name in }; delay 1s --name out --after g; delay 1s --queue g --after out",
      "group g --hold { delay 1s --name in }; deps g on in",
    ])
  func cycles(_ script: String) throws {
    let fixture = try ShellFixture("queue pause")
    #expect(try fixture.error(of: script).code == "dependency-cycle")
  }

  @Test(
    "A wait for a group covers its failed members, an expectation only the group",
    arguments: [
      ("wait sync --any-outcome", 0), ("wait --any-outcome", 0),
      ("wait a --any-outcome", 1), ("sleep 1ms", 1),
      ("expect (sync.outcome == failed) within 5s", 1),
      ("expect (sync.outcome == failed and a.outcome == failed) within 5s", 0),
    ])
  func failures(_ statement: String, _ status: Int32) throws {
    let outcome = try Opsh.run("group sync { block { fail \"no\" } --name a }; \(statement)")
    #expect(outcome.status == status, "\(outcome.errors)")
  }

  @Test("A failure in a group is reported once at the end, where the member was built")
  func toldOnce() throws {
    let outcome = try Opsh.run("group sync { block { fail \"no\" } --name a }")
    let errors = outcome.errors.split(separator: "\n").filter { $0.contains("error:") }
    #expect(errors.count == 1)
    #expect(errors.first?.contains("'a' failed (script: no") == true)
  }

  @Test("--retry of a group is the default of its members")
  func retries() throws {
    let fixture = try ShellFixture(
      """
      group g --retry 2 --backoff 1ms {
        block { fail "x" } --name a
        block { fail "x" } --retry 0 --name b
        group h --retry 1 { block { fail "x" } --name c }
        get /nowhere --name d --hold
      }
      wait --any-outcome
      """)
    #expect(try ["a", "b", "c"].map { try fixture.operation($0).attempts } == [3, 1, 2])
    #expect(try fixture.operation("d").retryPolicy?.limit == 2)
  }

  @Test("An interrupt during building ends the group like an error")
  func start() throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(of: "group sync { delay 1s --name a; start sync }")
    #expect(error.code == "under-construction")
    #expect(try fixture.operation("a").outcome == .cancelled)
    let waiting = try fixture.error(of: "group sync { delay 1s --name a; wait a }")
    #expect(waiting.code == "never-ends")
  }
}
