/// A type that the values of arguments and options are read as.
public protocol ParameterValue: Sendable {
  /// What such an argument must be, unless its declaration narrows it.
  static var kind: ArgumentKind { get }

  /// Returns the value of a bound argument; nil for one of another kind, which binding refuses.
  static func value(of argument: BoundArgument) -> Self?

  /// How help writes the value where it is a default.
  var argumentText: String { get }
}

extension ParameterValue {
  /// How a value is written.
  public var argumentText: String { "\(self)" }
}

/// Words: an enumeration is read as one of its raw values.
extension ParameterValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  /// One of the raw values.
  public static var kind: ArgumentKind { .choice(allCases.map(\.rawValue)) }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Self? {
    argument.value.flatMap { Self(rawValue: $0.text) }
  }
  /// The description of the value.
  public var argumentText: String { rawValue }
}

extension String: ParameterValue {
  /// A text.
  public static var kind: ArgumentKind { .string }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> String? { argument.value?.text }
}

extension Int: ParameterValue {
  /// An integer.
  public static var kind: ArgumentKind { .integer() }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Int? {
    if case .integer(let number)? = argument.value { Int(exactly: number) } else { nil }
  }
  /// How a value is written; an interpolation would look for its description at run time.
  public var argumentText: String { String(self) }
}

extension Double: ParameterValue {
  /// A number.
  public static var kind: ArgumentKind { .real }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Double? {
    switch argument.value {
    case .integer(let number)?: Double(number)
    case .real(let number)?: number
    default: nil
    }
  }
}

/// `on` and `off`; an option without a value is a ``Flag``.
extension Bool: ParameterValue {
  /// `on` or `off`.
  public static var kind: ArgumentKind { .boolean }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Bool? {
    if case .boolean(let flag)? = argument.value { flag } else { nil }
  }
  /// How a value is written.
  public var argumentText: String { self ? "on" : "off" }
}

extension Duration: ParameterValue {
  /// A duration.
  public static var kind: ArgumentKind { .duration }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Duration? {
    if case .duration(let duration)? = argument.value { duration } else { nil }
  }
  /// How a value is written.
  public var argumentText: String { Value.duration(self).text }
}

/// A value of any kind.
extension Value: ParameterValue {
  /// Any value.
  public static var kind: ArgumentKind { .any }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Value? { argument.value }
  /// How a value is written.
  public var argumentText: String { text }
}

extension Block: ParameterValue {
  /// A block in braces.
  public static var kind: ArgumentKind { .block }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Block? {
    if case .block(let block) = argument.content { block } else { nil }
  }
}

extension Expression: ParameterValue {
  /// An expression in parentheses.
  public static var kind: ArgumentKind { .expression }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Expression? {
    if case .expression(let expression) = argument.content { expression } else { nil }
  }
}

/// A number of bytes, such as `64kB`.
public struct ByteSize: ParameterValue {
  /// The number.
  public let bytes: Int

  /// Creates a number of bytes.
  public init(_ bytes: Int) { self.bytes = bytes }

  /// A size.
  public static var kind: ArgumentKind { .size }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> ByteSize? {
    guard case .size(let count)? = argument.value else { return nil }
    return Int(exactly: count).map(ByteSize.init)
  }
  /// How a value is written.
  public var argumentText: String { Value.size(Int64(bytes)).text }
}

/// A share, such as `20%`.
public struct Percentage: ParameterValue {
  /// The share, from 0 to 100.
  public let percent: Double
  /// The share, from 0 to 1.
  public var fraction: Double { percent / 100 }

  /// Creates a share from 0 to 100.
  public init(percent: Double) { self.percent = percent }

  /// A percentage.
  public static var kind: ArgumentKind { .percent }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Percentage? {
    guard case .percent(let percent)? = argument.value else { return nil }
    return Percentage(percent: percent)
  }
  /// How a value is written.
  public var argumentText: String { Value.percent(percent).text }
}
