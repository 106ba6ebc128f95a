import Operations
import ShellOutput
package import OpshTerminal

extension Run {
  /// The time on the virtual clock as the first column of lines shows it.
  package var timeText: String {
    let text = TransitionText.time(clock.elapsed(clock.now))
    return String(text.drop { $0 == " " })
  }

  /// The text of a plain prompt: the name, and the time on the virtual clock.
  package var plainPromptText: String { mode.isVirtual ? "opsh \(timeText)> " : "opsh> " }

  /// The name, with a star while an operation executes, the time on the virtual clock, and in brackets
  /// the queue in use if it is paused or held; of a session that shows a recording that it does.
  ///
  /// - Parameter showsActivity: Whether there is a star; a transcript has none, because it depends
  ///   on timing.
  /// - Returns: The prompt, with a space at its end.
  package func promptText(showsActivity: Bool = false) -> StyledText {
    let queue = jobs.queues.inUse
    let snapshot = queue.snapshot
    let waiting = snapshot.pending + snapshot.ready
    var text = StyledText("opsh", style: .bold)
    if showsActivity, jobs.queues.all.contains(where: { $0.snapshot.executing > 0 }) {
      text += StyledText("*", style: TextStyle(color: .green))
    }
    if mode.isVirtual { text += " " + StyledText(timeText, style: .dim) }
    if mode.isRecorded {
      return text + StyledText(" [replay]", style: TextStyle(color: .cyan)) + "> "
    }
    let isDefault = queue.name == QueueRegistry.defaultName
    if snapshot.isSuspended {
      text += StyledText(" [\(queue.name) paused \(waiting)]", style: TextStyle(color: .yellow))
    } else if snapshot.width == 0 {
      text += StyledText(" [\(queue.name) width 0, \(waiting)]", style: TextStyle(color: .yellow))
    } else if !isDefault {
      text += StyledText(" [\(queue.name)]", style: TextStyle(color: .cyan))
    }
    return text + "> "
  }
}
