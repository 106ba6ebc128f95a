import OpshLocking
import Operations
import Testing

/// The calls that an observer had, each in one line.
final class ObservedCalls: Sendable {
  private let lines = Locked<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  /// Keeps a call; `present` is what the property says while the observer is called.
  func add(_ change: ObservedChange<ObservedValue>, present: ObservedValue) {
    let kind = change.isInitial ? "initial" : change.isPrior ? "prior" : "change"
    let line = Self.line(kind, old: change.oldValue, new: change.newValue, present: present)
    lines.withLock { $0.append(line) }
  }

  private static func line(
    _ kind: String, old: ObservedValue?, new: ObservedValue?, present: ObservedValue
  ) -> String {
    func text(_ value: ObservedValue?) -> String { value.map { "\($0)" } ?? "-" }
    return "\(kind): old \(text(old)), new \(text(new)), present \(text(present))"
  }

  /// The calls that one change has to lead to.
  static func expected(
    for options: ObservationOptions, from old: ObservedValue, to new: ObservedValue
  ) -> [String] {
    let givenOld = options.contains(.old) ? old : nil
    var lines: [String] = []
    if options.contains(.initial) {
      let given = options.contains(.new) ? old : nil
      lines.append(line("initial", old: nil, new: given, present: old))
    }
    if options.contains(.prior) {
      lines.append(line("prior", old: givenOld, new: nil, present: old))
    }
    let givenNew = options.contains(.new) ? new : nil
    lines.append(line("change", old: givenOld, new: givenNew, present: new))
    return lines
  }
}

extension ObservationOptions {
  /// All there are.
  static let combinations: [ObservationOptions] = (0..<16).map { ObservationOptions(rawValue: $0) }
}

extension ObservableOperation {
  /// What a property says now, in the form in which those who observe by name get it.
  func present(_ name: String) -> ObservedValue {
    switch name {
    case "isReady": .boolean(isReady)
    case "isExecuting": .boolean(isExecuting)
    case "isFinished": .boolean(isFinished)
    case "isCancelled": .boolean(isCancelled)
    case "queuePriority": .text(queuePriority.name)
    case "qualityOfService": .text(qualityOfService.name)
    case "dependencies": .names(upstream.map(\.operation.displayName))
    case "name": .text(displayName)
    case "completionBlock": completionBlock == nil ? .none : .text("a block")
    case "progress": progress.map { .real($0) } ?? .none
    default: .none
    }
  }
}

extension InspectableQueue {
  /// What a property says now, in the form in which those who observe by name get it.
  func present(_ name: String) -> ObservedValue {
    switch name {
    case "name": .text(self.name)
    case "operations": .names(operations.map(\.displayName))
    case "operationCount": .integer(operationCount)
    case "isSuspended": .boolean(isSuspended)
    case "maxConcurrentOperationCount": .integer(maxConcurrentOperationCount)
    default: .none
    }
  }
}
