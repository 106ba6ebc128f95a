import Foundation
import TestSupport
import Testing

/// Transitions and observed changes in one chronological order.
@Suite("Order of transitions and changes", .timeLimit(.minutes(15)))
struct ObserveOrderTests {
  private static let script = """
    delay 5ms --name a --hold
    observe a isReady isExecuting isFinished --options prior,old,new
    start a; wait
    """

  private static func shape(of line: Substring) throws -> (text: String, elapsed: Double)? {
    let type = try #require(line.firstMatch(of: /"type":"([a-z]+)"/)).output.1
    guard ["transition", "change"].contains(type) else { return nil }
    let elapsed = try #require(
      line.firstMatch(of: /"elapsed":([0-9.e-]+)/).flatMap { Double($0.output.1) })
    if let to = line.firstMatch(of: /"to":"([a-z]+)"/)?.output.1 { return (String(to), elapsed) }
    let key = try #require(line.firstMatch(of: /"keyPath":"([A-Za-z]+)"/)).output.1
    return (line.contains("\"prior\":true") ? "before \(key)" : "after \(key)", elapsed)
  }

  @Test(
    "A willChange notification precedes its transition, didChange follows it; times never decrease")
  func json() throws {
    let outcome = try Opsh.run(Self.script, options: ["--json"])
    let lines = try outcome.output.split(separator: "\n").compactMap { try Self.shape(of: $0) }
    #expect(
      lines.map(\.text) == [
        "pending", "ready", "before isExecuting", "executing", "after isExecuting",
        "before isExecuting", "before isFinished", "finished", "after isExecuting",
        "after isFinished",
      ])
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.elapsed <= $1.elapsed })
  }

  @Test("Lines on one stream have the same order")
  func text() throws {
    let outcome = try Opsh.run(Self.script, options: ["--events", "stdout"])
    let lines = outcome.output.split(separator: "\n").map { line in
      line.split(separator: " ").dropFirst().prefix(4).joined(separator: " ")
    }
    #expect(
      lines == [
        "a created → pending", "a pending → ready", "a.isExecuting false → (prior)",
        "a ready → executing", "a.isExecuting false → true", "a.isExecuting true → (prior)",
        "a.isFinished false → (prior)", "a executing → finished", "a.isExecuting true → false",
        "a.isFinished false → true",
      ])
  }

  @Test("With many operations on many threads the times of all lines increase", arguments: 0..<4)
  func many(_ round: Int) throws {
    let outcome = try Opsh.run(
      """
      queue new q --width 8
      observe queue q operationCount --options prior,old,new
      for i in 1..40 { block --queue q --name "b$i" --hold { }; observe "b$i" isFinished isExecuting \
      --options prior,new }
      start all; wait
      """, options: ["--json"])
    #expect(outcome.status == 0)
    let times = try outcome.output.split(separator: "\n").compactMap {
      try Self.shape(of: $0)?.elapsed
    }
    #expect(times.count > 40 * 8)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test("An observer's body runs in the order of the changes")
  func bodies() throws {
    let fixture = try ShellFixture()
    try fixture.run(
      """
      let seen = ""
      delay 1ms --name a --hold
      observe a isExecuting isFinished --options prior,new { let seen = "$seen $change.keyPath:$change.prior" }
      start a; wait
      """)
    #expect(
      try fixture.text("($seen)")
        == " isExecuting:true isExecuting:false isExecuting:true isFinished:true "
        + "isExecuting:false isFinished:false")
  }

  @Test("Foundation's flags can be read in expressions, checked and completed")
  func flags() throws {
    let fixture = try ShellFixture("queue pause; delay 1ms --name a; delay 1ms --name b --after a")
    #expect(try fixture.text("(a.isReady)") == "true")
    #expect(try fixture.text("(b.isReady)") == "false")
    #expect(try fixture.text("(a.isExecuting or a.isFinished or a.isCancelled)") == "false")
    #expect(try fixture.text("(a.isAsynchronous)") == "true")
    try fixture.run("cancel b; queue resume; wait; expect (b.isFinished and b.isCancelled)")
    #expect(try fixture.text("(count of ops where isFinished and not isCancelled)") == "1")
    let checked = try Opsh.run("delay 1ms --name a; expect (a.isFinishd)", options: ["--check"])
    #expect(checked.status == 2)
    #expect(checked.errors.contains("did you mean 'isFinished'"))
  }
}
