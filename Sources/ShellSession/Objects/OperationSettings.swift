import Networking
package import Operations
import ShellLanguage
import WebAPIs

/// The settings with which an operation was built, beyond the keys of its JSON object.
package struct OperationSettings {
  let timeLimit: Duration?
  let retry: RetryPolicy?
  let backoff: Duration
  let delay: Duration?
  let exclusiveNames: [String]
  let isBarrier: Bool
  let group: GroupOperation?
  /// The query of a search.
  let tag: String?
  /// The cache use of a request.
  let cacheUse: CacheUse?
  private let isGroup: Bool

  package init(of operation: ObservableOperation) {
    timeLimit = operation.timeLimit
    retry = operation.retryPolicy
    backoff = retry?.backoff ?? operation.standardBackoff
    delay = operation.startDelay > .zero ? operation.startDelay : nil
    exclusiveNames = operation.exclusiveNames
    isBarrier = operation.isBarrier
    group = operation.group
    tag = (operation.networkMetrics as? TweetsFetchOperation)?.query[Tweets.text]
    cacheUse = operation.networkMetrics?.cacheUse
    isGroup = operation is GroupOperation
  }

  /// The properties of an operation in scripts, beyond those of its JSON object.
  static let propertyNames = [
    "timeout", "retry", "backoff", "jitter", "delay", "exclusive", "barrier", "group", "tag",
    "cache",
  ]

  /// The value of one of them; nil for other names.
  func property(_ name: String) -> Value? {
    switch name {
    case "timeout": timeLimit.map(Value.duration) ?? .null
    case "retry": .integer(Int64(retry?.limit ?? 0))
    case "backoff": retry == nil ? .null : .duration(backoff)
    case "jitter": retry?.jitter.map { .percent($0 * 100) } ?? .null
    case "delay": delay.map(Value.duration) ?? .null
    case "exclusive": .list(exclusiveNames.map(Value.string))
    case "barrier": .boolean(isBarrier)
    case "cache": cacheUse.map { .string($0.name) } ?? .null
    case "tag": tag.map(Value.string) ?? .null
    case "group": group.map { .string($0.displayName) } ?? .null
    default: nil
    }
  }

  /// The settings that were given, in words.
  package var facts: [(name: String, text: String)] {
    var facts: [(name: String, text: String)] = []
    if let tag { facts.append(("tag", tag)) }
    if let cacheUse { facts.append(("cache", cacheUse.text)) }
    if let group { facts.append(("group", group.displayName)) }
    if isBarrier { facts.append(("barrier", "what was added before it comes first")) }
    if let delay { facts.append(("delay", Value.duration(delay).text)) }
    if !exclusiveNames.isEmpty {
      facts.append(("exclusive", exclusiveNames.joined(separator: ", ")))
    }
    if let timeLimit { facts.append(("timeout", Value.duration(timeLimit).text)) }
    if let retry = retryText { facts.append(("retry", retry)) }
    return facts
  }

  private var retryText: String? {
    guard let retry else { return nil }
    var text = "\(retry.limit) \(retry.limit == 1 ? "time" : "times")"
    if isGroup { text += " for each operation in it" }
    text += ", backoff \(Value.duration(backoff).text)"
    if let jitter = retry.jitter { text += ", jitter \(Value.percent(jitter * 100).text)" }
    return text
  }
}
