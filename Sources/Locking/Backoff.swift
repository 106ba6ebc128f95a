/// How long to keep away from a lock that somebody else has before trying again.
///
/// Whoever takes a lock brings what it guards over from another core, which takes longer than a
/// short critical section does. Where a few threads do hardly anything but take it in turn, each
/// does best to come back after another has had several turns.
public struct Backoff: Sendable {
  @usableFromInline let nanoseconds: UInt64

  /// Hardly at all: for those whom somebody waits for.
  public static let short: Backoff = Backoff(nanoseconds: 0)
  /// 10 microseconds: for those who take it again and again.
  public static let long: Backoff = Backoff(nanoseconds: 10_000)
}
