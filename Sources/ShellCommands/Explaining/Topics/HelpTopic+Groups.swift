import ShellLanguage

extension HelpTopic {
  /// One topic for each group of commands.
  static let groups: [HelpTopic] = CommandRegistry.groups.map { title, commands in
    HelpTopic(
      name: title.lowercased(), heading: headings[title] ?? title, introduction: "",
      items: commands.compactMap { CommandRegistry.catalog.signature(at: $0.path) }
        .filter { CommandRegistry.synonyms[$0.fullName] == nil }
        .map { ($0.fullName, summary(of: $0)) },
      further: further[title] ?? [], isIndex: true)
  }

  /// The summary, with the other names of the command.
  private static func summary(of signature: CommandSignature) -> String {
    let others = CommandRegistry.synonyms.filter { $0.value == signature.fullName }.keys.sorted()
    return signature.summary
      + (others.isEmpty ? "" : " (also '\(others.joined(separator: "', '"))')")
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
