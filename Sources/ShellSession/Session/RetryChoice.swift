/// The retry options of an operation or of its group, as far as they are given.
package struct RetryChoice: Sendable, Equatable {
  package var count: Int?
  package var backoff: Duration?
  /// From 0 to 1.
  package var jitter: Double?

  package init() {}

  /// The name of the option that sets the count.
  package static let option = "retry"

  /// The options that an operation need not have itself, because its group has them.
  var inheritedOptions: Set<String> { count == nil ? [] : [Self.option] }
}
