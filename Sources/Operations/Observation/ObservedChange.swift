/// A change of an observed property, as its observer receives it.
public struct ObservedChange<Value: Sendable>: Sendable {
  /// Whether the change is still to come (option ``ObservationOptions/prior``).
  public let isPrior: Bool
  /// Whether this is the call with the present value (option ``ObservationOptions/initial``).
  public let isInitial: Bool
  /// The value before the change, if asked for; nil in the initial call.
  public let oldValue: Value?
  /// The value after the change, if asked for; nil in a prior call.
  public let newValue: Value?
}
