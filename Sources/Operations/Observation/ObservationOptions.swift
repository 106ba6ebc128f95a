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
