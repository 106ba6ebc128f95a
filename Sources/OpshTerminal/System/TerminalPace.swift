import COpshSystem
import Foundation
import OpshLocking

/// Limits how much may be written to a terminal now, so that keys are echoed soon.
///
/// The echo of the next key comes after all bytes that the terminal has not read yet. A system only
/// reports when the buffer of a pseudo terminal is full, and by then a slow reader is up to a
/// second behind. So the pace is that of a slow terminal from the start, which is faster than a
/// user can read, and it is halved whenever the buffer is full nevertheless.
///
/// It may be used from any thread.
public final class TerminalPace: Sendable {
  private let descriptor: Int32
  private let budget: Locked<PaceBudget>

  /// Creates the pace of a terminal.
  ///
  /// - Parameter descriptor: The terminal's descriptor; it stays open as long as the pace is used.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    budget = Locked(PaceBudget(now: .now))
  }

  /// The number of bytes that may be written now; 0 until the terminal has read earlier output.
  public var room: Int { room(borrowing: 0) }

  /// Returns how many bytes may be written now, including some of the next budget.
  ///
  /// - Parameter bytes: How many bytes of the next budget to use; they delay later output.
  /// - Returns: The number; 0 until the terminal has read earlier output.
  public func room(borrowing bytes: Int) -> Int {
    let isFull = isFull
    return budget.withLock { $0.room(at: .now, isFull: isFull, borrowing: bytes) }
  }

  /// Counts written bytes.
  ///
  /// - Parameter count: Their number; more than there was room for delays the next output for a
  ///   moment: the write itself has waited for a slow terminal.
  public func note(written count: Int) {
    budget.withLock { $0.spend(count) }
  }

  /// Whether the terminal accepts no more output, or has much to send, as a serial line may.
  private var isFull: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard opsh_poll(&entry, 1, 0) > 0 else { return true }
    return opsh_output_queue(descriptor) > PaceBudget.greatestQueue
  }
}

/// The remaining bytes for a terminal, by the time and the written bytes.
struct PaceBudget {
  /// Bytes per second: half the rate of the slowest terminal with fast key echo.
  static let usualRate = 24_000.0
  static let leastRate = 500.0
  /// The size of a burst after a pause.
  static let burst = 1_500.0
  /// The maximum number of bytes written ahead of the budget: a third of a second's output.
  static let greatestDebt = 8_000.0
  /// The most bytes in the queue of a serial line.
  static let greatestQueue: Int32 = 512
  /// The time to empty a full buffer.
  static let pause: Duration = .seconds(1)

  private(set) var rate = usualRate
  private var credit = burst
  private var time: ContinuousClock.Instant
  private var pauseEnd: ContinuousClock.Instant?

  init(now: ContinuousClock.Instant) { time = now }

  mutating func room(
    at now: ContinuousClock.Instant, isFull: Bool, borrowing bytes: Int = 0
  ) -> Int {
    if isFull {
      if pauseEnd.map({ now >= $0 }) ?? true { rate = max(Self.leastRate, rate / 2) }
      pauseEnd = now + Self.pause
    }
    let elapsed = Self.seconds(now - time)
    time = max(time, now)
    if let end = pauseEnd {
      guard now >= end else { return 0 }
      pauseEnd = nil
      credit = 0
    } else {
      credit = min(Self.burst, credit + elapsed * rate)
      rate = min(Self.usualRate, rate * (1 + elapsed / 20))
    }
    return max(0, Int(credit) + bytes)
  }

  mutating func spend(_ count: Int) {
    credit = max(-Self.greatestDebt, credit - Double(count))
  }

  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return max(0, Double(seconds) + Double(attoseconds) * 1e-18)
  }
}
