import Foundation
import JSON
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

  /// Reads the value of the key `settings`; nothing is required.
  init(_ json: JSONValue?) {
    timeLimit = RecordingFormat.duration(json?["timeout"])
    backoff = RecordingFormat.duration(json?["backoff"]) ?? .zero
    retry = json?["retry"]?.exactInteger(Int32.self).map { [backoff] limit in
      RetryPolicy(limit: Int(limit), backoff: backoff, jitter: json?["jitter"]?.double)
    }
    defects = OperationDefects(
      Self.defectNames.filter { json?["defects"]?[$0.name] == .boolean(true) }.map(\.defect))
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
    ("ignoresCancel", .ignoresCancel),
  ]

  /// Gives them to an operation that has not been added to a queue.
  func apply(to operation: ObservableOperation) {
    operation.timeLimit = timeLimit
    operation.retryPolicy = retry
    operation.defects = defects
  }
}

extension OperationRemainder {
  /// The value of the key `rest`.
  var json: JSONValue {
    let next = nextAttempt.map { next in
      JSONValue.members([
        "attempt": .number(next.attempt), "limit": .number(next.limit),
        "remaining": RecordingFormat.seconds(next.remaining), "code": .string(next.code),
      ])
    }
    let thread = thread.map { thread in
      JSONValue.members(["role": .string("\(thread.role)"), "number": .number(thread.number)])
    }
    return JSONValue.members([
      "recorded": RecordingFormat.seconds(recorded),
      "nextAttempt": next ?? .null, "thread": thread ?? .null,
      "stoppedBy": .optional(stoppedBy),
      "finishWait": .optional(finishWait.map { "\($0)" }),
      "obstacle": .optional(obstacle),
    ])
  }

  /// Reads an `operation` line; nothing is required.
  init(_ operation: JSONValue) {
    let rest = operation["rest"]
    let created = RecordingFormat.duration(operation["created"]) ?? .zero
    self.init(created: created, recorded: RecordingFormat.duration(rest?["recorded"]) ?? created)
    quality = operation["qos"]?.string.flatMap(QualityOfService.init(shellName:)) ?? .default
    attempts = operation["attempts"]?.exactInteger(Int32.self).map { Int($0) } ?? 0
    finishWait = FinishWait.allCases.first { "\($0)" == rest?["finishWait"]?.string }
    obstacle = rest?["obstacle"]?.string
    stoppedBy = rest?["stoppedBy"]?.exactInteger(Int32.self).map { Int($0) }
    thread = rest?["thread"].flatMap { thread in
      let name = thread["role"]?.string
      guard let role = OperationThread.Role.allCases.first(where: { "\($0)" == name }),
        let number = thread["number"]?.exactInteger(UInt32.self)
      else { return nil }
      return OperationThread(role: role, number: Int(number))
    }
    if let next = rest?["nextAttempt"], let attempt = next["attempt"]?.exactInteger(Int32.self),
      let limit = next["limit"]?.exactInteger(Int32.self), let code = next["code"]?.string,
      let remaining = RecordingFormat.duration(next["remaining"])
    {
      nextAttempt = AttemptPause(
        attempt: Int(attempt), limit: Int(limit), remaining: remaining, code: code)
    }
  }
}
