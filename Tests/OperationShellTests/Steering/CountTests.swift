import Foundation
import Operations
import Testing

@testable import ShellSession

@Suite("'--count'", .timeLimit(.minutes(5)))
struct CountTests {
  @Test("The first of many operations execute while the others are being built")
  func realTime() throws {
    let fixture = try ShellFixture("delay 1h --count 3000")
    let (executing, added) = Self.places(in: fixture)
    #expect(added.count == 3000)
    #expect(try #require(executing.first) < added[1024])
    try fixture.run("cancel all; wait")
  }

  @Test("In virtual time all are added before the first executes, so each run has the same log")
  func virtualTime() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1h --count 3000")
    let (executing, added) = Self.places(in: fixture)
    #expect(added.count == 3000)
    #expect(try #require(executing.first) > #require(added.last))
    try fixture.run("cancel all; wait")
  }

  @Test("Each of many has its number, its dependency and its queue")
  func options() throws {
    let fixture = try ShellFixture(
      "queue new q; delay 1h --name first; delay 0s --name d --count 2500 --after first --queue q")
    try fixture.run("expect ((count of ops where name matches 'd-*' and queue == q) == 2500)")
    try fixture.run("expect (last.name == 'd-2500')")
    #expect(try fixture.operation("d-2500").dependencies.map(\.name) == ["first"])
    try fixture.run("cancel first; wait; expect (d-1.state == finished and d-2500.finished)")
  }

  /// The places in the log where operations began to execute, and where they were added.
  private static func places(in fixture: ShellFixture) -> (executing: [Int], added: [Int]) {
    let entries = fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
    return (
      entries.filter { $0.to == .executing }.map(\.sequence),
      entries.filter { $0.from == .created && $0.to != .created }.map(\.sequence)
    )
  }
}
