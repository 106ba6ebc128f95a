public import Foundation
public import OpshNetworking
public import Operations
public import ShellLanguage

/// What stands for operations in a call: a name, an id, ids, a pattern, or a value; found when the
/// command runs.
package struct OperationName: ParameterValue {
  package let value: Value

  package static let kind = ArgumentKind.name("operation")
  package static func value(of argument: BoundArgument) -> OperationName? {
    argument.value.map(OperationName.init)
  }
  package var argumentText: String { value.text }
}

/// What stands for a queue in a call: a name or a value; found when the command runs.
package struct QueueName: ParameterValue {
  package let value: Value

  package static let kind = ArgumentKind.name("queue")
  package static func value(of argument: BoundArgument) -> QueueName? {
    argument.value.map(QueueName.init)
  }
  package var argumentText: String { value.text }
}

/// A duration, or `off`.
package struct DurationOrOff: ParameterValue {
  /// The duration; nil for `off`.
  package let duration: Duration?

  package static let kind = ArgumentKind.oneOf([.duration, .choice(["off"])])
  package static func value(of argument: BoundArgument) -> DurationOrOff? {
    DurationOrOff(duration: Duration.value(of: argument))
  }
  package var argumentText: String { duration?.argumentText ?? "off" }
}

// MARK: Words of other modules

extension FailurePolicy: ParameterValue {}
extension OperationPhase: ParameterValue {}
extension CompletionOrder: ParameterValue {}
extension QuoteOrder: ParameterValue {}

/// Levels of Foundation, which scripts call by the names of Swift.
public protocol NamedLevel: ParameterValue, Equatable {
  /// The levels and their names, in the order in which help lists them.
  static var shellNames: [(name: String, level: Self)] { get }
}

extension NamedLevel {
  init?(shellName: String) {
    guard let match = Self.shellNames.first(where: { $0.name == shellName }) else { return nil }
    self = match.level
  }

  /// The name of the level.
  public var shellName: String { Self.shellNames.first { $0.level == self }?.name ?? "" }

  /// One of the names.
  public static var kind: ArgumentKind { .choice(shellNames.map(\.name)) }
  /// Returns the value of a bound argument.
  public static func value(of argument: BoundArgument) -> Self? {
    argument.value.flatMap { Self(shellName: $0.text) }
  }
  /// Its name.
  public var argumentText: String { shellName }
}

extension Operation.QueuePriority: NamedLevel {
  /// Foundation's five priorities.
  public static let shellNames: [(name: String, level: Self)] = [
    ("veryLow", .veryLow), ("low", .low), ("normal", .normal), ("high", .high),
    ("veryHigh", .veryHigh),
  ]
}

extension QualityOfService: NamedLevel {
  /// Foundation's five qualities of service.
  public static let shellNames: [(name: String, level: Self)] = [
    ("userInteractive", .userInteractive), ("userInitiated", .userInitiated),
    ("utility", .utility), ("background", .background), ("default", .default),
  ]
}
