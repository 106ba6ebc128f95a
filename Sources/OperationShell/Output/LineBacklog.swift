import Terminal

/// Lines that wait until the terminal takes them, in their order, and how many events were left out
/// between them.
struct LineBacklog {
  /// A line that waits, or the place at which events were left out.
  enum Item {
    case line(StyledText, Output.Stream, isEvent: Bool)
    case gap(Int, Output.Stream)
  }

  /// How many lines may wait before further events are only counted.
  ///
  /// A burst of this size is shown within a second; a flood is too fast to read, and the log
  /// has all of it. What is no event is never left out.
  static let capacity = 200

  private var items: [Item] = []
  /// The first item that is still to be taken.
  private var first = 0

  var isEmpty: Bool { first == items.count }

  /// How many items wait.
  var count: Int { items.count - first }

  /// Whether a further event is left out: from the first one that is, until all lines before it have
  /// been taken, so that the gap stands where it is.
  var leavesEventsOut: Bool {
    if case .gap = items.last, !isEmpty { return true }
    return count >= Self.capacity
  }

  mutating func add(_ line: StyledText, to stream: Output.Stream, isEvent: Bool) {
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
      // Moving the rest for each one that is taken would be quadratic.
      if first == items.count || first > Self.capacity {
        items.removeFirst(first)
        first = 0
      }
    }
    return items[first]
  }

  /// Makes one gap of all events that wait, after the texts that do.
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
