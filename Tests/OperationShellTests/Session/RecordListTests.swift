import Foundation
import Testing

@testable import ShellSession

@Suite("Lists and tallies of records")
struct RecordListTests {
  @Test("After any removals the list stays in order and never reuses a number")
  func list() {
    var generator = SeededGenerator(seed: 5)
    var list = RecordList<Int>()
    var model: [Int] = []
    for _ in 0..<2000 {
      if Int.random(in: 0..<3, using: &generator) > 0 {
        let number = list.append(list.lastNumber + 1)
        model.append(number)
      } else if let gone = model.randomElement(using: &generator) {
        list.remove(gone)
        list.remove(gone)
        model.removeAll { $0 == gone }
      }
    }
    #expect(list.all == model)
    #expect(list.count == model.count)
    for number in [0, 1, 500, list.lastNumber - 1, list.lastNumber, list.lastNumber + 5] {
      #expect(list.added(after: number) == model.filter { $0 > number })
    }
  }

  @Test("A number set contains the inserted numbers")
  func numbers() {
    var set = NumberSet()
    for number in [0, 1, 63, 64, 1000] { set.insert(number) }
    for number in -1...1100 {
      #expect(set.contains(number) == [0, 1, 63, 64, 1000].contains(number), "\(number)")
    }
  }

  @Test(
    "The median of a distribution is accurate to a few hundredths",
    arguments: [1, 999, 1_000_000, 123_456_789, 90_000_000_000])
  func median(_ nanoseconds: Int) {
    var distribution = TimeDistribution()
    #expect(distribution.quantile(0.5) == nil)
    for factor in 1...101 { distribution.add(.nanoseconds(nanoseconds) * factor) }
    distribution.add(.zero)
    let exact = Duration.nanoseconds(nanoseconds) * 51
    let median = distribution.quantile(0.5) ?? .zero
    #expect(abs(median / exact - 1) < 0.04, "\(median)")
    #expect(distribution.longest == .nanoseconds(nanoseconds) * 101)
    #expect(distribution.count == 102)
    var sum = distribution
    sum.add(distribution)
    #expect(sum.count == 204)
    #expect(abs((sum.quantile(0.5) ?? .zero) / exact - 1) < 0.04)
  }
}
