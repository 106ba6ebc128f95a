import Terminal

/// Lines that wait for the terminal, in order, and the numbers of events that were dropped between
/// them.
struct LineBacklog {
  /// A waiting line, or a gap of dropped events.
  package enum Item {
    case line(StyledText, Output.Stream, isEvent: Bool)
    case gap(Int, Output.Stream)
  }

  /// The number of waiting lines beyond which further events are only counted.
  ///
  /// A burst of this size is shown within a second; a flood is too fast to read, and the log has
  /// all of it. Only events are dropped.
  package static let capacity = 200

  private var items: [Item] = []
  /// The index of the first waiting item.
  private var first = 0

  package var isEmpty: Bool { first == items.count }

  /// The number of waiting items.
  package var count: Int { items.count - first }

  /// Whether further events are dropped: from the first dropped one until all lines before it have
  /// been taken, so that the gap keeps its position.
  var leavesEventsOut: Bool {
    if case .gap = items.last, !isEmpty { return true }
    return count >= Self.capacity
  }

  package mutating func add(_ line: StyledText, to stream: Output.Stream, isEvent: Bool) {
    if isEvent, leavesEventsOut {
      leaveOut(1, to: stream)
    } else {
      items.append(.line(line, stream, isEvent: isEvent))
    }
  }

  /// Counts events that have no line.
  mutating func leaveOut(_ number: Int, to stream: Output.Stream) {
    guard number > 0 else { return }
    if !isEmpty, case .gap(let count, let stream) = items.last {
      items[items.count - 1] = .gap(count + number, stream)
    } else {
      items.append(.gap(number, stream))
    }
  }

  mutating func takeFirst() -> Item? {
    guard first < items.count else { return nil }
    defer {
      first += 1
      // Moving the rest for each taken item would be quadratic.
      if first == items.count || first > Self.capacity {
        items.removeFirst(first)
        first = 0
      }
    }
    return items[first]
  }

  /// Replaces all waiting events by one gap, after the waiting texts.
  mutating func collapse() {
    var count = 0
    var place = Output.Stream.standardOutput
    var texts: [Item] = []
    while let item = takeFirst() {
      switch item {
      case .gap(let number, let stream): (count, place) = (count + number, stream)
      case .line(_, let stream, isEvent: true): (count, place) = (count + 1, stream)
      case .line: texts.append(item)
      }
    }
    items = texts
    leaveOut(count, to: place)
  }
}
