import Foundation
import Operations
import Testing

@Suite struct ChangeStoreTests {
  @Test("Changes are kept in order, with the values they had, as many as entries")
  func store() throws {
    let bench = Bench()
    let queue = bench.queue("q", width: 2)
    let (first, second) = (bench.held("a"), bench.held("b"))
    try second.depend(on: first, policy: .skip)
    second.queuePriority = .veryHigh
    second.queuePriority = .veryLow
    try second.removeDependency(on: first)
    second.exclusiveNames = ["x"]
    queue.pace = .seconds(2)
    let (changes, next) = bench.engine.log.changes(from: 0, limit: .max)
    #expect(
      changes.map(\.event) == [
        .width(old: nil, new: 2), .renamed(old: nil, new: queue.name),
        .dependency(first.id, old: nil, new: .skip),
        .priority(old: .normal, new: .veryHigh), .priority(old: .veryHigh, new: .veryLow),
        .dependency(first.id, old: .skip, new: nil), .exclusiveNames(old: [], new: ["x"]),
        .pace(old: .zero, new: .seconds(2)),
      ])
    #expect(changes.map(\.sequence) == Array(0..<8) && next == 8)
    #expect(
      changes.map(\.subject) == [.queue(queue.id), .queue(queue.id)]
        + Array(repeating: .operation(second.id), count: 5) + [.queue(queue.id)])
    #expect(bench.engine.log.changes(from: 5, limit: 1).changes.map(\.sequence) == [5])
    bench.engine.log.setCapacity(0)
    for width in 0..<20_000 { try queue.setWidth(3 + width) }
    let kept = bench.engine.log.changes(from: 0, limit: .max).changes
    #expect(bench.engine.log.changeCount == 20_008 && kept.last?.sequence == 20_007)
    #expect(kept.count < 10_000 && kept.last?.event == .width(old: 20_001, new: 20_002))
  }
}
