import BuildCommands
import CommandParts
import ShellLanguage
import ShellSession

extension HelpTopic {
  /// The options that many commands share, which their own pages leave out.
  static let options: [HelpTopic] = [
    HelpTopic(
      name: "options", heading: "Options that commands share",
      introduction: """
        Every command that builds an operation has these options, unless its page says otherwise. \
        Other commands have '--json' too, except '!', command, exit, quit and source.
        """,
      items: arguments(BuildOptions.all + [Invocation.json]),
      examples: [
        .init(
          "delay 10ms --name a; delay 10ms --after a --priority high --retry 2",
          "a name, a dependency, and more")
      ], further: ["options requests", "words", "properties settings"], isIndex: true),
    HelpTopic(
      name: "options requests", heading: "Options of requests",
      introduction: """
        Every command that sends a request has these options in addition to those of \
        'help options'; '--cached' only 'fetch', 'get' and 'head'.
        """,
      items: arguments(RequestParameters.forReading), further: ["options", "network"],
      isIndex: true),
  ]

  private static func arguments(
    _ declarations: [any OptionDeclaration]
  ) -> [(name: String, meaning: String)] {
    HelpPage(CommandSignature(path: [], CommandDeclaration(summary: "", options: declarations)))
      .arguments
      .map { (name: $0.usage, meaning: $0.help) }
  }
}
