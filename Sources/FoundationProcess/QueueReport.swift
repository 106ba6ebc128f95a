/// What the process says of its operations: one line of words each.
package enum QueueReport: Equatable, Sendable {
  /// It executes; `seen` is how many commands the process had read.
  case executing(Int, seen: Int)
  /// It has finished, and its queue knows.
  case finished(Int)
  /// Its body has ended, and it awaits `finish`.
  case awaitsFinish(Int)
  /// It says that it has finished, but sent no notification.
  case awaitsNotification(Int)
  /// It holds its lock while it notifies, and does not come back.
  case isLocked(Int)
  /// It was finished a second time, which had no effect.
  case ignoredFinish(Int)

  /// Reads a line; nil if it is none of these.
  package init?(line: String) {
    let words = line.split(separator: " ")
    guard words.count >= 2, let id = Int(words[1]) else { return nil }
    switch (words[0], words.count == 3 ? Int(words[2]) : nil) {
    case ("executing", let seen?): self = .executing(id, seen: seen)
    case ("finished", nil): self = .finished(id)
    case ("awaits-finish", nil): self = .awaitsFinish(id)
    case ("awaits-notification", nil): self = .awaitsNotification(id)
    case ("locked", nil): self = .isLocked(id)
    case ("ignored-finish", nil): self = .ignoredFinish(id)
    default: return nil
    }
  }

  /// The line, without a line break.
  package var line: String {
    switch self {
    case .executing(let id, let seen): "executing \(id) \(seen)"
    case .finished(let id): "finished \(id)"
    case .awaitsFinish(let id): "awaits-finish \(id)"
    case .awaitsNotification(let id): "awaits-notification \(id)"
    case .isLocked(let id): "locked \(id)"
    case .ignoredFinish(let id): "ignored-finish \(id)"
    }
  }
}
