import Foundation
import Terminal

extension Session {
  /// Has transitions come no faster than the terminal takes them, where they go to one.
  ///
  /// - Returns: The terminal's pace, by which whatever else is written there goes as well.
  @discardableResult
  func beginPacing() -> TerminalPace {
    let pace = TerminalPace(descriptor: STDOUT_FILENO)
    let streams = [
      (Output.Stream.standardOutput, STDOUT_FILENO), (.standardError, STDERR_FILENO),
    ].filter { isatty($0.1) == 1 }
    output.beginPacing(pace, on: Set(streams.map(\.0)))
    return pace
  }

  /// So many transitions are shown after Ctrl-C all the same.
  private static let shownAfterInterrupt = 20

  /// Has one line stand for all transitions that were not shown yet: Ctrl-C means them, too.
  ///
  /// They are still handed on, and the log has them.
  func giveUpBacklog() {
    guard output.isPaced, let stream = feed.textStream else { return }
    if feed.isBehind(by: Self.shownAfterInterrupt) || output.hasDueLines {
      output.collapseEvents(adding: feed.skip(), to: stream)
    }
  }

  /// Shows and hands on what has happened, until all of it is or a signal comes.
  func drainFeed() {
    guard let signals else { return feed.drain() }
    feed.drain { signals.isPending }
  }

  /// How long the interpreter's thread may sleep at most, though nothing wakes it; nil for ever.
  var patience: Duration? {
    // No entry wakes a reader that has not read to the end.
    if feed.hasNews { return .zero }
    return output.hasDueLines ? LineEditor.frameInterval : nil
  }
}
