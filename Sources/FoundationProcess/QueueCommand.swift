/// What the shell asks of the process that runs a bare `OperationQueue`: one line of words each.
package enum QueueCommand: Equatable, Sendable {
  /// Creates an operation and adds it to the queue.
  case add(RawOperationPlan)
  case cancel(Int)
  case setPriority(Int, Int)
  /// The class of service of an operation, by its raw value.
  case setQuality(Int, Int)
  /// The class of service of the queue, by its raw value.
  case setQueueQuality(Int)
  case addDependency(Int, on: Int)
  case removeDependency(Int, on: Int)
  case setSuspended(Bool)
  case setWidth(Int)
  /// The body of an operation has ended; whether the operation finishes with it.
  case bodyEnded(Int, finishes: Bool)
  case finish(Int)

  /// Reads a line; nil if it is none of these.
  package init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    let numbers = words.dropFirst().map { Int($0) }
    switch (words.first, numbers.first ?? nil, numbers.count == 2 ? numbers[1] : nil) {
    case ("add", _, _):
      guard let plan = RawOperationPlan(words: words.dropFirst()) else { return nil }
      self = .add(plan)
    case ("cancel", let id?, nil): self = .cancel(id)
    case ("priority", let id?, let value?): self = .setPriority(id, value)
    case ("qos", let id?, let value?): self = .setQuality(id, value)
    case ("queue-qos", let value?, nil): self = .setQueueQuality(value)
    case ("depend", let id?, let other?): self = .addDependency(id, on: other)
    case ("undepend", let id?, let other?): self = .removeDependency(id, on: other)
    case ("suspend", let flag?, nil): self = .setSuspended(flag != 0)
    case ("width", let width?, nil): self = .setWidth(width)
    case ("ended", let id?, let flag?): self = .bodyEnded(id, finishes: flag != 0)
    case ("finish", let id?, nil): self = .finish(id)
    default: return nil
    }
  }

  /// The line, without a line break.
  package var line: String {
    switch self {
    case .add(let plan): "add \(plan.words.joined(separator: " "))"
    case .cancel(let id): "cancel \(id)"
    case .setPriority(let id, let value): "priority \(id) \(value)"
    case .setQuality(let id, let value): "qos \(id) \(value)"
    case .setQueueQuality(let value): "queue-qos \(value)"
    case .addDependency(let id, let other): "depend \(id) \(other)"
    case .removeDependency(let id, let other): "undepend \(id) \(other)"
    case .setSuspended(let flag): "suspend \(flag ? 1 : 0)"
    case .setWidth(let width): "width \(width)"
    case .bodyEnded(let id, let finishes): "ended \(id) \(finishes ? 1 : 0)"
    case .finish(let id): "finish \(id)"
    }
  }
}

/// What an operation of the process is to be.
package struct RawOperationPlan: Equatable, Sendable {
  /// The mistakes in the code of an operation that are imitated.
  package struct Mistakes: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// It does not notify of `isFinished`, so that the queue does not know.
    package static let silentFinished = Mistakes(rawValue: 1)
    /// It does not notify of `isExecuting`.
    package static let silentExecuting = Mistakes(rawValue: 2)
    /// It finishes two times, when its body has ended.
    package static let finishesTwice = Mistakes(rawValue: 4)
    /// It finishes before its queue has started it.
    package static let finishesBeforeStart = Mistakes(rawValue: 8)
    /// It goes on when it is cancelled.
    package static let ignoresCancel = Mistakes(rawValue: 16)
    /// `isReady` turns false when it executes.
    package static let ownsReadiness = Mistakes(rawValue: 32)
    /// It holds its lock while it sends key-value notifications.
    package static let notifiesLocked = Mistakes(rawValue: 64)
    /// It never finishes by itself: the calls in its own body, which the shell runs, do nothing.
    package static let forgetsFinish = Mistakes(rawValue: 128)
    /// `isReady` stays false until it is cancelled.
    package static let neverReady = Mistakes(rawValue: 256)
    /// `isReady` turns true some time after it was added, without a notification.
    package static let silentReady = Mistakes(rawValue: 512)
    /// It does not look whether it was cancelled before its start.
    package static let skipsCancelCheck = Mistakes(rawValue: 1_024)
    /// No lock guards its result: each call that finishes it counts.
    package static let unlocked = Mistakes(rawValue: 2_048)
    /// It notifies also of properties that it sets to the value that they have.
    package static let unguarded = Mistakes(rawValue: 4_096)
    /// Its `start()` calls that of its superclass, which finishes it when `main()` has returned.
    package static let callsSuperStart = Mistakes(rawValue: 8_192)
    /// It is seen as finished before its completion handler is called.
    package static let finishesBeforeHandler = Mistakes(rawValue: 16_384)
  }

  package var id: Int
  /// Whether it overrides `start()`; otherwise `main()`, which blocks until the body has ended.
  package var isAsynchronous: Bool
  package var priority: Int
  /// The raw value of its class of service.
  package var quality: Int
  package var dependencies: [Int]
  package var mistakes: Mistakes

  package init(
    id: Int, isAsynchronous: Bool, priority: Int, quality: Int, dependencies: [Int],
    mistakes: Mistakes
  ) {
    self.id = id
    self.quality = quality
    self.isAsynchronous = isAsynchronous
    self.priority = priority
    self.dependencies = dependencies
    self.mistakes = mistakes
  }

  fileprivate init?(words: some Collection<String>) {
    let numbers = words.compactMap { Int($0) }
    guard numbers.count == words.count, numbers.count >= 5 else { return nil }
    self.init(
      id: numbers[0], isAsynchronous: numbers[1] != 0, priority: numbers[2],
      quality: numbers[4], dependencies: Array(numbers.dropFirst(5)),
      mistakes: Mistakes(rawValue: numbers[3]))
  }

  fileprivate var words: [String] {
    ([id, isAsynchronous ? 1 : 0, priority, mistakes.rawValue, quality] + dependencies)
      .map(String.init)
  }
}
