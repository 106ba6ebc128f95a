import Foundation
import Operations
import OpshTerminal
import Testing

@testable import ShellOutput
@testable import ShellSession

@Suite("Lines of transitions")
struct TransitionTextTests {
  private struct Refused: Error {}

  /// The log of operations that ran one after the other, each with a different outcome.
  private func entries(names: [String]) throws -> (OperationEngine, [EventLog.Entry]) {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    for name in names {
      try queue.addOperation(BlockingOperation(name: name, engine: engine) { _ in nil })
    }
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    return (engine, engine.log.entries(from: 0, limit: 1000).entries)
  }

  private func column(of text: String, in line: String) -> Int? {
    line.range(of: text).map { TextWidth.columns(of: String(line[..<$0.lowerBound])) }
  }

  @Test("Names and changes are aligned in columns, including wide characters")
  func columns() throws {
    let (engine, entries) = try entries(names: ["a", "名前", "questions-1"])
    var text = TransitionText()
    let clock = SessionClock(startInstant: engine.startInstant)
    var starts: Set<Int> = []
    var reasons: Set<Int> = []
    for entry in entries {
      let line = text.line(for: entry, clock: clock).plain
      let change = "\(entry.from.rawValue) → \(entry.to.rawValue)"
      starts.insert(try #require(column(of: change, in: line)))
      let reason = line.range(of: change).map { line[$0.upperBound...] } ?? ""
      let padding = reason.prefix { $0 == " " }.count
      if !entry.reason.isEmpty {
        reasons.insert(
          TextWidth.columns(of: line) - TextWidth.columns(of: String(reason)) + padding)
      }
    }
    #expect(starts == [21])
    #expect(reasons == [43])
  }

  @Test("A longer name permanently widens the column, up to a limit")
  func widening() throws {
    let (engine, entries) = try entries(names: [
      "a", String(repeating: "n", count: 20), "b", String(repeating: "m", count: 60), "c",
    ])
    var text = TransitionText()
    let clock = SessionClock(startInstant: engine.startInstant)
    var starts: [String: Int] = [:]
    for entry in entries where entry.to == .finished {
      starts[entry.operation.name] = column(
        of: "executing", in: text.line(for: entry, clock: clock).plain)
    }
    #expect(starts["a"] == 21)
    #expect(starts["b"] == 30)
    #expect(starts["c"] == 42)
  }

  @Test(
    "Times are right-aligned seconds with milliseconds",
    arguments: [
      (0.0, " 0.000"), (0.3124, " 0.312"), (59.9996, "60.000"), (123.4, "123.400"),
      (123_456.7, "123456.700"),
    ])
  func times(_ seconds: Double, _ expected: String) {
    #expect(TransitionText.time(seconds) == expected)
  }

  @Test("Each outcome has its symbol, and control characters in reasons are escaped")
  func outcomes() throws {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    let failing = BlockingOperation(name: "bad", engine: engine) { _ in
      throw OperationFailure(code: "script", message: "\u{1B}[2J\nmore")
    }
    let skipped = DelayOperation(name: "skipped", duration: .zero, engine: engine)
    try skipped.depend(on: failing, policy: .skip)
    queue.isSuspended = true
    let cancelled = DelayOperation(name: "gone", duration: .zero, engine: engine)
    try queue.addOperations([failing, skipped, cancelled], waitUntilFinished: false)
    cancelled.cancel()
    queue.isSuspended = false
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    var text = TransitionText()
    let clock = SessionClock(startInstant: engine.startInstant)
    let lines = engine.log.entries(from: 0, limit: 100).entries.map {
      (entry: $0, line: text.line(for: $0, clock: clock).plain)
    }
    func last(_ name: String) -> String? { lines.last { $0.entry.operation.name == name }?.line }
    #expect(last("bad")?.contains("  ✗ ") == true)
    #expect(last("bad")?.contains("^[[2J") == true)
    #expect(last("skipped")?.contains("  ↷ ") == true)
    #expect(last("gone")?.contains("  ⊘ ") == true)
    #expect(
      lines.contains { $0.entry.event == .cancelling && $0.line.contains("ready, cancelled") })
    for line in lines.map(\.line) {
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
  }
}
