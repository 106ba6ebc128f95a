import Operations
import TestSupport
import Testing

@testable import ShellSession

@Suite("Adaptive width", .timeLimit(.minutes(15)))
struct AdaptiveWidthTests {
  /// A network that delivers at most `capacity` responses per second, each after at least 10 ms;
  /// with more than `breaking` concurrent requests, all fail.
  private struct Network {
    var capacity: Double
    var breaking = Int.max
    var now = ContinuousClock.now

    mutating func run(
      _ width: inout AdaptiveWidth, rounds: Int
    ) -> [AdaptiveWidth.Decision] {
      var decisions: [AdaptiveWidth.Decision] = []
      for _ in 0..<rounds {
        let parallel = width.width
        let seconds = max(0.01, Double(parallel) / capacity)
        let end = now + .seconds(seconds)
        for _ in 0..<parallel {
          let sample = AdaptiveWidth.Sample(
            bytes: 1000, started: now, finished: end,
            failure: parallel > breaking ? "connection-refused" : nil)
          if let decision = width.note(sample) { decisions.append(decision) }
        }
        now = end
      }
      return decisions
    }
  }

  @Test("The width grows while throughput grows, and then stays", arguments: [200.0, 400, 800])
  func grows(capacity: Double) {
    var width = AdaptiveWidth(width: 1)
    var network = Network(capacity: capacity)
    let decisions = network.run(&width, rounds: 60)
    // The number of concurrent requests of 10 ms each that fills the network.
    let ideal = Int(capacity / 100)
    #expect((ideal...(ideal * 2)).contains(width.width), "\(decisions)")
    #expect(decisions.allSatisfy { !$0.reason.isEmpty })
    #expect(decisions.contains { $0.reason.contains("instead of") })
  }

  @Test("The width shrinks if requests fail")
  func retreats() {
    var width = AdaptiveWidth(width: 16)
    var network = Network(capacity: 10_000, breaking: 5)
    let decisions = network.run(&width, rounds: 10)
    #expect(decisions.first?.width == 8)
    #expect(decisions.first?.reason.contains("connection-refused") == true)
    #expect(network.run(&width, rounds: 100).allSatisfy { (1...16).contains($0.width) })
  }

  @Test("The width stays within its bounds for any input")
  func bounds() {
    for start in [-1, 0, 1, 16, 1000] {
      var width = AdaptiveWidth(width: start)
      #expect((1...16).contains(width.width))
      var network = Network(capacity: 1_000_000)
      _ = network.run(&width, rounds: 100)
      #expect(width.width == 16)
    }
  }

  @Test("A queue adapts its width by its requests and logs the reason; a fixed width ends that")
  func queue() throws {
    let fixture = try ShellFixture(
      "server latency 5ms; queue width auto; get '/2.3/info?site=stackoverflow' --count 40; wait")
    let queue = fixture.session.queues.inUse
    let reason = try #require(fixture.session.adapting.state(of: queue))
    #expect(reason.contains("/s"), "\(reason)")
    #expect(try fixture.output(of: "queue").contains { $0.contains("adapts its width") })
    try fixture.run("queue width 3")
    #expect(fixture.session.adapting.state(of: queue) == nil)
    #expect(queue.maxConcurrentOperationCount == 3)
  }

  @Test("Each change of the width is logged with its reason")
  func messages() throws {
    let outcome = try Opsh.run(
      "server latency 5ms; queue width auto; get '/2.3/info?site=stackoverflow' --count 40; wait",
      options: ["--json"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("queue network: width 2 → 3: "))
  }
}
