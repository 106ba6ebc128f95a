import Locking
import Testing

@testable import Networking

@Suite("RequestPacer")
struct RequestPacerTests {
  @Test("Pauses that are over are forgotten, also of methods that are never called again")
  func forgotten() {
    let pacer = RequestPacer()
    let start = ContinuousClock.now
    for number in 0..<5_000 {
      pacer.pause("method-\(number)", for: .seconds(1), now: start + .seconds(number))
    }
    #expect(pacer.pauses.withLock { $0.of.count } <= 1_000)
    let last = start + .seconds(4_999)
    #expect(pacer.pause(of: "method-4999", now: last)?.end == last + .seconds(1))
  }

  @Test("Pauses that last are kept, however many")
  func many() {
    let pacer = RequestPacer()
    let start = ContinuousClock.now
    for number in 0..<2_000 { pacer.pause("method-\(number)", for: .seconds(1), now: start) }
    #expect(pacer.pause(of: "method-0", now: start)?.end == start + .seconds(1))
  }
}
