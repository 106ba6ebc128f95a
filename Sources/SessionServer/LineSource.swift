/// Where a live server has the lines of its session from; used on the server's thread alone.
package protocol LineSource: AnyObject {
  /// Returns the lines that have come since the last call, from the first line on.
  func next() -> [String]

  /// Returns what is left, and the last lines.
  ///
  /// - Parameter status: The exit status of the run.
  /// - Returns: The lines.
  func end(status: Int32) -> [String]
}
