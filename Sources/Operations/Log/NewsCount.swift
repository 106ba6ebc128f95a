import Synchronization

/// The number of entries and logged changes that an engine has ever had for the reader of its log.
///
/// It is changed under the engine's lock and read without it, so that a reader can ask after each
/// step of its own whether there is anything new.
package final class NewsCount: Sendable {
  private let count = Atomic(0)

  /// The number; if it is the same as before, nothing has been written since.
  package var value: Int { count.load(ordering: .acquiring) }

  /// Counts one more; the engine's lock is held.
  func increment() { count.store(count.load(ordering: .relaxed) + 1, ordering: .releasing) }
}
