import Networking
package import Operations
import ShellLanguage
import WebAPIs

/// A setting with which an operation was built, beyond the keys of its JSON object: a property in
/// scripts, and a row of `show`.
package struct OperationSetting: Sendable {
  /// The name of the property and of the row.
  package let name: String
  /// What help says of it.
  package let meaning: String
  /// What its value can be.
  let kind: StaticKind
  /// Whether it changes, of which observers tell and not the log.
  let isObserved: Bool
  /// The value in scripts.
  let value: @Sendable (ObservableOperation) -> Value
  /// The row of an operation for which it was given; nil for others.
  private let fact: @Sendable (ObservableOperation) -> String?

  private init(
    _ name: String, _ kind: StaticKind, _ meaning: String, isObserved: Bool = false,
    value: @escaping @Sendable (ObservableOperation) -> Value,
    fact: @escaping @Sendable (ObservableOperation) -> String?
  ) {
    (self.name, self.kind, self.meaning, self.isObserved) = (name, kind, meaning, isObserved)
    (self.value, self.fact) = (value, fact)
  }

  /// A setting that a row shows as the text of its value.
  private init(
    _ name: String, _ kind: StaticKind, _ meaning: String,
    value: @escaping @Sendable (ObservableOperation) -> Value
  ) {
    self.init(name, kind, meaning, value: value) { operation in
      let value = value(operation)
      if case .null = value { return nil }
      return value.text
    }
  }

  /// Every setting, in the order of `show`.
  package static let all: [OperationSetting] = [
    OperationSetting(
      "tag", .oneOf(.string, .null), "the search tag of a search for tweets, or null"
    ) {
      ($0.networkMetrics as? TweetsFetchOperation)?.query[Tweets.text].map(Value.string) ?? .null
    },
    OperationSetting(
      "cache", .oneOf(.string, .null), "how a request used the cache, or null", isObserved: true
    ) {
      $0.networkMetrics?.cacheUse.map { .string($0.name) } ?? .null
    } fact: {
      $0.networkMetrics?.cacheUse?.text
    },
    OperationSetting(
      "group", .oneOf(.string, .null), "the name of the group that it is in, or null"
    ) {
      $0.group.map { .string($0.displayName) } ?? .null
    },
    OperationSetting("barrier", .oneOf(.boolean), "whether it is a barrier of its queue") {
      .boolean($0.isBarrier)
    } fact: {
      $0.isBarrier ? "what was added before it comes first" : nil
    },
    OperationSetting(
      "delay", .oneOf(.duration, .null), "the time before it can become ready, or null"
    ) {
      $0.startDelay > .zero ? .duration($0.startDelay) : .null
    },
    OperationSetting(
      "exclusive", .oneOf(.list), "the names that one operation at a time executes with, a list"
    ) {
      .list($0.exclusiveNames.map(Value.string))
    } fact: {
      $0.exclusiveNames.isEmpty ? nil : $0.exclusiveNames.joined(separator: ", ")
    },
    OperationSetting(
      "timeout", .oneOf(.duration, .null), "the time limit of its execution, or null"
    ) {
      $0.timeLimit.map(Value.duration) ?? .null
    },
    OperationSetting("retry", .oneOf(.number), "how many retries it has") {
      .integer(Int64($0.retryPolicy?.limit ?? 0))
    } fact: {
      retryText(of: $0)
    },
    OperationSetting(
      "backoff", .oneOf(.duration, .null),
      "the wait before the first retry, or null without retries"
    ) {
      $0.retryPolicy == nil ? .null : .duration(backoff(of: $0))
    } fact: { _ in
      nil
    },
    OperationSetting(
      "jitter", .oneOf(.percent, .null), "the share of the wait that is random, or null"
    ) {
      $0.retryPolicy?.jitter.map { .percent($0 * 100) } ?? .null
    } fact: { _ in
      nil
    },
  ]

  /// The rows of those that were given to an operation.
  package static func facts(of operation: ObservableOperation) -> [(name: String, text: String)] {
    all.compactMap { setting in setting.fact(operation).map { (setting.name, $0) } }
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
