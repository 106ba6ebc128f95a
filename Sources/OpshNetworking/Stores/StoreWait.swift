/// Ends a store's work, or its wait for another process, before its time.
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
  private let progress: @Sendable (_ done: Int, _ total: Int) -> Bool

  private init(
    _ isOver: @escaping @Sendable () -> Bool,
    _ progress: @escaping @Sendable (Int, Int) -> Bool
  ) {
    (self.isOver, self.progress) = (isOver, progress)
  }

  /// Whether the result of the call is no longer needed.
  ///
  /// A waiting call checks this from time to time, and then fails with `store-busy`.
  public static var isAbandoned: Bool { present?.isOver() ?? false }

  /// Tells how much of a call has been done; to be called by the store, inside its transaction.
  ///
  /// - Parameters:
  ///   - done: How many parts are done.
  ///   - total: How many there are.
  /// - Throws: `store-interrupted` if the call has to give up; the transaction must not be committed.
  public static func note(done: Int, of total: Int) throws(StoreError) {
    guard let present, present.isOver() || !present.progress(done, total) else { return }
    throw StoreError(.interrupted, "given up after \(done) of \(total); nothing has changed")
  }

  /// Uses stores with a condition for giving up.
  ///
  /// - Parameters:
  ///   - isOver: Returns whether to give up; called on the same thread.
  ///   - body: The calls.
  ///   - progress: Receives the progress of a call inside its transaction, and must not use the
  ///     store; returning false gives up.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public static func endsEarly<Result>(
    when isOver: @escaping @Sendable () -> Bool, _ body: () throws -> Result,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
  ) rethrows -> Result {
    try $present.withValue(StoreWait(isOver, progress), operation: body)
  }
}
