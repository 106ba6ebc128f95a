/// A value of any observable property, for observers by property name.
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
