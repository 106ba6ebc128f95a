import Foundation
import Operations
import ShellLanguage
import OpshTerminal
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Reused names of operations", .timeLimit(.minutes(15)))
struct ReusedNameTests {
  private func names(_ fixture: ShellFixture) -> [String] {
    fixture.session.jobs.operations.all.map { "\($0.displayName) \($0.id)" }
  }

  @Test(
    "A name can be reused after its operation has finished",
    arguments: [
      ("group g { delay 1ms }; wait; group g { delay 1ms }; wait", ["g 1", "g 3"]),
      ("delay 1ms --name a; wait; delay 1ms --name a; wait", ["a 1", "a 2"]),
      ("for i in 1..3 { delay 1ms --name a; wait a }", ["a 1", "a 2", "a 3"]),
      ("delay 1s --name a; cancel a; wait; delay 1ms --name a; wait", ["a 1", "a 2"]),
      ("delay 1ms --name a --count 2; wait; delay 1ms --name a-2; wait", ["a-2 2", "a-2 3"]),
    ])
  func free(_ script: String, _ expected: [String]) throws {
    let fixture = try ShellFixture(script)
    let found = names(fixture)
    #expect(expected.allSatisfy(found.contains), "\(found)")
  }

  @Test("The same file can run twice in a session")
  func sourced() throws {
    let folder = try ScratchFolder()
    try folder.write("group g { delay 1ms --name part }\nwait g\n", to: "a.opsh")
    let fixture = try ShellFixture("source '\(folder.path)/a.opsh'; source '\(folder.path)/a.opsh'")
    #expect(names(fixture) == ["g 1", "part 2", "g 3", "part 4"])
  }

  @Test(
    "The name of an unfinished operation is rejected in every state",
    arguments: ["", " --hold", " --queue held"])
  func taken(_ options: String) throws {
    let fixture = try ShellFixture("queue new held --paused; delay 1h --name a\(options)")
    let error = try fixture.error(of: "delay 1ms --name a")
    #expect(error.code == "bad-name")
    #expect(error.message == "the name 'a' is taken: operation 1 has it and has not finished")
    #expect(error.help == "'wait a' before this statement, or choose another name")
    #expect(fixture.session.jobs.operations.count == 1)
  }

  @Test("A name means the newest operation, an id always the same one")
  func meaning() throws {
    let fixture = try ShellFixture(
      "delay 1ms --name a; wait; block --name a { echo (1 / 0) }; wait a --any-outcome")
    #expect(try fixture.text("(a.id)") == "2")
    #expect(try fixture.output(of: "show 1").contains { $0.hasSuffix("✓ succeeded") })
    #expect(try fixture.output(of: "show a").contains { $0.contains("✗") })
    #expect(try fixture.output(of: "log 1").allSatisfy { !$0.contains("✗") })
    #expect(try fixture.output(of: "log a").contains { $0.contains("✗") })
  }

  @Test("If a queue rejects the newer operation, its name means the finished one again")
  func withdrawn() throws {
    let fixture = try ShellFixture("delay 1ms --name a; wait")
    let registry = fixture.session.jobs.operations
    let first = try fixture.operation("a")
    let second = DelayOperation(name: "a", duration: .zero, engine: fixture.session.jobs.engine)
    registry.add(
      second, origin: .init(source: SourceText(name: "", text: ""), range: SourceRange(0, 0)))
    #expect(registry.operation(named: "a") === second)
    registry.withdraw([second])
    #expect(registry.operation(named: "a") === first)
    #expect(registry.last === first)
  }

  // MARK: Numbers

  @Test(
    "The number of an automatic name is never reused",
    arguments: [
      ("delay 1ms --name delay-1; wait; delay 1ms", "delay-2"),
      ("delay 1ms --name delay-2; wait; delay 1ms --count 2", "delay-3"),
      ("delay 1ms; wait; set keep 0; delay 1ms; wait; delay 1ms", "delay-3"),
      ("set keep 0; delay 1ms --name delay-1; wait; delay 1ms; wait; delay 1ms", "delay-3"),
      ("delay 1ms --name delay --count 3; wait; delay 1ms", "delay-4"),
      ("delay 1ms; wait; delay 1ms --name delay-1; wait; delay 1ms", "delay-2"),
      ("delay 1ms --name delay-007; delay 1ms --name delay-x; wait; delay 1ms", "delay-1"),
    ])
  func numbers(_ script: String, _ last: String) throws {
    let fixture = try ShellFixture(script)
    #expect(fixture.session.jobs.operations.lastIdentity?.name == last)
  }

