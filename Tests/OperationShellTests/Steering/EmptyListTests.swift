import Foundation
import Operations
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Empty lists as operands, and lists of operations", .timeLimit(.minutes(5)))
struct EmptyListTests {
  private func fixture() throws -> ShellFixture {
    try ShellFixture("set clock virtual; delay 1h --name a; queue pause; let e = (list())")
  }

  @Test(
    "A command that acts on operations does nothing for an empty list",
    arguments: [
      "wait $e", "wait $e --any-outcome", "wait (list())", "wait $@", "cancel $e", "cancel $@",
      "retry $e", "start $e", "priority $e high", "qos $e background", "on $e finished { echo x }",
      "deps a on $e", "deps a off $e", "fetch tweets $e",
    ])
  func doesNothing(_ command: String) throws {
    let fixture = try fixture()
    let count = fixture.session.jobs.engine.log.count
    try fixture.run(command)
    #expect(fixture.session.jobs.engine.log.count == count)
    #expect(fixture.session.run.clock.now - fixture.session.run.clock.startInstant < .seconds(1))
    #expect(try fixture.operation("a").state == .executing)
    #expect(try fixture.operation("a").queuePriority == .normal)
    #expect(fixture.session.jobs.operations.count == 1)
    try fixture.run("cancel all")
  }

  @Test(
    "A list of operations, faults or tags shows or removes none for an empty list, never all",
    arguments: [
      ("ops $e", "none of that kind"), ("tree $e", "no operations yet"),
      ("log $e", "nothing was recorded"), ("timeline $e", "no operations to show"),
      ("blame $e", "no operations"),
    ])
  func showsNone(_ command: String, _ text: String) throws {
    let fixture = try fixture()
    let shown = try fixture.shown(by: command).joined()
    #expect(shown.contains(text) && !shown.contains("executing"), "\(shown)")
    #expect(try fixture.shown(by: String(command.dropLast(3))).joined().contains("a"))
    #expect(try fixture.shown(by: "why $e").isEmpty)
    try fixture.run("cancel all")
  }

  @Test("An empty list of faults or tags removes none")
  func removesNone() throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.dataDirectory = folder.path
    let fixture = try ShellFixture(
      "server fault status-500; tags add swift; let e = (list())", configuration)
    try fixture.run("server fault off $e; tags remove $e")
    #expect(try fixture.shown(by: "server").joined().contains("status-500"))
    #expect(try fixture.shown(by: "tags list").joined().contains("swift"))
    try fixture.run("server fault off; tags remove swift")
    #expect(try !fixture.shown(by: "server").joined().contains("status-500"))
  }

  @Test(
    "A command that needs a value refuses an empty list",
    arguments: [
      "exit $e", "exit $@", "exit (list())", "show $e", "result $e", "result tweets $e",
      "queue resume $e", "queue drain $e", "wait queue $e", "deps $e", "follow $e", "sleep $e",
      "events filter $e", "fail $e", "name $e b", "finish $e",
    ])
  func needsValue(_ command: String) throws {
    let fixture = try fixture()
    let error = try fixture.error(of: command)
    #expect(error.code == "missing-argument" && error.exitStatus == 1, "\(error)")
    #expect(error.message.contains("empty"))
    let context = fixture.shell.interpreter.makeContext(source: error.source)
    #expect(fixture.session.run.corrected(error, in: context).help == error.help)
    try fixture.run("cancel all")
  }

  @Test("'--count' gives a list, also of one operation, and 'retry' builds one from it")
  func countOfOne() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      let one = delay 1s --count 1
      let n = 1
      let other = block { (5) } --count $n
      let groups = group g --count 1 { delay 1s }
      let plain = delay 1s
      wait $one $other
      let again = retry $one[0]
      """)
    let shown = try fixture.run(
      "(\"${one.count} ${other.count} ${groups.count} ${plain.name} ${again.name} ${$one[0].state}\")"
    )
    #expect(shown.text == "1 1 1 delay-3 delay-4 finished")
    try fixture.run("for x in $one { expect ($x.outcome == succeeded) }")
    try fixture.run("wait")
  }

  @Test("A 'def' takes a list of operations as one argument")
  func definition() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      def slow ops level { priority $ops $level; wait $ops }
      let both = delay 1s --count 2
      """)
    try fixture.run("slow $both high")
    #expect(try fixture.operation("delay-2").queuePriority == .high)
    #expect(try fixture.operation("delay-2").state == .finished)
  }
}
