import OpshJSON
import Operations
import ShellOutput

/// How an operation was built, as a recording keeps it.
struct RecordedSettings {
  private let timeLimit: Duration?
  private let retry: RetryPolicy?
  private let backoff: Duration
  private let defects: OperationDefects

  init(of operation: ObservableOperation) {
    timeLimit = operation.timeLimit
    retry = operation.retryPolicy
    backoff = retry?.backoff ?? operation.standardBackoff
    defects = operation.defects
  }

  var json: JSONValue {
    JSONValue.members([
      "timeout": timeLimit.map(RecordingFormat.seconds) ?? .null,
      "retry": .optional(retry?.limit),
      "backoff": retry == nil ? .null : RecordingFormat.seconds(backoff),
      "jitter": retry?.jitter.map { .real($0) } ?? .null,
      "defects": .object(
        Self.defectNames.filter { defects.contains($0.defect) }
          .map { .init(name: $0.name, value: .boolean(true)) }),
    ])
  }

  private static let defectNames: [(name: String, defect: OperationDefects)] = [
    ("silentExecuting", .silentExecuting), ("ownReadiness", .ownReadiness),
    ("ignoresCancel", .ignoresCancel), ("neverReady", .neverReady),
    ("silentReady", .silentReady), ("skipsCancelCheck", .skipsCancelCheck),
    ("unguarded", .unguarded),
  ]

  /// Gives an operation what its recording says at the key `settings`, but for what the changes of the
  /// recording tell.
  static func apply(_ json: JSONValue?, to operation: ObservableOperation) {
    guard let limit = json?["retry"]?.exactInteger(Int32.self) else { return }
    operation.retryPolicy = RetryPolicy(
      limit: Int(limit), backoff: RecordingFormat.duration(json?["backoff"]) ?? .zero,
      jitter: json?["jitter"]?.double)
  }
}

extension OperationRemainder {
  /// The value of the key `rest`.
  var json: JSONValue {
    let thread = thread.map { thread in
      JSONValue.members(["role": .string("\(thread.role)"), "number": .number(thread.number)])
    }
    return JSONValue.members(["thread": thread ?? .null])
  }

  /// Reads an `operation` line; nothing is required.
  init(_ operation: JSONValue) {
    let rest = operation["rest"]
    self.init(created: RecordingFormat.duration(operation["created"]) ?? .zero)
    thread = rest?["thread"].flatMap { thread in
      let name = thread["role"]?.string
      guard let role = OperationThread.Role.allCases.first(where: { "\($0)" == name }),
        let number = thread["number"]?.exactInteger(UInt32.self)
      else { return nil }
      return OperationThread(role: role, number: Int(number))
    }
  }
}
