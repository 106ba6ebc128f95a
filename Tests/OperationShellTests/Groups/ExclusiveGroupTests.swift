import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import OpshTerminal
import Testing

@testable import ShellSession

@Suite("Exclusive names of groups", .timeLimit(.minutes(15)))
struct ExclusiveGroupCommandTests {
  @Test(
    "Building a member that needs an exclusive name of an enclosing group is an error",
    arguments: [
      "group outer --exclusive disk { delay 1ms --exclusive disk --name member }",
      "group outer --exclusive disk { group inner { delay 1ms --exclusive disk --name member } }",
      "group outer --exclusive disk { delay 1h --name first }; "
        + "delay 1ms --exclusive disk --name member --queue outer",
    ])
  func refused(_ script: String) throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(of: script)
    #expect(error.code == "exclusive-conflict", "\(error.message)")
    #expect(error.message.contains("'disk'") && error.message.contains("'outer'"))
    // The member is withdrawn, or was cancelled with its group.
    let member = fixture.session.jobs.operations.operation(named: "member")
    #expect(member?.state ?? .finished == .finished)
  }

  @Test("A rejected change is shown as a line and as a transition from a state to itself")
  func shown() throws {
    let fixture = try ShellFixture("delay 1h --name a --hold; delay 1h --name b --after a --hold")
    try fixture.operation("a").addDependency(try fixture.operation("b"))
    let engine = fixture.session.jobs.engine
    let entry = try #require(engine.log.entries(from: 0, limit: 100).entries.last)
    var text = TransitionText()
    let line = text.line(for: entry, clock: fixture.session.run.clock).plain
    #expect(line.contains("created, refused"))
    #expect(line.contains("dependency refused: the dependency would close a cycle: a → b → a"))
    let fields = EventFeed.fields(of: entry)
    #expect(fields.value["from"] == .string("created") && fields.value["to"] == .string("created"))
    #expect(try fixture.output(of: "log a").joined().contains("would close a cycle"))
  }
}
