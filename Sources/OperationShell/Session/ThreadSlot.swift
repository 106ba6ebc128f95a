import Foundation
import Synchronization

/// A value that code further down on the same thread finds while something runs.
final class ThreadSlot<Value>: Sendable {
  private let key: String
  /// How many threads have one: looking into a thread's dictionary is not for every property.
  private let count = Atomic(0)

  /// Creates a slot; no two may have the same key.
  init(_ key: String) {
    self.key = key
  }

  /// The value of this thread, if it has one.
  var value: Value? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return Thread.current.threadDictionary[key] as? Value
  }

  /// Runs `body` with a value, or without one, on this thread.
  func with<Result>(_ value: Value?, _ body: () throws -> Result) rethrows -> Result {
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
