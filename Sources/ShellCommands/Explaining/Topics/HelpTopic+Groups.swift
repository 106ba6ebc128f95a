import ShellLanguage

extension HelpTopic {
  /// One topic for each group of commands.
  static let groups: [HelpTopic] = CommandRegistry.groups.map { title, commands in
    HelpTopic(
      name: title.lowercased(), heading: headings[title] ?? title, introduction: "",
      items: commands.map { ($0.signature.fullName, $0.signature.summary) },
      further: further[title] ?? [], isIndex: true)
  }

  private static let headings = [
    "Build": "Build operations", "Inspect": "Look at operations", "Steer": "Change operations",
    "Queues": "Create and control queues", "Observe": "Show changes, react to events",
    "Flow": "Wait, check, print, run scripts", "World": "Server, app, stored data, cache",
    "Shell": "Help, settings, history, aliases",
  ]

  private static let further = [
    "Build": ["options", "network"], "Inspect": ["properties"], "Observe": ["properties changes"],
    "Queues": ["properties queues"], "Flow": ["language", "status"], "Shell": ["keys"],
  ]
}
