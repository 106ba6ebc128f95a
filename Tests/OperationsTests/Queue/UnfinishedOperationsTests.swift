import OpshSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct UnfinishedOperationsTests {
  @Test("The list of unfinished operations keeps the order of adding after any removals")
  func againstList() {
    let bench = Bench()
    var random = RandomSource(seed: 3)
    for _ in 0..<20 {
      var (unfinished, list) = (UnfinishedOperations(), [Plain]())
      for _ in 0..<600 {
        // Now it grows, now it shrinks to a quarter and less, so that gaps are closed.
        let grows = random.below(1_000) < (list.count < 100 ? 700 : 350)
        if grows || list.isEmpty {
          let operation = Plain(engine: bench.engine)
          unfinished.add(operation)
          list.append(operation)
        } else {
          unfinished.remove(list.remove(at: random.below(list.count)))
        }
        #expect(unfinished.count == list.count)
        #expect(unfinished.isEmpty == list.isEmpty)
      }
      #expect(unfinished.operations == list)
      var seen: [ObservableOperation] = []
      unfinished.forEach { seen.append($0) }
      #expect(seen == list)
      for operation in list { unfinished.remove(operation) }
      #expect(unfinished.isEmpty && unfinished.operations.isEmpty)
    }
  }

  @Test("The list of unfinished operations releases removed operations")
  func release() {
    let (bench, census) = (Bench(), Census())
    var unfinished = UnfinishedOperations()
    do {
      let operations = (0..<300).map { _ in Keeping(census, engine: bench.engine) }
      for operation in operations { unfinished.add(operation) }
      for operation in operations.dropLast(10) { unfinished.remove(operation) }
    }
    #expect(census.count == 10)
    #expect(unfinished.count == 10)
    for operation in unfinished.operations { unfinished.remove(operation) }
    #expect(census.count == 0)
  }
}
