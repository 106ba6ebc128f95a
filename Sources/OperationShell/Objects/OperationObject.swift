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
    + transferNames + spanNames

  /// Times that follow from two others.
  private static let spanNames = ["wait", "duration"]

  /// What only requests have.
  private static let transferNames = ["url", "bandwidth", "timings", "refusal"]

  func property(_ name: String) -> Value? {
    if let moment = CurrentMoment.value, moment.precedes(name, of: operation) { return .null }
    if name == "state", let moment = CurrentMoment.value {
      return .string(moment.state(of: operation).rawValue)
    }
    let description = OperationDescription(operation: operation, clock: clock)
    if Self.spanNames.contains(name) { return span(name) }
    if name == "result" { return Value(resultOf: operation) }
    // Not rounded as it is in JSON: what happened within one millisecond has an order too.
    if let time = description.time(named: name) {
      return time.map { .real(clock.number(clock.elapsed($0))) } ?? .null
    }
    if let property = description.property(name) { return Value(json: property) }
    if Self.transferNames.contains(name) { return transferProperty(name) }
    return OperationSettings(of: operation).property(name)
  }

  func instant(_ name: String) -> Value? {
    if let moment = CurrentMoment.value, moment.precedes(name, of: operation) { return nil }
    guard
      case .some(.some(let time)) = OperationDescription(operation: operation, clock: clock)
        .time(named: name)
    else { return nil }
    return .real(clock.elapsed(time))
  }

  private func transferProperty(_ name: String) -> Value {
    guard let metrics = operation as? any NetworkOperationMetrics else { return .null }
    switch name {
    case "url": return .string(metrics.requestURL)
    case "bandwidth": return metrics.bytesPerSecond.map { .integer(Int64(min($0, 1e15))) } ?? .null
    case "refusal": return metrics.refusal.map { Value(json: $0.json) } ?? .null
    default: return metrics.timings?.value ?? .null
    }
  }

  /// How long it waited for its start, or how long it took, up to now where that is not over.
  private func span(_ name: String) -> Value {
    let times = operation.timestamps
    if name == "duration" {
      guard let start = times.executing else { return .null }
      return seconds(from: start, to: times.finished)
    }
    guard let added = times.pending else { return .null }
    return seconds(from: added, to: times.executing ?? times.finished)
  }

  private func seconds(
    from start: ContinuousClock.Instant, to end: ContinuousClock.Instant?
  ) -> Value {
    .real(clock.number(((end ?? clock.now) - start) / .seconds(1)))
  }

  func isEqual(to other: any LanguageObject) -> Bool {
    (other as? OperationObject)?.operation === operation
  }
}
