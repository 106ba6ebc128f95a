import OpshLocking
import OpshSupport
import Testing

@Suite("PacedClock", .timeLimit(.minutes(5)))
struct PacedClockTests {
  @Test("At full speed it is the system's clock")
  func full() {
    let clock = PacedClock()
    let before = ContinuousClock.now
    #expect(!clock.isPaced && clock.speed == 1 && clock.lag == 0)
    #expect(clock.now >= before && clock.now <= .now)
    #expect(clock.systemInstant(at: before) == before)
    clock.setSpeed(1)
    #expect(!clock.isPaced)
  }

  @Test("A slow clock passes its part of the time, and goes on from where it is")
  func slow() {
    let clock = PacedClock()
    let start = PacedClock.systemNanoseconds()
    clock.setSpeed(0.1)
    let middle = PacedClock.systemNanoseconds()
    spin(for: .milliseconds(20))
    let paced = clock.nanoseconds()
    let end = PacedClock.systemNanoseconds()
    #expect(paced >= start + 2_000_000)
    #expect(paced <= middle + (end - start) / 10)
    #expect(clock.lag >= 18_000_000)
    clock.setSpeed(1)
    let lag = clock.lag
    spin(for: .milliseconds(2))
    #expect(clock.lag == lag && clock.isPaced)
  }

  @Test("It never goes back, whatever its speed becomes and whichever thread reads it")
  func neverBack() async {
    let clock = PacedClock()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 {
        group.addTask {
          var last = clock.nanoseconds()
          for _ in 0..<20_000 {
            let now = clock.nanoseconds()
            guard now >= last, clock.now <= .now + .milliseconds(1) else { return false }
            last = now
          }
          return true
        }
      }
      group.addTask {
        var random = RandomSource(seed: 7)
        for _ in 0..<500 { clock.setSpeed(max(0.001, random.unit())) }
        return true
      }
      for await isOrdered in group { #expect(isOrdered) }
    }
  }

  @Test("Times of the two clocks are converted both ways, also past ones")
  func conversions() {
    let clock = PacedClock()
    var random = RandomSource(seed: 3)
    var past: [(system: ContinuousClock.Instant, paced: ContinuousClock.Instant)] = []
    for _ in 0..<50 {
      spin(for: .microseconds(50))
      let system = ContinuousClock.now
      past.append((system, clock.instant(atSystem: system)))
      clock.setSpeed(max(0.01, random.unit()))
    }
    for (system, paced) in past {
      let back = clock.systemInstant(at: paced)
      // A nanosecond of the slowest clock takes 100 of the system's.
      #expect(back - system < .microseconds(1) && system - back < .microseconds(1))
      #expect(clock.instant(atSystem: back) >= paced - .nanoseconds(1))
    }
    clock.setSpeed(0.5)
    let now = clock.now
    let late = clock.systemInstant(at: now + .seconds(10))
    #expect(late - .now > .seconds(19) && late - .now <= .seconds(20))
    #expect(clock.systemInstant(at: now + .seconds(Int64.max / 4)) > late)
    let start = clock.now
    #expect(clock.duration(ofSystem: .seconds(1), from: start) >= .milliseconds(499))
    #expect(clock.duration(ofSystem: .seconds(1), from: start) <= .milliseconds(501))
  }

  @Test("Handlers hear of each change of the speed, and of nothing else")
  func handlers() {
    let clock = PacedClock()
    let changes = Locked(0)
    clock.onChange { changes.withLock { $0 += 1 } }
    for speed in [1, 0.5, 0.5, 0.1, 1, 1] { clock.setSpeed(speed) }
    #expect(changes.withLock { $0 } == 3)
  }

  private func spin(for time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
  }
}
