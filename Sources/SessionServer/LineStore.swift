/// The lines of a session so far, for all followers together, in bounded memory.
///
/// Lines are numbered in order. When they become too many, the store starts afresh with the lines
/// that its source gives anew, under further numbers; what a follower has is out of date then.
package struct LineStore: Sendable {
  /// The number of the first line.
  package private(set) var start: Int = 0
  private var lines: [String] = []
  private var size = 0
  /// How many bytes the lines may have together.
  private let limit: Int
  /// The size of what the source gave anew: a session that is larger than the limit is not started
  /// afresh all the time.
  private var freshSize = 0

  /// Creates an empty store.
  ///
  /// - Parameter limit: How many bytes the lines may have together.
  package init(limit: Int) {
    self.limit = limit
  }

  /// The number of the next line.
  package var end: Int { start + lines.count }

  /// Whether it is time to start afresh.
  package var isFull: Bool { size > max(limit, freshSize * 2) }

  /// Appends lines.
  ///
  /// - Parameters:
  ///   - new: The lines.
  ///   - isFresh: Whether they are of what the source gives anew.
  package mutating func append(_ new: [String], isFresh: Bool = false) {
    let bytes = new.reduce(0) { $0 + $1.utf8.count }
    lines += new
    size += bytes
    if isFresh { freshSize += bytes }
  }

  /// Removes all lines.
  ///
  /// The next number is left out, so that a follower that had all lines does not
  /// take the first new one for the next of them.
  package mutating func startAfresh() {
    start = end + 1
    lines = []
    (size, freshSize) = (0, 0)
  }

  /// A line by its number.
  subscript(number: Int) -> String { lines[number - start] }

  /// Whether a follower whose next line has this number can go on.
  func continues(at number: Int) -> Bool { (start...end).contains(number) }
}

/// What one follower gets: a place among the lines.
package struct EventStream: Sendable {
  /// The number of the next line; nil before the first message.
  private var next: Int?

  /// Creates a stream.
  ///
  /// - Parameter lastEventID: The number of the last line that the client has; nil for none.
  package init(lastEventID: String?) {
    // No number is near the greatest.
    next = lastEventID.flatMap { Int($0) }.flatMap { (0..<Int.max).contains($0) ? $0 + 1 : nil }
  }

  /// Whether the follower has all lines.
  package func isComplete(in store: LineStore) -> Bool { next == store.end }

  /// Returns the next messages as server-sent events; empty if there are none.
  ///
  /// A follower whose next line is not there any more gets a `snapshot`, which says that all lines
  /// follow from the first one. It has no number of its own, so that a client that gets nothing
  /// after it asks for all lines again.
  ///
  /// - Parameters:
  ///   - store: The lines.
  ///   - size: How many bytes are enough.
  /// - Returns: The bytes of whole messages.
  package mutating func messages(from store: LineStore, upTo size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var place: Int
    if let next, store.continues(at: next) {
      place = next
    } else {
      bytes += Array("id\nevent: snapshot\ndata:\n\n".utf8)
      place = store.start
    }
    while place < store.end, bytes.count < size {
      bytes += Array("id: \(place)\ndata: ".utf8)
      bytes += Array(store[place].utf8)
      bytes += [0x0A, 0x0A]
      place += 1
    }
    next = place
    return bytes
  }
}
