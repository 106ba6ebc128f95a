package import Operations
package import ShellLanguage
package import ShellOutput

/// An operation as a value of the language: the value of `let q = fetch questions`.
package final class OperationObject: LanguageObject {
  package let operation: ObservableOperation
  private let clock: SessionClock

  package init(_ operation: ObservableOperation, clock: SessionClock) {
    self.operation = operation
    self.clock = clock
  }

  package var typeName: String { "operation" }

  package var text: String { operation.displayName }

  package var propertyNames: [String] { Self.propertyNames }

  package static let propertyNames = OperationProperty.all.map(\.name)

  /// The property that grows until the other one is final.
  package static let liveSpans = ["wait": "waiting", "duration": "running"]

  package func property(_ name: String) -> Value? {
    let moment = CurrentMoment.value
    guard let property = OperationProperty.named(name) else { return nil }
    if let earlier = moment?.value(of: name, for: operation) { return earlier }
    switch property.source {
    case .key(let read): return Value(json: read(operation))
    // Not rounded as in JSON, so that events within one millisecond keep their order.
    case .time(let read):
      return read(operation.timestamps).map { .seconds(clock.elapsed($0), clock) } ?? .null
    case .value(let read): return read(operation)
    case .moment(let read): return read(operation, moment, clock)
    }
  }

  /// The instant of a property that is one; nil for another, and before it has come.
  package static func instant(
    _ name: String, of operation: ObservableOperation
  ) -> ContinuousClock.Instant? {
    OperationProperty.named(name)?.instant(of: operation)
  }

  package func instant(_ name: String) -> Value? {
    let moment = CurrentMoment.value
    if moment?.precedes(name, of: operation) == true { return nil }
    let time = OperationProperty.named(name)?.instant(of: operation)
    return time.map { .real(clock.elapsed($0)) }
  }
}

extension Value {
  /// A time in seconds: exact where it is compared and calculated with, to the microsecond as text.
  static func seconds(_ seconds: Double, _ clock: SessionClock) -> Value {
    let exact = Value.real(clock.number(seconds))
    let text = Value.real((clock.number(seconds) * 1e6).rounded() / 1e6).text
    return exact.text == text ? exact : .spelled(exact, text)
  }
}
