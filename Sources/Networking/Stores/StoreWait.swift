/// Ends the waiting of a store for another process before the time that the store has for it.
///
/// ```swift
/// try StoreWait.$isAbandoned.withValue({ operation.isCancelled }) {
///   try store.merge(records, syncedAt: nil)
/// }
/// ```
public enum StoreWait: Sendable {
  /// Whether nobody wants the result of a call any more.
  ///
  /// A call that waits asks it from time to time, and then fails with `store-busy`.
  @TaskLocal public static var isAbandoned: @Sendable () -> Bool = { false }
}
