import Operations
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Durations of operations in expressions", .timeLimit(.minutes(15)))
struct LiveTimeTests {
  @Test(
    "'duration' and 'wait' are null until final; 'running' and 'waiting' grow",
    arguments: [
      ("delay 10s", "sleep 2s", "null 0 2 0"),
      ("delay 1s", "wait", "1 0 1 0"),
      ("queue pause; delay 1s", "sleep 3s", "null null null 3"),
      ("queue pause; delay 1s", "sleep 3s; cancel delay-1; queue resume; wait", "null 3 null 3"),
      ("delay 1s --hold", "sleep 1s", "null null null null"),
      ("delay 2s --exclusive x --name o; delay 1s --exclusive x", "wait", "1 2 1 2"),
    ])
  func values(_ script: String, _ then: String, _ expected: String) throws {
    let fixture = try ShellFixture("set clock virtual; " + script + "; " + then)
    let values = try ["duration", "wait", "running", "waiting"].map { name in
      try fixture.run("(delay-1.\(name))").text
    }
    #expect(values.joined(separator: " ").replacing(".0", with: "") == expected)
  }

  @Test("An expectation about a duration waits until the duration is known")
  func duration() throws {
    let fixture = try ShellFixture("set clock virtual; delay 3s; delay 10s")
    let error = try fixture.error(of: "expect (delay-1.duration < 1s) within 5s")
    #expect(error.message.contains("; delay-1.duration is 3"))
    try fixture.run("expect (delay-2.duration >= 10s) within 20s")
  }

  @Test("A filter compares final durations, and columns show the duration so far")
  func columns() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1s; delay 10s; sleep 4s")
    #expect(try fixture.output(of: "ops --where 'duration > 0' --columns id").count == 2)
    #expect(try fixture.output(of: "ops --where 'running > 2s' --columns id").last == " 2")
    let rows = try fixture.output(of: "ops --columns id,duration --sort -duration")
    #expect(rows.dropFirst().map { $0.split(separator: " ").last } == ["4.000", "1.000"])
    let shown = try fixture.output(of: "show delay-2")
    #expect(shown.contains { $0.hasPrefix("running") && $0.hasSuffix(" 4 s") })
    try fixture.run("sleep 500ms; delay 283us --name short; wait short")
    #expect(try fixture.output(of: "show short").last?.hasSuffix("  283 µs") == true)
  }

  @Test("Checking and completion support live durations")
  func known() throws {
    let fixture = try ShellFixture()
    let script = Parser.parse(
      SourceText(
        name: "test", text: "delay 1s; expect (delay-1.running > 1s or delay-1.waiting > x)"))
    let found = fixture.session.run.check(
      script, isWhole: true, in: fixture.shell.interpreter.makeContext())
    #expect(found.map(\.code) == ["type-mismatch"])
    #expect(Set(OperationObject.propertyNames).isSuperset(of: ["running", "waiting"]))
  }

  @Test("The progress that an operation reports is its property, even if it is not a request")
  func progress() throws {
    let session = try ShellFixture().session
    let operation = ConcurrentOperation<Void>(name: "own", engine: session.jobs.engine)
    let object = OperationObject(operation, clock: session.run.clock)
    #expect(object.property("progress")?.text == Value.null.text)
    operation.progress = 0.5
    #expect(object.property("progress")?.text == "0.5")
  }
}
