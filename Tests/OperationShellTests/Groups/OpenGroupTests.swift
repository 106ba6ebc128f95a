import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Open groups", .timeLimit(.minutes(15)))
struct OpenGroupTests {
  @Test("A handler of the last member adds to a group that is open, until 'close'")
  func handler() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      group g --open { delay 1s --name m }
      on m finished { delay 2s --queue g --name more; close g }
      wait
      expect (g.outcome == succeeded and g.duration == 3)
      """)
    #expect(try fixture.operation("more").group === fixture.operation("g"))
  }

  @Test(
    "Adding to a group that has finished is always the same error",
    arguments: [
      "group g { delay 1s --name m }; on m finished { delay 1s --queue g }; wait",
      "group g { delay 1s --name m }; wait; delay 1s --queue g",
      "group g --open { delay 1s }; close g; wait; delay 1s --queue g",
    ])
  func finished(_ script: String) throws {
    let error = try ShellFixture("set clock virtual").error(of: script)
    #expect(error.code == "group-finished", "\(error)")
    #expect(error.message == "group 'g' has finished and takes no more operations")
    #expect(error.help == "'group NAME --open { … }' keeps a group open until 'close NAME'")
  }

  @Test("'why', 'show', 'tree' and 'doctor' say that a group is open")
  func words() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      group g --open { delay 1s }
      delay 1s --name after --after g
      sleep 500ms
      """)
    #expect(
      try fixture.output(of: "tree g").contains { $0.contains("waits for delay-1 in it, open") })
    try fixture.run("sleep 2s")
    let text = "group 'g' is open, and nothing is left in it  → close g"
    #expect(try fixture.output(of: "why g") == ["g is executing and waits because", "  \(text)"])
    #expect(try fixture.output(of: "why after").last == "    \(text)")
    #expect(
      try fixture.output(of: "show g").contains("open       it takes more until 'close g'"))
    #expect(
      try fixture.output(of: "tree g").contains { $0.contains("is open, and 'close' ends it") })
    #expect(try fixture.output(of: "doctor").contains { $0.hasSuffix(text) })
    try fixture.run("close g; wait")
  }

  @Test(
    "'close' is only for groups that are open",
    arguments: [
      ("group g { delay 60s }; close g", "group 'g' is not open"),
      ("group g --open { delay 60s }; close g; close g", "group 'g' is not open"),
      ("group g --open { delay 1ms }; close g; wait; close g", "group 'g' has finished"),
      ("delay 60s --name d; close d", "'d' is not a group"),
      ("group g --open { }; group h { delay 60s }; close g h", "group 'h' is not open"),
    ])
  func refused(_ script: String, _ message: String) throws {
    let error = try ShellFixture().error(of: script)
    #expect(error.code == "not-open" && error.message == message, "\(error)")
  }

  @Test(
    "The check finds a 'close' of a group that no statement opens",
    arguments: [
      ("group g { delay 1ms }\nclose g", 2), ("delay 1ms --name g\nclose g", 2),
      ("group g --open { delay 1ms }\nclose g", nil),
      ("for n in 1..2 { group g-$n --open { delay 1ms } }\nclose g-1", nil),
    ])
  func check(_ script: String, _ line: Int?) throws {
    let outcome = try Opsh.run(script, options: ["--check"])
    #expect(outcome.status == (line == nil ? 0 : 2), "\(outcome.errors)")
    if let line {
      #expect(outcome.errors.contains("-c:\(line):7: error: there is no open group 'g'"))
    }
  }

  @Test("A group that is left open at the end of a script is named with its cure")
  func leftOver() throws {
    let outcome = try Opsh.run("set clock virtual; group g --open { delay 1s }")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "'g' can't run any more: group 'g' is open, and nothing is left in it"))
    #expect(outcome.errors.contains("('close g')"))
  }

  @Test("A retried group is open again, and a recorded one keeps its reason")
  func again() throws {
    let fixture = try ShellFixture(
      "set clock virtual; group g --open { delay 1s }; close g; wait; retry g; sleep 2s")
    let group = try #require(try fixture.operation("g") as? GroupOperation)
    #expect(group.id == 3 && group.isOpen && group.finishWait == .close)
  }
}
