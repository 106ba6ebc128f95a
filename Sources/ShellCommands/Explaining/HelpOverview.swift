import ShellLanguage
import OpshTerminal

/// The page of `help` alone: where to begin, and how to go on.
enum HelpOverview {
  /// The commands that a beginner needs first, in the order in which they are tried.
  static let commands = [
    "fetch questions", "delay", "block", "ops", "show", "result", "why", "wait", "cancel", "queue",
    "queue width", "observe",
  ]

  /// The lines of the page, for a terminal of that many columns if there is one.
  static func lines(width: Int?) -> [StyledText] {
    var lines: [StyledText] = [
      "opsh runs operations on queues, and shows what they do and why.", "",
      StyledText("Twelve commands to begin with", style: .bold),
    ]
    lines += HelpPage.rows(
      commands.compactMap { name in
        CommandRegistry.signatures.first { $0.fullName == name }
          .map { (name: $0.fullName, meaning: $0.summary) }
      }, terminal: width)
    lines += ["", StyledText("Groups of commands", style: .bold)]
    lines += columns(HelpTopic.groups, width)
    lines += ["", StyledText("Topics", style: .bold)]
    lines += columns(HelpTopic.subjects, width)
    lines += [
      "", StyledText("How to go on", style: .bold),
      "'help TOPIC' shows a group of commands or a topic, such as 'help queues'.",
      "'help COMMAND' says how it is used, and what its options are, such as 'help queue width'.",
      "'help options' lists the options that every operation has, 'help if' a word of the language.",
      "'help \(ConceptList.name)' lists pages about isReady, KVO, deadlock and the like, each with an "
        + "experiment.",
      "'apropos WORD' searches.",
    ]
    return lines
  }

  /// The topics with their headings, two in a row where there is room.
  private static func columns(_ topics: [HelpTopic], _ terminal: Int?) -> [StyledText] {
    let wide = columns(topics, rows: (topics.count + 1) / 2)
    guard let terminal, wide.contains(where: { $0.columns > terminal }) else { return wide }
    return columns(topics, rows: topics.count)
  }

  private static func columns(_ topics: [HelpTopic], rows: Int) -> [StyledText] {
    let width = HelpTopic.all.filter { !$0.name.contains(" ") }.map(\.name.count).max() ?? 0
    return (0..<rows).map { row in
      [row, row + rows].filter { $0 < topics.count }.reduce(StyledText("")) { line, index in
        let topic = topics[index]
        let isLeft = index == row && row + rows < topics.count
        return line + "  "
          + StyledText(TextWidth.pad(topic.name, to: width), style: TextStyle(color: .cyan))
          + StyledText(
            "  " + (isLeft ? TextWidth.pad(topic.heading, to: 35) : topic.heading))
      }
    }
  }
}
