import OpshLocking
import Testing

@testable import OpshNetworking

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

  @Test("The longest of several pauses counts, and five minutes are the most")
  func longest() {
    let pacer = RequestPacer()
    let start = ContinuousClock.now
    pacer.pause("a", for: .seconds(60), now: start, cause: "long")
    pacer.pause("a", for: .seconds(1), now: start, cause: "short")
    #expect(pacer.pause(of: "a", now: start) == .init(end: start + .seconds(60), cause: "long"))
    pacer.pause("a", for: .seconds(7_200), now: start, cause: "longest")
    #expect(
      pacer.pause(of: "a", now: start) == .init(end: start + .seconds(300), cause: "longest"))
    #expect(pacer.pause(of: "a", now: start + .seconds(300)) == nil)
  }

  @Test("Pauses that last are kept, however many")
  func many() {
    let pacer = RequestPacer()
    let start = ContinuousClock.now
    for number in 0..<2_000 { pacer.pause("method-\(number)", for: .seconds(1), now: start) }
    #expect(pacer.pause(of: "method-0", now: start)?.end == start + .seconds(1))
  }
}
