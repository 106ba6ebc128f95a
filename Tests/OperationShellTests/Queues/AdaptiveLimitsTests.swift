import Testing

@testable import ShellSession

@Suite("Adaptive limits", .timeLimit(.minutes(15)))
struct AdaptiveLimitsTests {
  /// A server, and how much longer than with the best fixed width the requests may take.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let limit: AdaptiveSimulation.Limit
    let latency: Double
    let count: Int
    var most = 1.5
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
      // The first requests are refused, and pause for seconds, while one after the other runs.
      .init(
        testDescription: "1 connection", limit: .connections(1, status: 503), latency: 0.2,
        count: 100, most: 2, failures: 0.25),
      .init(
        testDescription: "12 connections", limit: .connections(12, status: 503), latency: 0.2,
        count: 300, failures: 0.1),
      .init(
        testDescription: "6 connections, refused with 429",
        limit: .connections(6, status: 429), latency: 0.2, count: 300, failures: 0.1),
      .init(
        testDescription: "20 a second", limit: .rate(20, burst: 5, status: 429), latency: 0.01,
        count: 300, failures: 0.15),
      .init(
        testDescription: "20 a second, refused with 503",
        limit: .rate(20, burst: 5, status: 503), latency: 0.01, count: 300, failures: 0.5),
      .init(
        testDescription: "20 a second, 400 ms", limit: .rate(20, burst: 5, status: 429),
        latency: 0.4, count: 300, failures: 0.15),
      .init(
        testDescription: "100 a second", limit: .rate(100, burst: 20, status: 429), latency: 0.01,
        count: 1500, failures: 0.05),
      .init(
        testDescription: "2 a second", limit: .rate(2, burst: 5, status: 429), latency: 0.05,
        count: 60, failures: 0.6),
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
      // A request that is refused several times in a row pauses for seconds at the end.
      .init(
        testDescription: "10 % refused with 429, 1 s", limit: .errors(0.1, status: 429),
        latency: 1, count: 150, most: 3, failures: 0.2),
    ]
  }

  @Test(
    "The requests take at most half as long again as with the best fixed width",
    arguments: Case.all)
  func makespan(of item: Case) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let best = [1, 2, 4, 8, 16, 32].map { width in
        var fixed = AdaptiveSimulation(
          item.limit, latency: item.latency, count: item.count, width: width, seed: seed)
        return fixed.run()
      }.min()
      var adaptive = AdaptiveSimulation(
        item.limit, latency: item.latency, count: item.count, seed: seed)
      let seconds = adaptive.run()
      #expect(adaptive.succeeded == item.count)
      #expect(
        seconds <= item.most * (best ?? 0),
        "\(seconds) s instead of \(best ?? 0) s, seed \(seed): \(adaptive.changes)")
    }
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

  @Test("The width does not grow while the throughput does not")
  func bandwidth() {
    var simulation = AdaptiveSimulation(.bandwidth(10), latency: 0.05, count: 400)
    _ = simulation.run()
    #expect(simulation.width == AdaptiveLimits.startWidth, "\(simulation.changes)")
    #expect(simulation.limits?.reason.contains("is not much more than") == true)
  }

  @Test("A server that limits connections keeps the width at its limit")
  func connections() {
    var simulation = AdaptiveSimulation(
      .connections(6, status: 503), latency: 0.2, count: 600, isRetried: false)
    _ = simulation.run()
    #expect((5...7).contains(simulation.width), "\(simulation.changes)")
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
    #expect(simulation.refused < 60)
  }

  @Test("Errors that do not depend on the width do not reduce it")
  func errors() {
    var simulation = AdaptiveSimulation(.errors(0.05, status: 503), latency: 0.1, count: 2000)
    _ = simulation.run()
    #expect(simulation.width >= 12, "\(simulation.changes)")
    #expect(simulation.limits?.rate == nil, "\(simulation.changes)")
  }

  @Test(
    "Refusals with 429 at random do not limit the rate for long", arguments: [0.02, 0.1, 0.2])
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

  @Test("A rate limit after refusals at random lowers the rate")
  func limitAfterChance() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var simulation = AdaptiveSimulation(
        .errors(0.1, status: 429), latency: 0.1, count: 600, isRetried: false, seed: seed)
      _ = simulation.run()
      simulation.limit = .rate(20, burst: 5, status: 429)
      _ = simulation.run()
      let rate = try #require(simulation.limits?.rate, "\(simulation.changes)")
      #expect((10...30).contains(rate), "seed \(seed): \(simulation.changes)")
    }
  }

  @Test("Requests that were refused at the start do not lower the rate when they come again")
  func retries() {
    let late = (1...100 as ClosedRange<UInt64>).count { seed in
      let best = [1, 2, 4, 8, 16].map { width in
        var fixed = AdaptiveSimulation(
          .rate(20, burst: 5, status: 429), latency: 0.0003, count: 150, width: width, seed: seed)
        return fixed.run()
      }.min()
      var adaptive = AdaptiveSimulation(
        .rate(20, burst: 5, status: 429), latency: 0.0003, count: 150, seed: seed)
      return adaptive.run() > 1.5 * (best ?? 0)
    }
    #expect(late <= 1)
  }

  @Test("A pace that is set by hand is kept: a server's rate limit changes the width alone")
  func fixedPace() {
    var simulation = AdaptiveSimulation(
      .rate(20, burst: 5, status: 429), latency: 0.1, count: 300, isRetried: false)
    simulation.limits?.limitsRate = false
    _ = simulation.run()
    #expect(simulation.limits?.rate == nil)
    #expect(simulation.width < AdaptiveLimits.startWidth, "\(simulation.changes)")
    // Also after the queue was idle.
    simulation.rest(for: 61)
    _ = simulation.run()
    #expect(simulation.limits?.rate == nil)
    #expect(simulation.limits?.limitsRate == false)
  }

  @Test("After a minute without requests the queue starts again")
  func idle() {
    var simulation = AdaptiveSimulation(.latency, latency: 0.1, count: 200)
    _ = simulation.run()
    #expect(simulation.width == AdaptiveLimits.greatestWidth)
    simulation.rest(for: 59)
    simulation.count = 1
    _ = simulation.run()
    #expect(simulation.width == AdaptiveLimits.greatestWidth)
    simulation.rest(for: 61)
    _ = simulation.run()
    #expect(simulation.width == AdaptiveLimits.startWidth, "\(simulation.changes)")
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
