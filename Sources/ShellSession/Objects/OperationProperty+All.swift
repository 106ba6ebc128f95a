import Foundation
import OpshJSON
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import OpshWebAPIs

extension OperationProperty {
  /// Every property: the keys of the JSON object in its order, then what scripts alone can read.
  package static let all =
    keysOfOperations + keysOfRequests + [result] + settings + ofRequests + spans + flags

  private static let keysOfOperations: [OperationProperty] = [
    .init("id", .oneOf(.number), "its number, and its name", .key { .number($0.id) }),
    .init("name", .oneOf(.string), "its number, and its name", .key { .string($0.displayName) }),
    .init("kind", .oneOf(.string), "the command that built it", .key { .string($0.kind) }),
    .init(
      "queue", .oneOf(.string, .null), "the name of its queue, or null",
      .key { .optional($0.queueName) }),
    .init(
      "state", .words(OperationState.allCases.map(\.rawValue)),
      "created, pending, ready, executing or finished", .key { .string($0.state.rawValue) }),
    .init(
      "cancelled", .oneOf(.boolean), "whether 'cancel' has set its flag",
      .key { .boolean($0.isCancelled) }),
    .init(
      "outcome", .words(["succeeded", "failed", "cancelled", "skipped"], orNull: true),
      "how it ended: succeeded, failed, cancelled or skipped; null until then", from: .finished,
      .key { .optional($0.outcome?.name) }),
    .init(
      "error", .oneOf(.record, .null),
      "the error of a failed or cancelled operation, or null; of a cancelled one it says by whom",
      from: .finished, .key { .failure($0.error) }),
    .init(
      "priority", .words(Operation.QueuePriority.shellNames.map(\.name)),
      "veryLow, low, normal, high or veryHigh", changes: .observed,
      .key { .string($0.queuePriority.shellName) }),
    .init(
      "qos", .words(QualityOfService.shellNames.map(\.name)),
      "the quality of service that it was given", changes: .observed,
      .key { .string($0.qualityOfService.shellName) }),
    .init(
      "dependencies", .oneOf(.list), "what it depends on, a list of {id, name, policy}",
      changes: .observed,
      .key { operation in
        .array(
          operation.upstream.map { edge in
            JSONValue.members([
              "id": .number(edge.operation.id), "name": .string(edge.operation.displayName),
              "policy": .string(edge.policy.rawValue),
            ])
          })
      }),
    .init(
      "dependents", .oneOf(.list), "what depends on it, a list of {id, name}", changes: .untold,
      .key { .array($0.downstream.map { OperationDescription.reference(to: $0).value }) }),
    .init("created", .oneOf(.number, .null), whenEntered, .time { $0.created }),
    .init("ready", .oneOf(.number, .null), whenEntered, from: .ready, .time { $0.ready }),
    .init("started", .oneOf(.number, .null), whenEntered, from: .executing, .time { $0.executing }),
    .init("finished", .oneOf(.number, .null), whenEntered, from: .finished, .time { $0.finished }),
    .init(
      "attempts", .oneOf(.number), "how often its work was tried", .key { .number($0.attempts) }),
  ]

  private static let whenEntered = "when it entered the state"

  private static let keysOfRequests: [OperationProperty] = [
    .init(
      "bytes", .oneOf(.number, .null), "how many bytes were received", on: .requests,
      changes: .observed, .key { .optional($0.networkMetrics?.bytesReceived) }),
    .init(
      "status", .oneOf(.number, .null), "the status of the response, such as 200", on: .requests,
      changes: .observed, from: .executing, .key { .optional($0.networkMetrics?.statusCode) }),
    .init(
      "items", .oneOf(.number, .null), "how many items were decoded", on: .requests,
      changes: .observed, from: .executing, .key { .optional($0.networkMetrics?.itemCount) }),
    .init(
      "joined", .oneOf(.record, .null), "the operation whose request it joined, {id, name}",
      on: .requests, from: .executing,
      .key {
        $0.networkMetrics?.joinedOperation.map { OperationDescription.reference(to: $0).value }
          ?? .null
      },
      fact: { operation in
        operation.networkMetrics?.joinedOperation.map {
          "the request of \($0.name) (\($0.id)), with the same response"
        }
      }),
    .init(
      "phase", .words(OperationPhase.allCases.map(\.rawValue), orNull: true),
      "the phase of its work: headers, body, decoding or saving; null without one",
      on: .requests, changes: .untold, from: .executing,
      .key { .optional($0.phase?.phase.rawValue) }),
  ]

