/// Ends a store's wait for another process before the store's time limit.
///
/// ```swift
/// try StoreWait.endsEarly(when: { operation.isCancelled }) {
///   try store.merge(records, syncedAt: nil)
/// }
/// ```
public final class StoreWait: Sendable {
  // An object and not the function itself: for a value of a function's type the optimized program
  // has no type at hand when the value is set, and crashes (Swift 6.3).
  @TaskLocal private static var present: StoreWait?

  private let isOver: @Sendable () -> Bool

  private init(_ isOver: @escaping @Sendable () -> Bool) {
    self.isOver = isOver
  }

  /// Whether the result of the call is no longer needed.
  ///
  /// A waiting call checks this from time to time, and then fails with `store-busy`.
  public static var isAbandoned: Bool { present?.isOver() ?? false }

  /// Uses stores with a condition for giving up.
  ///
  /// - Parameters:
  ///   - isOver: Returns whether to give up; called on the same thread.
  ///   - body: The calls.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public static func endsEarly<Result>(
    when isOver: @escaping @Sendable () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try $present.withValue(StoreWait(isOver), operation: body)
  }
}
