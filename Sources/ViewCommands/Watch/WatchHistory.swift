import CommandParts
import Operations

/// How many operations executed, by the time of the session.
struct WatchHistory {
  /// The longest time that a column of the chart stands for.
  static let longestSlot = Duration.milliseconds(200)
  private static let mostColumns = 512

  private var cursor = 0
  /// The starts and ends of operations, in order.
  private var changes: [(time: ContinuousClock.Instant, difference: Int)] = []

  /// Reads what the log has that was not read before.
  mutating func follow(_ log: EventLog) {
    while let page = log.nextPage(from: &cursor) {
      for entry in page where entry.event == .transition {
        let difference = (entry.to == .executing ? 1 : 0) - (entry.from == .executing ? 1 : 0)
        if difference != 0 { changes.append((entry.time, difference)) }
      }
    }
    guard let last = changes.last else { return }
    let oldest = last.time - Self.longestSlot * Self.mostColumns
    if let first = changes.first, first.time < oldest {
      changes.removeFirst(changes.firstIndex { $0.time >= oldest } ?? 0)
    }
  }

  /// Returns the time that a column stands for: the whole session has room, as long as it is short.
  static func slot(for elapsed: Duration, columns: Int) -> Duration {
    let least = elapsed / max(1, columns)
    var slot = Duration.milliseconds(1)
    for factor in [2, 5, 10, 20, 50, 100, 200] where slot < least {
      slot = .milliseconds(factor)
    }
    return min(slot, longestSlot)
  }

  /// Returns the greatest number in each column, the latest last.
  ///
  /// - Parameters:
  ///   - columns: How many columns there are.
  ///   - slot: The time that each stands for.
  ///   - count: How many operations execute now.
  ///   - now: The present time of the session.
  /// - Returns: A number for each column.
  func samples(
    columns: Int, of slot: Duration, executing count: Int, at now: ContinuousClock.Instant
  ) -> [Int] {
    let columns = min(max(0, columns), Self.mostColumns)
    var samples = [Int](repeating: 0, count: columns)
    var present = count
    var column = columns - 1
    // Backwards from the present: before a start there was one fewer.
    for change in changes.reversed() where column >= 0 {
      let place = columns - 1 - Int((now - change.time) / slot)
      while column > place, column >= 0 {
        samples[column] = max(samples[column], present)
        column -= 1
      }
      guard column >= 0 else { break }
      samples[column] = max(samples[column], present)
      present = max(0, present - change.difference)
      samples[column] = max(samples[column], present)
    }
    while column >= 0 {
      samples[column] = max(samples[column], present)
      column -= 1
    }
    return samples
  }
}
