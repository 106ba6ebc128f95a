import Networking
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

  package static let propertyNames =
    OperationDescription.propertyNames + ["result"] + OperationSetting.all.map(\.name)
    + transferNames + spanNames + flagNames

  /// Durations in seconds: `wait` and `duration` after they are final, `waiting` and `running` up
  /// to the present before that.
  private static let spanNames = ["wait", "waiting", "duration", "running"]

  /// The property that grows until the other one is final.
  package static let liveSpans = ["wait": "waiting", "duration": "running"]

  /// Properties that only requests have, and progress, which any operation may report.
  private static let transferNames = [
    "url", "bandwidth", "progress", "timings", "headers", "refusal",
  ]

  /// Foundation's own flags, which can be observed too.
  static let flagNames = ["isReady", "isExecuting", "isFinished", "isCancelled", "isAsynchronous"]

  /// A flag, at present or at the moment that the expression refers to.
  private func flag(_ name: String, at moment: LogMoment?) -> Value {
    let state = moment?.state(of: operation)
    switch name {
    case "isExecuting": return .boolean(state.map { $0 == .executing } ?? operation.isExecuting)
    case "isFinished": return .boolean(state.map { $0 == .finished } ?? operation.isFinished)
    case "isCancelled":
      return moment?.value(of: "cancelled", for: operation) ?? .boolean(operation.isCancelled)
    case "isAsynchronous": return .boolean(operation.isAsynchronous)
    default:
      // A pending operation waits; before and after that its readiness depends on its dependencies.
      return .boolean(state == .pending ? false : operation.isReady)
    }
  }

  package func property(_ name: String) -> Value? {
    let moment = CurrentMoment.value
    CurrentReads.value?.note(name, of: operation, at: moment)
    if Self.flagNames.contains(name) { return flag(name, at: moment) }
    if let earlier = moment?.value(of: name, for: operation) { return earlier }
    let description = OperationDescription(operation: operation, clock: clock)
    if Self.spanNames.contains(name) { return span(name, at: moment) }
    if name == "result" { return Value(resultOf: operation) }
    // Not rounded as in JSON, so that events within one millisecond keep their order.
    if let time = description.time(named: name) {
      return time.map { .real(clock.number(clock.elapsed($0))) } ?? .null
    }
    if let property = description.property(name) { return Value(json: property) }
    if Self.transferNames.contains(name) { return transferProperty(name) }
    return OperationSetting.all.first { $0.name == name }?.value(operation)
  }

  package func instant(_ name: String) -> Value? {
    let moment = CurrentMoment.value
    CurrentReads.value?.note(name, of: operation, at: moment)
    if moment?.precedes(name, of: operation) == true { return nil }
    guard
      case .some(.some(let time)) = OperationDescription(operation: operation, clock: clock)
        .time(named: name)
    else { return nil }
    return .real(clock.elapsed(time))
  }

  private func transferProperty(_ name: String) -> Value {
    if name == "progress" { return operation.progress.map(Value.real) ?? .null }
    guard let metrics = operation.networkMetrics else { return .null }
    switch name {
    case "url": return .string(metrics.requestURL)
    case "bandwidth": return metrics.bytesPerSecond.map { .integer(Int64(min($0, 1e15))) } ?? .null
    case "headers": return metrics.responseHead.map { Value(json: $0.headers.json) } ?? .null
    case "refusal":
      if let refusal = metrics.refusal { return Value(json: refusal.json) }
      return operation.isValueDropped
        ? .object(DroppedValue(.droppedValue(of: operation, property: name))) : .null
    default: return metrics.timings?.value ?? .null
    }
  }

  /// The time it waited for its start, or executed; null before that has started, or, for `wait`
  /// and `duration`, before it is final.
  private func span(_ name: String, at moment: LogMoment?) -> Value {
    let times = operation.timestamps
    let state = moment?.state(of: operation) ?? .finished
    func known(_ time: ContinuousClock.Instant?, in states: OperationState...) -> ContinuousClock
      .Instant?
    {
      states.contains(state) ? time : nil
    }
    let started = known(times.executing, in: .executing, .finished)
    let ended = known(times.finished, in: .finished)
    let isWait = name == "wait" || name == "waiting"
    let added = known(times.pending, in: .pending, .ready, .executing, .finished)
    guard let begin = isWait ? added : started else { return .null }
    if let end = isWait ? started ?? ended : ended { return seconds(from: begin, to: end) }
    guard name == "waiting" || name == "running" else { return .null }
    return seconds(from: begin, to: max(begin, moment?.instant ?? clock.now))
  }

  private func seconds(
    from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
  ) -> Value {
    .real(clock.number((end - start) / .seconds(1)))
  }
}