  private static let result = OperationProperty(
    "result", .unknown, "its value, as 'result' shows it; neither a column nor a sort key",
    from: .finished, .value { Value(resultOf: $0) })

  private static let settings: [OperationProperty] = [
    .setting("tag", .oneOf(.string, .null), "the search tag of a search for tweets, or null") {
      ($0.networkMetrics as? TweetsFetchOperation)?.query[Tweets.text].map(Value.string) ?? .null
    },
    .setting(
      "cache", .oneOf(.string, .null), "how a request used the cache, or null", changes: .observed
    ) {
      $0.networkMetrics?.cacheUse.map { .string($0.name) } ?? .null
    } fact: {
      $0.networkMetrics?.cacheUse?.text
    },
    .setting("group", .oneOf(.string, .null), "the name of the group that it is in, or null") {
      $0.group.map { .string($0.displayName) } ?? .null
    },
    .setting("barrier", .oneOf(.boolean), "whether it is a barrier of its queue") {
      .boolean($0.isBarrier)
    } fact: {
      $0.isBarrier ? "what was added before it comes first" : nil
    },
    .setting(
      "effectiveQos", .words(QualityOfService.shellNames.map(\.name)),
      "the quality of service of its body: 'qos', or else that of its queue or group",
      changes: .untold
    ) {
      .string($0.effectiveQualityOfService.shellName)
    } fact: { _ in
      nil
    },
    .setting("delay", .oneOf(.duration, .null), "the time before it can become ready, or null") {
      $0.startDelay > .zero ? .duration($0.startDelay) : .null
    },
    .setting(
      "exclusive", .oneOf(.list), "the names that one operation at a time executes with, a list"
    ) {
      .list($0.exclusiveNames.map(Value.string))
    } fact: {
      $0.exclusiveNames.isEmpty ? nil : $0.exclusiveNames.joined(separator: ", ")
    },
    .setting("timeout", .oneOf(.duration, .null), "the time limit of its execution, or null") {
      $0.timeLimit.map(Value.duration) ?? .null
    },
    .setting("retry", .oneOf(.number), "how many retries it has") {
      .integer(Int64($0.retryPolicy?.limit ?? 0))
    } fact: {
      retryText(of: $0)
    },
    .setting(
      "backoff", .oneOf(.duration, .null),
      "the wait before the first retry, or null without retries"
    ) {
      $0.retryPolicy == nil ? .null : .duration(backoff(of: $0))
    } fact: { _ in
      nil
    },
    .setting(
      "jitter", .oneOf(.percent, .null), "the share of the wait that is random; null: the default"
    ) {
      $0.retryPolicy?.jitter.map { .percent($0 * 100) } ?? .null
    } fact: { _ in
      nil
    },
  ]

  private static let ofRequests: [OperationProperty] = [
    .init(
      "url", .oneOf(.string, .null), "the address, with keys masked", on: .requests,
      changes: .observed, .value { $0.networkMetrics.map { .string($0.requestURL) } ?? .null }),
    .init(
      "headers", .oneOf(.record, .null),
      "the headers of the response: (NAME.headers[\"Content-Type\"])",
      on: .requests,
      changes: .untold,
      .value { $0.networkMetrics?.responseHead.map { Value($0.headers) } ?? .null }),
    .init(
      "expected", .oneOf(.number, .null), "the length of the body that the response announces",
      on: .requests, changes: .untold, from: .executing,
      .value { $0.networkMetrics?.bytesExpected.map { .integer(Int64($0)) } ?? .null }),
    .init(
      "progress", .oneOf(.number, .null),
      "how much of the body has come, from 0 to 1, if that is known", on: .requests,
      changes: .observed, .value { $0.progress.map(Value.real) ?? .null }),
    .init(
      "bandwidth", .oneOf(.number, .null), "the measured rate, in bytes per second", on: .requests,
      changes: .untold, from: .executing,
      .value {
        $0.networkMetrics?.bytesPerSecond.map { .integer(Int64(min($0, 1e15))) } ?? .null
      }),
    .init(
      "timings", .oneOf(.record, .null),
      "a record of durations: waited, lookup, connect, tls, sent, first_byte, total", on: .requests,
      changes: .observed, from: .executing, .value { $0.networkMetrics?.timings?.value ?? .null }),
    .init(
      "refusal", .unknown, "the response to a refused request, with its body", on: .requests,
      from: .finished,
      .value { operation in
        guard let metrics = operation.networkMetrics else { return .null }
        if let refusal = metrics.refusal { return Value(refusal) }
        return operation.isValueDropped
          ? .object(DroppedValue(.droppedValue(of: operation, property: "refusal"))) : .null
      }),
  ]

