import OpshTerminal

/// Lines that wait for the terminal, in order, and the numbers of those that were dropped between
/// them.
struct LineBacklog {
  /// A waiting line, a gap of dropped events, or the number of dropped lines of any kind.
  package enum Item {
    case line(StyledText, Output.Stream, isEvent: Bool)
    case gap(Int, Output.Stream)
    case leftOut(Int, Output.Stream)
  }

  /// The number of waiting lines beyond which further events are only counted.
  ///
  /// A burst of this size is shown within a second; a flood is too fast to read, and the log has
  /// all of it. Only events are dropped.
  package static let capacity = 200

  /// How many lines and bytes wait at most if only the latest do.
  package static let latest = (lines: 1_000, bytes: 1 << 20)

  /// Whether the oldest lines are dropped beyond that, because none is shown for long.
  package var keepsLatest = false
  private var bytes = 0
  private var leftOut: (count: Int, stream: Output.Stream) = (0, .standardOutput)

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
      bytes += line.byteCount
    }
    while keepsLatest, count > 1, count > Self.latest.lines || bytes > Self.latest.bytes {
      dropOldest()
    }
  }

  private mutating func dropOldest() {
    switch takeFirstItem() {
    case .line(_, let stream, _): leftOut = (leftOut.count + 1, stream)
    case .gap(let number, let stream), .leftOut(let number, let stream):
      leftOut = (leftOut.count + number, stream)
    case nil: break
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
    guard leftOut.count == 0 else {
      defer { leftOut.count = 0 }
      return .leftOut(leftOut.count, leftOut.stream)
    }
    return takeFirstItem()
  }

  private mutating func takeFirstItem() -> Item? {
    guard first < items.count else { return nil }
    defer {
      first += 1
      // Moving the rest for each taken item would be quadratic.
      if first == items.count || first > Self.capacity {
        items.removeFirst(first)
        first = 0
      }
    }
    if case .line(let line, _, _) = items[first] { bytes -= line.byteCount }
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
      case .line, .leftOut: texts.append(item)
      }
    }
    items = texts
    for case .line(let line, _, _) in texts { bytes += line.byteCount }
    leaveOut(count, to: place)
  }
}

extension StyledText {
  fileprivate var byteCount: Int { spans.reduce(0) { $0 + $1.text.utf8.count } }
}
