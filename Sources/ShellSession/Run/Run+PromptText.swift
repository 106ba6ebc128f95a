import Operations
import OpshLocking
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

  /// The prompt of a transcript: the same at any speed, and whatever `set prompt` says.
  package func promptText() -> StyledText { promptText(of: .standard, showsActivity: false) }

  /// The prompt of the line that is being typed.
  ///
  /// - Parameter columns: The width of the screen, of which it takes at most a third if it is a long
  ///   name of a queue that makes it wide.
  /// - Returns: The prompt.
  package func livePromptText(columns: Int) -> StyledText {
    let (template, isPlain) = screen.state.withLock { ($0.prompt.template, $0.prompt.isPlain) }
    let text = promptText(of: template, showsActivity: !isPlain)
    let excess = TextWidth.columns(of: text.plain) - columns / 3
    guard excess > 0, template.shows(.queue) else { return text }
    let name = jobs.queues.inUse.name
    let room = max(Self.leastNameWidth, TextWidth.columns(of: name) - excess)
    let ellipsis = screen.output.isASCII ? "~" : "…"
    return promptText(
      of: template, showsActivity: !isPlain,
      queueName: TextWidth.truncateMiddle(name, to: room, ellipsis: ellipsis))
  }

  /// The title of the terminal's window: what the prompt says.
  package var titleText: String {
    var text = promptText(of: .standard, showsActivity: true).plain
    while text.last == " " || text.last == ">" { text.removeLast() }
    return text
  }

  /// The name of a queue is never made shorter.
  private static let leastNameWidth = 8

  private func promptText(
    of template: PromptTemplate, showsActivity: Bool, queueName: String? = nil
  ) -> StyledText {
    var text = StyledText("")
    let counts =
      template.shows(.executing, .waiting) || showsActivity && template.shows(.star)
      ? self.counts : (executing: 0, waiting: 0)
    for part in template.parts {
      switch part {
      case .text(let literal): text += StyledText(literal)
      case .field(let field, let before, let after):
        guard
          let (value, style) = value(
            of: field, counts, showsActivity: showsActivity, queueName: queueName)
        else { continue }
        text += StyledText(before + value + after, style: style)
      }
    }
    return text
  }

  private var counts: (executing: Int, waiting: Int) {
    jobs.queues.all.reduce(into: (0, 0)) { sum, queue in
      let snapshot = queue.snapshot
      sum.0 += snapshot.executing
      sum.1 += snapshot.pending + snapshot.ready
    }
  }

  private func value(
    of field: PromptTemplate.Field, _ counts: (executing: Int, waiting: Int), showsActivity: Bool,
    queueName: String?
  ) -> (String, TextStyle)? {
    func number(_ count: Int, _ style: TextStyle) -> (String, TextStyle)? {
      count > 0 ? ("\(count)", style) : nil
    }
    let red = TextStyle(color: .red)
    switch field {
    case .opsh: return ("opsh", .bold)
    case .star:
      return showsActivity && counts.executing > 0 ? ("*", TextStyle(color: .green)) : nil
    case .time: return mode.isVirtual ? (timeText, .dim) : nil
    case .queue: return queueValue(named: queueName)
    case .status: return number(Int(screen.state.withLock { $0.prompt.lastStatus }), red)
    case .failed:
      return number(jobs.failures.count - screen.state.withLock { $0.prompt.failuresBefore }, red)
    case .executing: return number(counts.executing, TextStyle(color: .green))
    case .waiting: return number(counts.waiting, TextStyle(color: .yellow))
    }
  }

  /// The queue in use if it is paused, held or not the default one; of a session that shows a
  /// recording that it does.
  private func queueValue(named shown: String?) -> (String, TextStyle)? {
    if mode.isRecorded { return ("replay", TextStyle(color: .cyan)) }
    let queue = jobs.queues.inUse
    let snapshot = queue.snapshot
    let waiting = snapshot.pending + snapshot.ready
    let name = shown ?? queue.name
    if snapshot.isSuspended { return ("\(name) paused \(waiting)", TextStyle(color: .yellow)) }
    if snapshot.width == 0 { return ("\(name) width 0, \(waiting)", TextStyle(color: .yellow)) }
    return queue.name == QueueRegistry.defaultName ? nil : (name, TextStyle(color: .cyan))
  }
}