  /// Durations in seconds: `wait` and `duration` after they are final, `waiting` and `running` up
  /// to the present before that.
  private static let spans: [OperationProperty] = [
    .span("wait", whenFinal, isLive: false, of: waiting),
    .span("duration", whenFinal, isLive: false, of: running),
    .span("waiting", "the same up to now", isLive: true, of: waiting),
    .span("running", "the same up to now", isLive: true, of: running),
  ]

  private static let whenFinal =
    "how long it waited for its start, and executed; null until final"

  /// The beginning and the end of a span, as far as they have come by a state.
  private typealias Span = (
    start: ContinuousClock.Instant?, end: ContinuousClock.Instant?
  )

  /// From being added to the start, or to the end without one.
  @Sendable private static func waiting(
    _ times: StateTimestamps, in state: OperationState
  ) -> Span {
    let started = [.executing, .finished].contains(state) ? times.executing : nil
    return (
      state == .created ? nil : times.pending,
      started ?? (state == .finished ? times.finished : nil)
    )
  }

  /// From the start to the end.
  @Sendable private static func running(
    _ times: StateTimestamps, in state: OperationState
  ) -> Span {
    (
      [.executing, .finished].contains(state) ? times.executing : nil,
      state == .finished ? times.finished : nil
    )
  }

  private static func span(
    _ name: String, _ meaning: String, isLive: Bool,
    of span: @escaping @Sendable (StateTimestamps, OperationState) -> Span
  ) -> OperationProperty {
    OperationProperty(
      name, .oneOf(.number, .null), meaning, changes: isLive ? .timed : .logged,
      .moment { operation, moment, clock in
        // An instant that has not come is nil, whatever the state is now.
        let (start, end) = span(operation.timestamps, moment?.state(of: operation) ?? .finished)
        guard let start, let end = end ?? (isLive ? max(start, moment?.instant ?? clock.now) : nil)
        else { return .null }
        return .seconds((end - start) / .seconds(1), clock)
      })
  }

  /// Foundation's own flags, which can be observed too.
  private static let flags: [OperationProperty] = [
    .flag("isReady", changes: .observed) { operation, moment in
      // A pending operation waits; before and after that its readiness depends on its dependencies.
      moment?.state(of: operation) == .pending ? false : operation.isReady
    },
    .flag("isExecuting") { operation, moment in
      moment.map { $0.state(of: operation) == .executing } ?? operation.isExecuting
    },
    .flag("isFinished") { operation, moment in
      moment.map { $0.state(of: operation) == .finished } ?? operation.isFinished
    },
    .flag("isCancelled") { operation, moment in
      moment?.isCancelled(operation) ?? operation.isCancelled
    },
    .flag(
      "isAsynchronous", "whether it can go on after its body has returned", changes: .untold
    ) { operation, _ in operation.isAsynchronous },
  ]

  private static func flag(
    _ name: String, _ meaning: String = "Foundation's flags, true or false",
    changes: Changes = .logged,
    _ flag: @escaping @Sendable (ObservableOperation, Moment?) -> Bool
  ) -> OperationProperty {
    OperationProperty(
      name, .oneOf(.boolean), meaning, changes: changes,
      .moment { operation, moment, _ in .boolean(flag(operation, moment)) })
  }

  private static func backoff(of operation: ObservableOperation) -> Duration {
    operation.retryPolicy?.backoff ?? operation.standardBackoff
  }

  private static func retryText(of operation: ObservableOperation) -> String? {
    guard let retry = operation.retryPolicy else { return nil }
    var text = "\(retry.limit) \(retry.limit == 1 ? "time" : "times")"
    if operation is GroupOperation { text += " for each operation in it" }
    text += ", backoff \(Value.duration(backoff(of: operation)).text)"
    if let jitter = retry.jitter { text += ", jitter \(Value.percent(jitter * 100).text)" }
    return text
  }
}
