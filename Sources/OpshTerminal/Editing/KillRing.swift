/// The killed texts, to be inserted again.
struct KillRing {
  /// The number of texts that are kept.
  static let limit = 60

  private var texts: [[Int32]] = []
  private var index = 0

  /// The text to insert; nil before anything was killed.
  var current: [Int32]? { texts.indices.contains(index) ? texts[index] : nil }

  /// Keeps a killed text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isBefore: Whether it stood before the cursor.
  ///   - joins: Whether it joins the text that was killed last.
  mutating func add(_ text: [Int32], isBefore: Bool, joins: Bool) {
    if joins, let last = texts.last {
      texts[texts.count - 1] = isBefore ? text + last : last + text
    } else if !text.isEmpty {
      texts.append(text)
      if texts.count > Self.limit { texts.removeFirst() }
    }
    index = texts.count - 1
  }

  /// Goes on to the text that was killed before the current one, and from the oldest to the newest.
  mutating func rotate() {
    guard !texts.isEmpty else { return }
    index = (index + texts.count - 1) % texts.count
  }
}
