import Testing

@testable import Networking

@Suite("Parts of the transfer loop")
struct CurlLoopTests {
  @Test("Milliseconds are rounded up, so that no timer fires early")
  func milliseconds() {
    #expect(Duration.zero.wholeMilliseconds == 0)
    #expect(Duration.microseconds(1).wholeMilliseconds == 1)
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
  }

  @Test("A queue returns elements in insertion order for any mix of operations")
  func firstInFirstOut() {
    var queue = FirstInFirstOut<Int>()
    var expected = 0
    for number in 0..<100 {
      queue.append(number)
      if number.isMultiple(of: 3) {
        #expect(queue.popFirst() == expected)
        expected += 1
      }
    }
    while let number = queue.popFirst() {
      #expect(number == expected)
      expected += 1
    }
    #expect(expected == 100 && queue.isEmpty)
  }
}
