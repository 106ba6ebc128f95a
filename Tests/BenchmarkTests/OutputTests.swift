import Foundation
import TestSupport
import Testing

/// What other programs rely on when they read `opsh-bench --json`.
@Suite("Benchmark output", .timeLimit(.minutes(15)))
struct OutputTests {
  private func run(_ arguments: String...) throws -> ChildProcess.Outcome {
    try ChildProcess.run(try BuiltProducts.executable("opsh-bench"), arguments: arguments)
  }

  private func object(_ line: Substring) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(value as? [String: Any], "\(line)")
  }

  private func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }

  @Test("Every line of --json is an object of the contract, and nothing else is on standard output")
  func contract() throws {
    let outcome = try run("--json", "--quick", "engine/chain/1000", "engine/independent/1000/live")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let objects = try outcome.output.split(separator: "\n").map { try object($0) }
    let names = objects.compactMap { $0["bench"] as? String }
    let measures = ["add", "drain", "total", "memory"].map { "engine/chain/1000/\($0)" }
    #expect(names == measures + ["engine/independent/1000/live"])
    for (object, name) in zip(objects, names) {
      #expect(Set(object.keys) == ["bench", "value", "unit", "peer", "peerValue", "ratio"])
      #expect(object["unit"] as? String == (name.hasSuffix("memory") ? "MB" : "s"))
      #expect(object["peer"] as? String == "Foundation")
      let value = try #require(number(object["value"]))
      let peerValue = try #require(number(object["peerValue"]))
      let ratio = try #require(number(object["ratio"]))
      #expect(value > 0)
      #expect(abs(ratio - value / peerValue) < 0.001 * ratio)
    }
  }

  @Test("A figure without a peer says so with nulls")
  func withoutPeer() throws {
    let outcome = try run("--json", "--quick", "engine/independent/10000/snapshot")
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 1, "\(outcome.output) \(outcome.errors)")
    let snapshot = try object(lines[0])
    #expect(["peer", "peerValue", "ratio"].allSatisfy { snapshot[$0] is NSNull })
  }

  @Test("Without --json there is a table with a row per benchmark")
  func table() throws {
    let outcome = try run("--quick", "engine/fan-out/1000")
    let rows = outcome.output.split(separator: "\n").filter { $0.hasPrefix("engine/fan-out/1000/") }
    #expect(rows.count == 4)
    #expect(outcome.output.contains("per operation"))
  }

  @Test(
    "A run for which memory is provided before does the same",
    arguments: [("plain", "total"), ("lateEdges", "total-late")])
  func provided(variant: String, figure: String) throws {
    let outcome = try run(
      "--engine-case", "inspectable", "random", "1000", variant, "provided")
    let seconds = outcome.output.split(separator: "\n").compactMap { line -> Double? in
      let parts = line.split(separator: " ")
      return parts.first == figure[...] ? parts.last.flatMap { Double($0) } : nil
    }
    #expect(outcome.status == 0 && seconds.count == 1 && seconds[0] > 0, "\(outcome.output)")
    let unknown = try run(
      "--engine-case", "inspectable", "random", "1000", variant, "something")
    #expect(unknown.status == 2 && unknown.output.isEmpty)
  }

  @Test("What cannot be asked for is refused", arguments: ["--frobnicate", "kitchen", "--opsh"])
  func misuse(argument: String) throws {
    let outcome = try run(argument)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("opsh-bench: "))
  }
}
