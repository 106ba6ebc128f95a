import Foundation
import Synchronization

/// A value that functions called on the same thread can read.
package final class ThreadSlot<Value>: Sendable {
  private final class Token: Sendable {}

  /// Makes the key different from that of every other slot.
  private let token = Token()
  private let key: String
  /// How many threads have a value; avoids a look-up in the thread's dictionary for each property.
  private let count = Atomic(0)

  /// Creates a slot without a value on any thread.
  init() {
    key = "opsh.slot.\(UInt(bitPattern: ObjectIdentifier(token)))"
  }

  /// The value of this thread, if it has one.
  package var value: Value? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return Thread.current.threadDictionary[key] as? Value
  }

  /// Runs `body` with a value, or without one, on this thread.
  package func with<Result>(_ value: Value?, _ body: () throws -> Result) rethrows -> Result {
    let before = Thread.current.threadDictionary[key]
    Thread.current.threadDictionary[key] = value
    count.add(1, ordering: .relaxed)
    defer {
      count.subtract(1, ordering: .relaxed)
      Thread.current.threadDictionary[key] = before
    }
    return try body()
  }
}
