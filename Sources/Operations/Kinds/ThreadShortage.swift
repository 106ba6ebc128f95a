package import Locking

/// Tells the owner of the process that blocking bodies wait because the system has no thread for
/// them.
package enum ThreadShortage: Sendable {
  /// What is called on any thread, with the number of bodies that wait, when none of them has got a
  /// thread for a second.
  package static let handler = Locked<(@Sendable (Int) -> Void)?>(nil)

  static func report(_ count: Int) { handler.withLock { $0 }?(count) }
}
