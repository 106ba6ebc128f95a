import Foundation

/// Where the text of the command that runs on this thread goes, if not to standard output.
///
/// It belongs to the thread, not to the session: while a command is redirected on one thread, a
/// body prints on another.
enum CurrentSink {
  private static let key = "opsh.sink"

  static var value: (any TextSink)? {
    Thread.current.threadDictionary[key] as? any TextSink
  }

  /// Runs `body` with the thread's text going to `sink`; nil sends it to standard output again.
  static func with<Result>(_ sink: (any TextSink)?, _ body: () throws -> Result) rethrows -> Result
  {
    let before = Thread.current.threadDictionary[key]
    Thread.current.threadDictionary[key] = sink
    defer { Thread.current.threadDictionary[key] = before }
    return try body()
  }
}