  @Test("Numbers of chosen names are stored as ranges")
  func ranges() {
    var numbers = AutomaticNumbers()
    for number in 1...5000 { numbers.note("x-\(number)") }
    #expect(numbers.rangeCount(of: "x") == 1)
    #expect(numbers.next(for: "x") == "x-5001")
    #expect(numbers.rangeCount(of: "x") == 0, "what the counter has passed is forgotten")
    numbers.note("x-3")
    #expect(numbers.rangeCount(of: "x") == 0)
  }

  // MARK: Statements bind names

  @Test(
    "A waiting statement keeps the meaning that a name had at its start",
    arguments: [
      "expect (a.state == finished and b.state == finished) within 5s",
      "never (a.state == ready) until (b.state == finished)",
      "never (b.state == cancelled) until (a.id == 1 and b.state == finished)",
      "wait a", "delay 1ms --after a --name c; wait c",
    ])
  func binding(_ statement: String) throws {
    // a ends after 5 ms, and its name goes to an operation that no queue starts.
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new held --paused
      delay 5ms --name a
      delay 60ms --name b
      on a finished { delay 1ms --name a --queue held }
      """)
    try fixture.run(statement)
    #expect(try fixture.text("(a.id)") == (statement.contains("--after") ? "4" : "3"))
  }

  // MARK: Tables

  @Test("A table shows ids only for rows with equal names")
  func tables() throws {
    let fixture = try ShellFixture(
      """
      delay 1ms --name a; wait; delay 1ms --name a --after a; wait; delay 1ms --name b --after 1; wait
      """)
    let columns = try fixture.output(of: "ops --columns name")
    #expect(
      columns.map { $0.trimmingCharacters(in: .whitespaces) } == ["name", "a (1)", "a (2)", "b"])
    #expect(try !fixture.output(of: "ops --columns id,name").joined().contains("("))
    #expect(try fixture.output(of: "deps 2")[0].hasPrefix("a (2) depends on"))
    #expect(try fixture.output(of: "deps 2")[1].hasPrefix("  a (1), "))
    #expect(try fixture.output(of: "deps b")[1].hasPrefix("  a, "))
    let tree = try fixture.output(of: "tree")
    #expect(tree.contains { $0.hasPrefix("a (1)  delay") })
    #expect(tree.contains { $0.hasSuffix("after a (1), finished") })
    let timeline = try fixture.output(of: "timeline")
    #expect(timeline.contains { $0.hasPrefix("a (2) ") })
    #expect(try fixture.output(of: "timeline 2").contains { $0.hasPrefix("a  ") })
    #expect(try fixture.output(of: "log").contains { $0.contains("  a (2) ") })
    #expect(try fixture.output(of: "log 2").allSatisfy { !$0.contains("(2)") })
  }

  // MARK: save and completion

  @Test("A saved script waits only for the newest operation of a name")
  func save() throws {
    let fixture = try ShellFixture()
    let folder = try ScratchFolder()
    for line in ["delay 1ms --name a; wait a; delay 20ms --name a --hold", "delay 1ms --name b"] {
      try fixture.session.run.noting(typed: line) {
        try fixture.run(line)
        return .whole
      }
    }
    try fixture.run("save '\(folder.path)/x.opsh'")
    // The first 'a' finished before the second could be built; the second is held.
    #expect(folder.read("x.opsh")?.contains("wait a --any-outcome") == false)
  }

  @Test("Completion offers a reused name once, for the newest operation")
  func completion() throws {
    let fixture = try ShellFixture("delay 1ms --name alpha; wait; delay 1h --name alpha")
    let found = Completer(shell: fixture.shell).completions(for: "show alp", cursor: 8)
    #expect(found.candidates.map(\.text) == ["alpha"])
    #expect(found.candidates.first?.summary == "delay, executing")
  }
}
