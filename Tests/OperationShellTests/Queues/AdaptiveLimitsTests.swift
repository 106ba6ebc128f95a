import Testing

@testable import ShellSession

@Suite("Adaptive limits", .timeLimit(.minutes(15)))
struct AdaptiveLimitsTests {
  /// A server, and the requests to it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let limit: AdaptiveSimulation.Limit
    let latency: Double
    let count: Int
    /// How many requests may fail if they are not repeated.
    var failures = 0.0

    static let all: [Case] = [
      .init(testDescription: "answers after 1 s", limit: .latency, latency: 1, count: 60),
      .init(testDescription: "answers after 100 ms", limit: .latency, latency: 0.1, count: 600),
      .init(testDescription: "answers after 10 ms", limit: .latency, latency: 0.01, count: 1000),
      .init(
        testDescription: "6 connections, 200 ms", limit: .connections(6, status: 503),
        latency: 0.2, count: 300, failures: 0.1),
      .init(
        testDescription: "6 connections, 1 s", limit: .connections(6, status: 503), latency: 1,
        count: 120, failures: 0.2),
      .init(
        testDescription: "2 connections", limit: .connections(2, status: 503), latency: 0.2,
        count: 100, failures: 0.2),
      .init(
        testDescription: "1 connection", limit: .connections(1, status: 503), latency: 0.2,
        count: 100, failures: 0.25),
      .init(
        testDescription: "12 connections", limit: .connections(12, status: 503), latency: 0.2,
        count: 300, failures: 0.1),
      .init(
        testDescription: "6 connections, refused with 429",
        limit: .connections(6, status: 429), latency: 0.2, count: 300, failures: 0.3),
      .init(
        testDescription: "20 a second", limit: .rate(20, burst: 5, status: 429), latency: 0.01,
        count: 300, failures: 0.4),
      .init(
        testDescription: "20 a second, refused with 503",
        limit: .rate(20, burst: 5, status: 503), latency: 0.01, count: 300, failures: 1.0),
      .init(
        testDescription: "20 a second, 400 ms", limit: .rate(20, burst: 5, status: 429),
        latency: 0.4, count: 300, failures: 0.25),
      .init(
        testDescription: "100 a second", limit: .rate(100, burst: 20, status: 429), latency: 0.01,
        count: 1500, failures: 0.2),
      .init(
        testDescription: "2 a second", limit: .rate(2, burst: 5, status: 429), latency: 0.05,
        count: 60, failures: 1.0),
      .init(testDescription: "a slow line", limit: .bandwidth(10), latency: 0.05, count: 200),
      .init(testDescription: "a line", limit: .bandwidth(100), latency: 0.05, count: 1000),
      .init(
        testDescription: "a fast line", limit: .bandwidth(1000), latency: 0.001, count: 5000),
      .init(
        testDescription: "2 % refused with 429", limit: .errors(0.02, status: 429), latency: 0.1,
        count: 600, failures: 0.05),
      .init(
        testDescription: "10 % refused with 429", limit: .errors(0.1, status: 429), latency: 0.1,
        count: 600, failures: 0.15),
      .init(
        testDescription: "10 % refused with 429, 10 ms", limit: .errors(0.1, status: 429),
        latency: 0.01, count: 1000, failures: 0.15),
      .init(
        testDescription: "10 % refused with 429, 1 s", limit: .errors(0.1, status: 429),
        latency: 1, count: 150, failures: 0.2),
    ]
  }

  /// A request that is refused several times in a row pauses for long at the end, which is chance:
  /// so the mean over several seeds counts.
  @Test("The requests take at most twice as long as with the best fixed width", arguments: Case.all)
  func makespan(of item: Case) {
    var ratios: [Double] = []
    for seed in 1...10 as ClosedRange<UInt64> {
      let best = [1, 2, 4, 8, 16, 32].map { width in
        var fixed = AdaptiveSimulation(
          item.limit, latency: item.latency, count: item.count, width: width, seed: seed)
        return fixed.run()
      }.min()
      var adaptive = AdaptiveSimulation(
        item.limit, latency: item.latency, count: item.count, seed: seed)
      ratios.append(adaptive.run() / (best ?? 0))
      #expect(adaptive.succeeded == item.count)
    }
    #expect(ratios.reduce(0, +) / Double(ratios.count) <= 2, "\(ratios)")
    #expect(ratios.allSatisfy { $0 <= 3 }, "\(ratios)")
  }

  @Test("Few requests fail that are not repeated", arguments: Case.all)
  func failures(of item: Case) {
    for seed in 1...5 as ClosedRange<UInt64> {
      var adaptive = AdaptiveSimulation(
        item.limit, latency: item.latency, count: item.count, isRetried: false, seed: seed)
      _ = adaptive.run()
      #expect(
        Double(adaptive.refused) <= item.failures * Double(item.count),
        "\(adaptive.refused) of \(item.count), seed \(seed): \(adaptive.changes)")
    }
  }

  @Test("The same events give the same limits and the same reasons")
  func determinism() {
    let runs = (0..<2).map { _ in
      var simulation = AdaptiveSimulation(
        .rate(20, burst: 5, status: 429), latency: 0.01, count: 300)
      _ = simulation.run()
      return simulation.changes
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0].count > 3)
  }

  @Test("A server that limits connections keeps the width at its limit")
  func connections() {
    var simulation = AdaptiveSimulation(
      .connections(6, status: 503), latency: 0.2, count: 600, isRetried: false)
    _ = simulation.run()
    #expect((3...7).contains(simulation.width), "\(simulation.changes)")
    #expect(simulation.limits?.rate == nil)
  }

  @Test("A rate limit lowers the rate, and the rate grows again when the limit is gone")
  func rate() throws {
    var simulation = AdaptiveSimulation(
      .rate(20, burst: 5, status: 429), latency: 0.01, count: 300)
    _ = simulation.run()
    let rate = try #require(simulation.limits?.rate)
    #expect((10...30).contains(rate), "\(simulation.changes)")
    simulation.limit = .latency
    _ = simulation.run()
    #expect(simulation.limits?.rate ?? .infinity > 2 * rate, "\(simulation.changes)")
    #expect(simulation.refused < 120)
  }

  @Test("Errors that do not depend on the width do not reduce it")
  func errors() {
    var simulation = AdaptiveSimulation(.errors(0.05, status: 503), latency: 0.1, count: 2000)
    _ = simulation.run()
    #expect(simulation.width >= 12, "\(simulation.changes)")
    #expect(simulation.limits?.rate == nil, "\(simulation.changes)")
  }

  @Test(
    "Refusals with 429 at random do not limit the rate for long", arguments: [0.02, 0.1])
  func chance(share: Double) {
    for seed in 1...20 as ClosedRange<UInt64> {
      var simulation = AdaptiveSimulation(
        .errors(share, status: 429), latency: 0.1, count: 3000, isRetried: false, seed: seed)
      let seconds = simulation.run()
      #expect(simulation.width >= 12, "\(simulation.changes)")
      // With the greatest width it takes 19 s, with the least rate more than an hour.
      #expect(seconds < 40, "\(seconds) s, seed \(seed): \(simulation.changes)")
    }
  }

  @Test("A pace that is set by hand is kept: a server's rate limit changes the width alone")
  func fixedPace() {
    var simulation = AdaptiveSimulation(
      .rate(20, burst: 5, status: 429), latency: 0.1, count: 300, isRetried: false)
    simulation.limits?.limitsRate = false
    _ = simulation.run()
    #expect(simulation.limits?.rate == nil)
    #expect(simulation.width < AdaptiveLimits.startWidth, "\(simulation.changes)")
    #expect(simulation.limits?.pace == nil)
  }

  @Test("A server that refuses everything is asked slowly, and the limits stay in their bounds")
  func refusesAll() {
    for limit in [
      AdaptiveSimulation.Limit.rate(0.0001, burst: 0, status: 429),
      .connections(0, status: 503), .connections(0, status: 429),
    ] {
      for start in [-1, 0, 1, 16, 1000] {
        var simulation = AdaptiveSimulation(limit, latency: 0.1, count: 200, isRetried: false)
        simulation.limits = AdaptiveLimits(width: start)
        _ = simulation.run()
        #expect((1...AdaptiveLimits.greatestWidth).contains(simulation.width))
        #expect(simulation.limits?.rate ?? 1 >= AdaptiveLimits.lowestRate)
      }
    }
  }
}
