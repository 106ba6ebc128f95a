public import Foundation

/// A value of an observable property inside the engine.
enum PropertyValue: Sendable {
  case flag(Bool)
  case count(Int)
  case priority(Operation.QueuePriority)
  case quality(QualityOfService)
  case name(String?)
  case fraction(Double?)
  case operations([ObservableOperation])

  /// The value as the type that an observer's key path has.
  ///
  /// It is that type exactly, and then the cast is a comparison of two addresses, which goes away
  /// where the type is known; but observers see dependencies as Foundation operations, and
  /// casting an array examines each of its elements. An observer by property name sees an
  /// ``ObservedValue``.
  @inline(__always) func cast<Value: Sendable>(to type: Value.Type) -> Value? {
    if type == ObservedValue.self { return observed as? Value }
    return switch self {
    case .flag(let value): value as? Value
    case .count(let value): value as? Value
    case .priority(let value): value as? Value
    case .quality(let value): value as? Value
    case .name(let value): value as? Value
    case .fraction(let value): value as? Value
    case .operations(let value):
      type == [Operation].self ? value.map(\.publicOperation) as? Value : value as? Value
    }
  }

  /// The value for observers by property name.
  var observed: ObservedValue {
    switch self {
    case .flag(let value): .boolean(value)
    case .count(let value): .integer(value)
    case .priority(let value): .text(value.name)
    case .quality(let value): .text(value.name)
    case .name(let value): value.map { .text($0) } ?? .none
    case .fraction(let value): value.map { .real($0) } ?? .none
    case .operations(let value): .names(value.map(\.displayName))
    }
  }
}

extension Operation.QueuePriority {
  /// The level in one word, as Foundation spells it.
  public var name: String {
    switch self {
    case .veryLow: "veryLow"
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    case .veryHigh: "veryHigh"
    @unknown default: "normal"
    }
  }
}

extension QualityOfService {
  /// The class in one word, as Foundation spells it.
  public var name: String {
    switch self {
    case .userInteractive: "userInteractive"
    case .userInitiated: "userInitiated"
    case .utility: "utility"
    case .background: "background"
    case .default: "default"
    @unknown default: "default"
    }
  }
}
