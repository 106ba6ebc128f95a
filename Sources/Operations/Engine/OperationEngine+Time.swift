public import Foundation
import OpshLocking
import OpshSupport

/// What is to happen later, and may still be prevented.
public struct DelayedCall: Sendable {
  fileprivate let token: TimerQueue.Token

  /// Sees to it that it does not happen.
  public func cancel() { token.cancel() }
}

/// The time that the log's operations go by: the system's, at full speed or slower, or that of its
/// ``virtualClock``.
extension OperationEngine {
  /// The present time.
  public var now: ContinuousClock.Instant { virtualClock.isInUse ? virtualClock.now : clock.now }

  /// The present time as a date.
  public var date: Date { virtualClock.isInUse ? virtualClock.date : clock.date }

  /// How fast time passes, compared with the system's: 1 unless ``setSpeed(_:)`` has slowed it down.
  public var speed: Double { clock.speed }

  /// Slows time down from now on, or lets it pass at full speed again.
  ///
  /// All that takes a time of this engine takes longer: delays, pauses, time limits. What is under way
  /// takes the rest of its time at the new speed. What computes, or runs elsewhere, is as fast as
  /// before. The virtual clock has no speed.
  ///
  /// ```swift
  /// engine.setSpeed(0.1)  // A delay of one second takes ten.
  /// ```
  ///
  /// - Parameter speed: More than 0 and at most 1.
  public func setSpeed(_ speed: Double) { clock.setSpeed(speed) }

  /// Returns the instant of the system's clock at a time of this engine; on the virtual clock that is
  /// the same.
  package func systemInstant(at instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    virtualClock.isInUse ? instant : clock.systemInstant(at: instant)
  }

  /// Has the log know the present time: it gives it to the dependencies that are added next to
  /// operations on no queue, for each of which reading the clock would take too long.
  package func noteTime() { state.withLock { $0.noteBuildTime() } }

  /// The present time in nanoseconds of the engine's clock.
  func nanoseconds() -> Int64 {
    virtualClock.isInUse ? virtualClock.nanoseconds : clock.nanoseconds()
  }

  /// Calls something after a time; it must not block.
  ///
  /// - Parameters:
  ///   - delay: How long to wait.
  ///   - body: What to call.
  /// - Returns: What to prevent it with.
  @discardableResult
  public func perform(
    after delay: Duration, _ body: @escaping @Sendable () -> Void
  ) -> DelayedCall {
    DelayedCall(token: timers.schedule(after: delay, body))
  }

  /// Calls a closure on a queue, or through the virtual clock while that is in use.
  public func perform(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    if virtualClock.isInUse { return virtualClock.enqueue(body) }
    // The queue may need a thread.
    ThreadStarter.perform { queue.async(execute: body) }
  }

  /// Runs something that blocks, on a thread of its own.
  func startBody(_ work: @escaping @Sendable () -> Void, quality: QualityOfService) {
    if virtualClock.isInUse {
      virtualClock.startBody(work, quality: quality)
    } else {
      BodyThreadPool.of(quality).run(work)
    }
  }
}

extension OperationEngine {
  /// Seeds the random number generator: same seed, same run.
  ///
  /// - Parameter seed: The seed; nil for numbers that differ in every run.
  public func setSeed(_ seed: UInt64?) {
    generator.withLock { $0 = seed.map { RandomSource(seed: $0) } }
  }

  /// Draws a random number from 0 to 1.
  public func drawChance() -> Double {
    let bits = generator.withLock { $0?.next() }
    return bits.map { Double($0 >> 11) / Double(1 << 53) } ?? .random(in: 0...1)
  }
}
