/// How long to wait for a locked lock before trying again.
///
/// Acquiring a lock moves the protected data from another core, which takes longer than a short
/// critical section. If a few threads acquire it in quick succession, throughput is best if each
/// returns after another one has had the lock several times.
public struct Backoff: Sendable {
  @usableFromInline let nanoseconds: UInt64

  /// Almost none: for threads that others wait for.
  public static let short: Backoff = Backoff(nanoseconds: 0)
  /// 10 microseconds: for threads that acquire the lock repeatedly.
  public static let long: Backoff = Backoff(nanoseconds: 10_000)
}
