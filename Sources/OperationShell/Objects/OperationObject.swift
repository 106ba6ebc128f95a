import Networking
import Operations
import ShellLanguage

/// An operation as a value of the language: what `let q = fetch questions` keeps.
final class OperationObject: LanguageObject {
  let operation: ObservableOperation
  private let clock: SessionClock

  init(_ operation: ObservableOperation, clock: SessionClock) {
    self.operation = operation
    self.clock = clock
  }

  var typeName: String { "operation" }

  var text: String { operation.displayName }

  var propertyNames: [String] { Self.propertyNames }

  static let propertyNames =
    OperationDescription.propertyNames + ["result"] + OperationSettings.propertyNames

  func property(_ name: String) -> Value? {
    let description = OperationDescription(operation: operation, clock: clock)
    if name == "result" { return Value(resultOf: operation) }
    // Not rounded as it is in JSON: what happened within one millisecond has an order too.
    if let time = description.time(named: name) {
      return time.map { .real(clock.elapsed($0)) } ?? .null
    }
    if let property = description.property(name) { return Value(json: property) }
    return OperationSettings(of: operation).property(name)
  }

  func isEqual(to other: any LanguageObject) -> Bool {
    (other as? OperationObject)?.operation === operation
  }
}
