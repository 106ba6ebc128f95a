import Foundation
import TestSupport
import Testing

@Suite("The order of a run's output", .timeLimit(.minutes(15)))
struct OutputOrderTests {
  private static let script = "block { echo TEXT; echo MORE } --name b; wait"
  /// So often, because threads race where nothing orders them.
  private static let rounds = 20

  private func lines(of outcome: ChildProcess.Outcome) -> [String] {
    outcome.output.split(separator: "\n").map(String.init)
  }

  /// Where the text of a body and the transition that started it stand.
  private func places(in lines: [String]) throws -> (text: Int, start: Int, more: Int, end: Int) {
    func place(_ part: String) throws -> Int {
      try #require(lines.firstIndex { $0.contains(part) }, "\(part) in \(lines)")
    }
    return (
      try place("TEXT"),
      try lines.firstIndex { $0.contains("\"to\":\"executing\"") }
        ?? place("ready → executing"), try place("MORE"),
      try lines.firstIndex { $0.contains("\"to\":\"finished\"") } ?? place("executing → finished")
    )
  }

  private func expectOrder(in lines: [String]) throws {
    let places = try places(in: lines)
    let order = [places.start, places.text, places.more, places.end]
    #expect(order == order.sorted(), "\(lines)")
  }

  @Test(
    "A body's text comes after the transition that started it, in one file with the transitions",
    arguments: ["", "set clock virtual; "])
  func oneFile(_ clock: String) throws {
    for _ in 0..<Self.rounds {
      let outcome = try Opsh.shell("'\(clock)\(Self.script)'", then: "2>&1")
      try expectOrder(in: lines(of: outcome))
    }
  }

  @Test("A body's text comes after the transition that started it, among objects")
  func objects() throws {
    for _ in 0..<Self.rounds {
      let outcome = try Opsh.run(Self.script, options: ["--json"])
      try expectOrder(in: lines(of: outcome))
      let numbers = lines(of: outcome).compactMap { line in
        line.firstMatch(of: /"sequence":(\d+)/).flatMap { Int($0.1) }
      }
      #expect(numbers == numbers.sorted())
    }
  }

  @Test("A body's text comes after the transition that started it, in a transcript")
  func transcript() throws {
    let folder = try ScratchFolder()
    for round in 0..<Self.rounds {
      let path = folder.path + "/\(round).transcript"
      let outcome = try Opsh.run(Self.script, options: ["--transcript", path])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines = try #require(folder.read("\(round).transcript")).split(separator: "\n")
      try expectOrder(in: lines.filter { !$0.hasPrefix("opsh") }.map(String.init))
    }
  }

  @Test("On the virtual clock, transitions come where the body has caused them")
  func insideBody() throws {
    let outcome = try Opsh.shell(
      "'set clock virtual; block { echo TEXT; delay 1s --name d; echo MORE } --name b; wait'",
      then: "2>&1")
    let lines = self.lines(of: outcome)
    let first = try #require(lines.firstIndex { $0.contains(" d ") })
    let last = try #require(lines.firstIndex { $0.hasPrefix("MORE") })
    #expect(first < last, "\(lines)")
  }

  @Test(
    "A transition never continues the line of a result, and the result's bytes stay as they are")
  func sharedLine() throws {
    let script =
      "'run --name p printf abc; wait; delay 20ms --name q; result p; wait; result p; result p'"
    let both = lines(of: try Opsh.shell(script, then: "2>&1"))
    #expect(both.contains("abc"), "\(both)")
    #expect(both.last == "abcabc")
    let alone = try Opsh.shell(script, then: "2>/dev/null")
    #expect(alone.output == "abcabcabc")
  }

  @Test("A body's result without a final newline shares no line with the transitions")
  func resultInBody() throws {
    let outcome = try Opsh.shell(
      "'run --name p printf abc; wait; block { result p } --name b; wait'", then: "2>&1")
    #expect(lines(of: outcome).contains("abc"), "\(outcome.output)")
  }
}
