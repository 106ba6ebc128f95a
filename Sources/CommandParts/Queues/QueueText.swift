package import Operations
package import ShellLanguage
import ShellSession
package import OpshTerminal

/// How a queue's width and state are written and read.
package enum QueueText {
  /// What the width of a new queue or group must be.
  package static let widthKind = ArgumentKind.oneOf([.integer(minimum: -1), .choice(["unlimited"])])

  /// Returns the width that a text of the kind ``widthKind`` means: a number, or `unlimited`.
  package static func width(_ text: String) -> Int {
    Int(text) ?? InspectableQueue.defaultMaxConcurrentOperationCount
  }

  package static func text(width: Int) -> String {
    width == InspectableQueue.defaultMaxConcurrentOperationCount ? "unlimited" : String(width)
  }

  /// Whether a queue is one of Foundation whose process has ended.
  package static func hasEnded(_ queue: InspectableQueue) -> Bool {
    (queue.driver as? FoundationLink)?.hasEnded == true
  }

  /// The word for the state of a queue.
  package static func state(isPaused: Bool, hasEnded: Bool) -> StyledText {
    if hasEnded { return StyledText("ended", style: TextStyle(color: .red)) }
    return isPaused
      ? StyledText("paused", style: TextStyle(color: .yellow)) : StyledText("running")
  }
}
