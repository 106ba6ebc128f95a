import Foundation
import Testing

@testable import Operations

@Suite("WorldFold") struct WorldFoldTests {
  @Test("An entry about an operation that was never described throws")
  func undescribed() {
    let fold = WorldFold(
      engine: OperationEngine(), recorded: RecordedStart(date: .now, isVirtual: true),
      makeOperation: { _ in nil }, makeGroup: { _, _ in nil })
    #expect(throws: WorldFold.Mismatch.self) {
      try fold.apply(
        WorldFold.Entry(
          operation: 1, event: .pause, from: .created, to: .created, isCancelled: false,
          outcome: nil, reason: "", queue: nil),
        at: .seconds(1))
    }
    #expect(fold.engine.log.count == 0)
  }
}
