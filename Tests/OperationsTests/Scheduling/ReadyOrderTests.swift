import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct ReadyOrderTests {
  private let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]

  @Test("The ready order behaves like a sorted list")
  func againstList() {
    let bench = Bench()
    for seed in 0..<60 {
      var random = RandomSource(seed: UInt64(seed) &* 1_000_003 &+ 9)
      var order = ReadyOrder()
      var list: [Plain] = []
      var unwanted: Set<Int> = []
      var lastOrder = 0
      var released: [AnyObject] = []
      func key(_ operation: Plain) -> (Int, Int) {
        (-operation.queuePriority.rawValue, operation.core.order)
      }
      func isWanted(_ operation: ObservableOperation) -> Bool { !unwanted.contains(operation.id) }
      func first() -> Plain? {
        list.filter(isWanted).min { key($0) < key($1) }
      }
      for _ in 0..<400 {
        switch random.below(10) {
        case 0..<4:
          let operation = Plain(engine: bench.engine)
          operation.queuePriority = levels[random.below(5)]
          lastOrder += 1
          // Now and then one that was added long ago is ready late.
          operation.core.order = random.below(4) == 0 ? lastOrder - 100_000 : lastOrder
          order.insert(operation)
          list.append(operation)
        case 4..<7:
          let expected = first()
          let next = order.popFirst(where: isWanted, released: &released)
          #expect(next === expected)
          list.removeAll { $0 === expected }
          if expected == nil { list = [] }
        case 7:
          #expect(order.first(where: isWanted, released: &released) === first())
        case 8 where !list.isEmpty:
          let operation = list[random.below(list.count)]
          operation.queuePriority = levels[random.below(5)]
          lastOrder += 1
          operation.core.order = lastOrder
          order.insert(operation)
        default:
          if let operation = list.randomElement(using: &random), random.below(3) == 0 {
            unwanted.insert(operation.id)
          } else {
            order.sweep(where: isWanted, released: &released)
            list.removeAll { !isWanted($0) }
            #expect(order.count == list.count)
          }
        }
        let counts = levels.reversed().map { level in
          list.filter { $0.queuePriority == level && isWanted($0) }.count
        }
        #expect(order.counts(where: isWanted) == counts)
      }
    }
  }

  @Test("The priority levels are Foundation's, the highest first")
  func levelNumbers() {
    let bench = Bench()
    let operation = Plain(engine: bench.engine)
    for (index, level) in levels.reversed().enumerated() {
      operation.queuePriority = level
      #expect(ReadyOrder.level(of: operation) == index)
    }
  }

  @Test("Discarded operations are handed back for release outside the lock")
  func released() {
    let (bench, census) = (Bench(), Census())
    var order = ReadyOrder()
    var released: [AnyObject] = []
    for _ in 0..<50 { order.insert(Keeping(census, engine: bench.engine)) }
    #expect(order.popFirst(where: { _ in false }, released: &released) == nil)
    #expect(released.count == 50 && census.count == 50)
    released = []
    #expect(census.count == 0 && order.count == 0)
  }

  @Test("A heap returns its elements in order, built at once or grown")
  func heap() {
    var random = RandomSource(seed: 11)
    for count in [0, 1, 2, 3, 10, 100, 257] {
      let numbers = (0..<count).map { _ in random.below(50) }
      var (built, grown) = (Heap(numbers), Heap<Int>())
      for number in numbers { grown.insert(number) }
      built.removeAll { $0 == 7 }
      var (one, two) = ([Int](), [Int]())
      while let next = built.popFirst() { one.append(next) }
      while let next = grown.popFirst() { two.append(next) }
      #expect(one == numbers.filter { $0 != 7 }.sorted())
      #expect(two == numbers.sorted())
    }
  }

  @Test("An operation inserted repeatedly counts once and takes no extra room")
  func offeredAgain() throws {
    let bench = Bench()
    var order = ReadyOrder()
    var released: [AnyObject] = []
    let operations = [Plain(engine: bench.engine), Plain(engine: bench.engine)]
    for (index, operation) in operations.enumerated() { operation.core.order = index + 1 }
    for _ in 0..<100 { for operation in operations { order.insert(operation) } }
    #expect(order.counts(where: { _ in true }) == [0, 0, 2, 0, 0])
    order.sweep(where: { _ in true }, released: &released)
    #expect(order.count == 2)
    for _ in 0..<100 { order.insert(operations[0]) }
    #expect(order.takeAll(where: { _ in true }, released: &released) == operations)

    // Through the engine: waiting again and again, on a queue that starts nothing.
    let queue = bench.queue(paused: true)
    let (one, other) = (bench.quick("one"), bench.quick("other"))
    try queue.addOperation(one)
    for _ in 0..<TestScale.count(10_000) {
      try one.depend(on: other)
      try one.removeDependency(on: other)
    }
    let reasons = try queue.step().map(\.reason)
    #expect(reasons == ["it is the only one that is ready"])
    drain(queue)
  }
}
