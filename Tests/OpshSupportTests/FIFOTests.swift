import Testing

@testable import OpshSupport

@Suite("FIFO")
struct FIFOTests {
  @Test(
    "Elements are taken in the order in which they were added, for any mix of operations",
    arguments: [100, 10_000])
  func order(count: Int) {
    var line = FIFO<Int>()
    var expected = 0
    for number in 0..<count {
      line.append(number)
      if number.isMultiple(of: 3) {
        #expect(line.popFirst() == expected)
        expected += 1
      }
      #expect(line.count == number + 1 - expected)
    }
    while let number = line.popFirst() {
      #expect(number == expected)
      expected += 1
    }
    #expect(expected == count && line.isEmpty)
  }
}
