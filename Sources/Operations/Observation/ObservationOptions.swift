/// When an observer is called, and with which values.
///
/// The meaning is that of Apple's key-value observing. An observer is always called after a change;
/// the options add calls and values.
public struct ObservationOptions: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: UInt8

  /// Creates options from bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Calls the observer once with the present value, before `observe` returns.
  public static let initial: ObservationOptions = ObservationOptions(rawValue: 1)
  /// Calls the observer also before each change.
  public static let prior: ObservationOptions = ObservationOptions(rawValue: 2)
  /// Gives the observer the value before the change.
  public static let old: ObservationOptions = ObservationOptions(rawValue: 4)
  /// Gives the observer the value after the change.
  public static let new: ObservationOptions = ObservationOptions(rawValue: 8)
}

/// What an observer is told.
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

/// A value of any observable property, for those who observe by name.
public enum ObservedValue: Sendable, Equatable {
  /// A flag.
  case boolean(Bool)
  /// A number of operations or slots.
  case integer(Int)
  /// A fraction.
  case real(Double)
  /// A name, a priority or a quality of service.
  case text(String)
  /// The names of operations.
  case names([String])
  /// No value.
  case none
}
