import Foundation
import ShellOutput
package import OpshTerminal

extension Screen {
  /// Limits transitions to the speed of the terminal, if they go to one; returns the terminal's
  /// pace, which also limits other output to it.
  @discardableResult
  package func beginPacing() -> TerminalPace {
    let pace = TerminalPace(descriptor: output.streams.output)
    output.beginPacing(pace, on: output.terminals)
    return pace
  }

  /// How many transitions are still shown after Ctrl-C.
  private static let shownAfterInterrupt = 20

  /// Replaces all transitions that have not been shown by one line, because Ctrl-C applies to them
  /// too.
  ///
  /// Handlers still receive them, and the log has them.
  package func giveUpBacklog() {
    guard output.isPaced, !feed.hidesLines, let stream = feed.textStream else { return }
    if feed.isBehind(by: Self.shownAfterInterrupt) || output.hasDueLines {
      output.collapseEvents(adding: feed.skip(), to: stream)
    }
  }
}
