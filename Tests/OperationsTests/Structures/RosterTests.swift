import Support
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct RosterTests {
  @Test("A roster keeps the order of adding after any removals")
  func againstList() {
    let bench = Bench()
    var random = RandomSource(seed: 3)
    for _ in 0..<20 {
      var (roster, list) = (Roster(), [Plain]())
      for _ in 0..<600 {
        // Now it grows, now it shrinks to a quarter and less, so that gaps are closed.
        let grows = random.below(1_000) < (list.count < 100 ? 700 : 350)
        if grows || list.isEmpty {
          let operation = Plain(engine: bench.engine)
          roster.add(operation)
          list.append(operation)
        } else {
          roster.remove(list.remove(at: random.below(list.count)))
        }
        #expect(roster.count == list.count)
        #expect(roster.isEmpty == list.isEmpty)
      }
      #expect(roster.operations == list)
      var seen: [ObservableOperation] = []
      roster.forEach { seen.append($0) }
      #expect(seen == list)
      for operation in list { roster.remove(operation) }
      #expect(roster.isEmpty && roster.operations.isEmpty)
    }
  }

  @Test("A roster releases removed operations")
  func release() {
    let (bench, census) = (Bench(), Census())
    var roster = Roster()
    do {
      let operations = (0..<300).map { _ in Keeping(census, engine: bench.engine) }
      for operation in operations { roster.add(operation) }
      for operation in operations.dropLast(10) { roster.remove(operation) }
    }
    #expect(census.count == 10)
    #expect(roster.count == 10)
    for operation in roster.operations { roster.remove(operation) }
    #expect(census.count == 0)
  }
}
