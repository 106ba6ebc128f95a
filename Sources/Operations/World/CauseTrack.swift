/// What kept something from going on, over time.
struct CauseTrack {
  /// A stretch until the next one.
  struct Stretch {
    let start: Int64
    /// Nil if nothing kept it.
    let cause: Cause?
    /// The operation that the stretch is owed to, as far as known; the end may tell better.
    var culprit: Int?
    /// Whether an operation could have started at once when it began.
    var couldStart = false
  }

  private(set) var stretches: [Stretch] = []

  var last: Stretch? { stretches.last }

  /// Begins a stretch, if it says something else than the last one.
  ///
  /// - Parameters:
  ///   - cause: What keeps it from now on.
  ///   - culprit: What that is owed to, if the end tells no other.
  ///   - owed: What the stretch that ends is owed to; nil if that is known already.
  ///   - couldStart: Whether an operation could have started at once.
  ///   - time: When.
  /// - Returns: Whether it began one.
  @discardableResult
  mutating func begin(
    _ cause: Cause?, culprit: Int? = nil, owed: Int? = nil, couldStart: Bool = false,
    at time: Int64
  ) -> Bool {
    if let last = stretches.last {
      if last.cause == cause, last.culprit == culprit { return false }
      if let owed { stretches[stretches.count - 1].culprit = owed }
      // What took no time is not kept.
      if last.start == time { stretches.removeLast() }
    }
    stretches.append(
      Stretch(start: time, cause: cause, culprit: culprit, couldStart: couldStart))
    return true
  }

  /// Takes the last stretch away, so that the one before goes on.
  mutating func dropLast() { stretches.removeLast() }

  /// The stretches within a time, in order.
  func parts(from start: Int64, to end: Int64) -> [(stretch: Stretch, start: Int64, end: Int64)] {
    var parts: [(Stretch, Int64, Int64)] = []
    var index = max(0, place(after: start) - 1)
    while index < stretches.count, stretches[index].start < end {
      let next = index + 1 < stretches.count ? stretches[index + 1].start : .max
      let (from, to) = (max(start, stretches[index].start), min(end, next))
      if to > from { parts.append((stretches[index], from, to)) }
      index += 1
    }
    return parts
  }

  /// The index of the first stretch that begins later; takes logarithmic time.
  private func place(after time: Int64) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].start > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
