/// Where a live server has the lines of its session from; used on the server's thread alone.
package protocol LineSource: AnyObject {
  /// Returns some of the lines that have come since the last call, from the first line on; so few
  /// that the server goes on with its other work.
  func next() -> [String]

  /// Whether another session has taken the place of that whose lines it has.
  var isOutOfDate: Bool { get }

  /// Whether there are more lines already.
  var hasMore: Bool { get }

  /// Returns what is left, and the last lines.
  func end(status: Int32) -> [String]
}
