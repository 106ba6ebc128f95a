import Foundation
import Testing

@testable import Operations

@Suite("EngineReplay") struct EngineReplayTests {
  @Test("A replayed operation keeps as many pauses as one that runs")
  func pauses() throws {
    let engine = OperationEngine()
    let replay = EngineReplay(
      engine: engine, startDate: .now, isVirtual: false,
      makeOperation: { _ in Held(name: "a", engine: engine) }, makeGroup: { _ in nil })
    for number in 0..<150 {
      try replay.apply(
        EngineReplay.RecordedEntry(
          operation: 1, event: .pause, from: .created, to: .created, isCancelled: false,
          outcome: nil, reason: "pause \(number)", queue: nil),
        at: .seconds(number))
    }
    #expect(
      try replay.operation(1).pauses.map(\.reason) == (50..<150).map { "pause \($0)" })
  }
}
