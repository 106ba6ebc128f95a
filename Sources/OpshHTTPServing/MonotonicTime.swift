import Foundation
import OpshSupport

/// Nanoseconds of the monotonic clock.
package func monotonicNanoseconds() -> UInt64 { UInt64(PacedClock.systemNanoseconds()) }

/// Nanoseconds since 1970, by the clock on the wall.
package func wallNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
