import Foundation
import Synchronization

/// Where the text of the command that runs on this thread goes, if not to standard output.
///
/// It belongs to the thread, not to the session: while a command is redirected on one thread, a
/// body prints on another.
enum CurrentSink {
  private static let key = "opsh.sink"
  /// How many commands are redirected, on whichever threads.
  ///
  /// A look into the dictionary of a thread takes long, and nearly always there is none of them.
  private static let count = Atomic<Int>(0)

  static var value: (any TextSink)? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return Thread.current.threadDictionary[key] as? any TextSink
  }

  /// Runs `body` with the thread's text going to `sink`; nil sends it to standard output again.
  static func with<Result>(_ sink: (any TextSink)?, _ body: () throws -> Result) rethrows -> Result
  {
    count.add(1, ordering: .relaxed)
    let before = Thread.current.threadDictionary[key]
    Thread.current.threadDictionary[key] = sink
    defer {
      Thread.current.threadDictionary[key] = before
      count.subtract(1, ordering: .relaxed)
    }
    return try body()
  }
}
