import OpshLocking

/// Tells those who observe it that blocking bodies wait because the system has no thread for them.
///
/// The threads belong to the process, so that every session in it is told.
package enum ThreadShortage: Sendable {
  package typealias Handler = @Sendable (Int) -> Void

  /// An observation, which ends with it.
  package final class Observation: Sendable {
    fileprivate init(_ handler: @escaping Handler) {
      observers.withLock { $0[ObjectIdentifier(self)] = handler }
    }

    deinit {
      // Released after the lock, because a release may run any code.
      _ = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
  }

  private static let observers = Locked<[ObjectIdentifier: Handler]>([:])

  /// Observes shortages for as long as the result exists.
  ///
  /// - Parameter handler: Called on any thread, with the number of bodies that wait, when none of them
  ///   has got a thread for a second.
  /// - Returns: The observation.
  package static func observe(_ handler: @escaping Handler) -> Observation { Observation(handler) }

  static func report(_ count: Int) {
    for handler in observers.withLock({ Array($0.values) }) { handler(count) }
  }
}
