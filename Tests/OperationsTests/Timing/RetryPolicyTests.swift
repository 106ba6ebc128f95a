import Operations
import OpshSupport
import Testing

/// The waits between attempts, as the pure function that they are.
@Suite(.timeLimit(.minutes(15))) struct RetryPolicyTests {
  @Test("The backoff grows by the factor up to the maximum")
  func growth() {
    let policy = RetryPolicy(
      limit: 9, backoff: .milliseconds(100), factor: 2, longestBackoff: .seconds(1))
    let delays = (1...6).map { policy.delay(after: $0, chance: 0.5) }
    #expect(delays == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    #expect(policy.delay(after: .max, chance: 0) == .seconds(1))
    #expect(policy.delay(after: 0, chance: 0) == .milliseconds(100))
    #expect(policy.delay(after: -3, chance: 0) == .milliseconds(100))
  }

  @Test("A backoff factor of one or less means no growth", arguments: [1, 0.5, 0, -2, .nan])
  func noGrowth(factor: Double) {
    let policy = RetryPolicy(limit: 9, backoff: .milliseconds(70), factor: factor)
    for attempt in [1, 2, 50] {
      #expect(policy.delay(after: attempt, chance: 1) == .milliseconds(70))
    }
  }

  @Test("Jitter only shortens the backoff, by at most its share", arguments: [0, 0.2, 1, 7, -1])
  func jitter(_ jitter: Double) {
    let policy = RetryPolicy(limit: 9, backoff: .seconds(1), factor: 1, jitter: jitter)
    let share = min(max(jitter, 0), 1)
    #expect(policy.delay(after: 1, chance: 0) == .seconds(1))
    var random = RandomSource(seed: 7)
    for _ in 0..<2_000 {
      let delay = policy.delay(after: 1, chance: Double(random.below(1_001)) / 1_000)
      #expect(delay <= .seconds(1))
      #expect(delay >= .seconds(1) * (1 - share) - .nanoseconds(1))
    }
    // What is out of range is brought into it.
    #expect(policy.delay(after: 1, chance: 9) == policy.delay(after: 1, chance: 1))
    #expect(policy.delay(after: 1, chance: -9) == .seconds(1))
  }

  @Test("Extreme numbers neither crash nor exceed the maximum backoff")
  func strangeNumbers() {
    let durations: [Duration] = [
      .zero, .nanoseconds(1), .seconds(-5), .seconds(1), .seconds(Int64.max), .seconds(Int64.min),
      .nanoseconds(Int64.max),
    ]
    let numbers: [Double] = [
      0, 1, 2, -1, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude,
    ]
    for backoff in durations {
      for longest in durations {
        for factor in numbers {
          for jitter in numbers {
            let policy = RetryPolicy(
              limit: 3, backoff: backoff, factor: factor, longestBackoff: longest, jitter: jitter)
            for attempt in [1, 2, 100, Int.max] {
              for chance in [0, 0.5, 1, .nan] {
                let delay = policy.delay(after: attempt, chance: chance)
                #expect(delay >= .zero)
                #expect(delay <= max(longest, .zero))
              }
            }
          }
        }
      }
    }
  }
}
