import Networking
import Operations
import ShellLanguage

/// What was asked of an operation when it was built, beyond the keys of its JSON object.
struct OperationSettings {
  let timeLimit: Duration?
  let retry: RetryChoice
  let delay: Duration?
  let exclusiveNames: [String]
  let isBarrier: Bool
  let group: GroupOperation?
  /// What a search is for.
  let tag: String?
  /// What the cache has had to do with a request.
  let cacheUse: CacheUse?
  private let isGroup: Bool

  init(of operation: ObservableOperation) {
    if let request = operation as? any NetworkOperationMetrics {
      timeLimit = request.options.timeout
      retry = RetryChoice(request.options)
    } else {
      timeLimit = operation.timeLimit
      retry = RetryChoice(operation.retryPolicy)
    }
    delay = operation.startDelay > .zero ? operation.startDelay : nil
    exclusiveNames = operation.exclusiveNames
    isBarrier = operation.isBarrier
    group = operation.group
    tag = (operation as? TweetsFetchOperation)?.query.text
    cacheUse = (operation as? any CachingRequest)?.cacheUse
    isGroup = operation is GroupOperation
  }

  /// The properties of an operation in the language, besides those of its JSON object.
  static let propertyNames = [
    "timeout", "retry", "backoff", "jitter", "delay", "exclusive", "barrier", "group", "tag",
    "cache",
  ]

  /// The value of one of them; nil for other names.
  func property(_ name: String) -> Value? {
    switch name {
    case "timeout": timeLimit.map(Value.duration) ?? .null
    case "retry": .integer(Int64(retry.count ?? 0))
    case "backoff": retry.backoff.map(Value.duration) ?? .null
    case "jitter": retry.jitter.map { .percent($0 * 100) } ?? .null
    case "delay": delay.map(Value.duration) ?? .null
    case "exclusive": .list(exclusiveNames.map(Value.string))
    case "barrier": .boolean(isBarrier)
    case "cache": cacheUse.map { .string($0.name) } ?? .null
    case "tag": tag.map(Value.string) ?? .null
    case "group": group.map { .string($0.displayName) } ?? .null
    default: nil
    }
  }

  /// Those that were set, in words.
  var facts: [(name: String, text: String)] {
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
    guard let count = retry.count, count > 0 else { return nil }
    var text = "\(count) \(count == 1 ? "time" : "times")"
    if isGroup { text += " for each operation in it" }
    if let backoff = retry.backoff { text += ", backoff \(Value.duration(backoff).text)" }
    if let jitter = retry.jitter { text += ", jitter \(Value.percent(jitter * 100).text)" }
    return text
  }
}

extension RetryChoice {
  /// What an operation of the engine's was given.
  init(_ policy: RetryPolicy?) {
    self.init()
    guard let policy else { return }
    count = policy.limit
    backoff = policy.backoff
    jitter = policy.jitter > 0 ? policy.jitter : nil
  }

  /// What a request was given.
  init(_ options: RequestOptions) {
    self.init()
    guard options.retryCount > 0 else { return }
    count = options.retryCount
    backoff = options.backoff
    jitter = options.jitter
  }
}
