import BuildCommands
import CommandParts
import InspectCommands
package import ShellLanguage
package import ShellSession
import SteerCommands
import ViewCommands
import WorldCommands

/// Every command there is, in the groups in which `help` lists them.
package enum CommandRegistry {
  package static let groups: [(title: String, commands: [any Command.Type])] = [
    ("Build", BuildGroup.commands),
    ("Inspect", InspectGroup.commands + ViewGroups.live),
    ("Steer", SteerGroups.steer),
    ("Queues", SteerGroups.queues + [QueueRoute.self]),
    ("Observe", SteerGroups.observe),
    ("Flow", SteerGroups.flow),
    ("World", WorldGroup.outside + BuildGroup.kept + WorldGroup.cache),
    (
      "Shell",
      [Help.self, Apropos.self, Explain.self, Clear.self, SetCommand.self]
        + Settings.all.map { $0 as any Command.Type }
        + [
          Alias.self, Unalias.self, HistoryCommand.self, HistorySearchCommand.self,
          HistoryDelete.self, Bind.self, Save.self,
        ] + ViewGroups.files
        + [ProgramCommand.self, VersionCommand.self] + SteerGroups.leaving
    ),
  ]

  /// Commands that do the same as another one: the groups of `help` show the other and name these.
  static let synonyms = ["exit": "quit", "tags list": "tags", "queue drain": "wait queue"]

  /// Every command.
  static let commands: [any Command.Type] = groups.flatMap(\.commands)

  package static let catalog = CommandCatalog(
    // One by one: converting the whole array looks each conformance up at run time.
    of: commands.map { $0 as any HostCommand.Type }, collections: ["ops", "queues"],
    selectingWords: ["ops": SelectionWord.texts],
    page: { Concept.named($0)?.name }, meanings: ForeignWords.meanings,
    deliberateWords: ForeignWords.deliberate
  ) { declaration in
    let hasJSON =
      declaration.traits.isDisjoint(with: [
        .runsProgram, .endsScript, .includesScript, .runsOriginal, .looksBack,
      ]) && !declaration.options.contains { $0.name == Invocation.json.name }
    return hasJSON ? [Invocation.json] : []
  }

  package static var signatures: [CommandSignature] { catalog.signatures }

  /// The words at the beginning that are the name of a command.
  static func longestPath(of words: [String]) -> [String] {
    for count in (0...min(words.count, catalog.paths.map(\.count).max() ?? 0)).reversed()
    where count > 0 && catalog.paths.contains(where: { $0.starts(with: words.prefix(count)) }) {
      return Array(words.prefix(count))
    }
    return []
  }

  /// What `queue route` can give a queue of their own, in the order of the commands.
  static let routes: [String] = {
    var routes: [String] = []
    for route in commands.compactMap({ $0.builds?.route }) where !routes.contains(route) {
      routes.append(route)
    }
    return routes
  }()
}

extension CommandSet {
  /// The commands of opsh.
  package static let builtIn = CommandSet(
    catalog: CommandRegistry.catalog, errorPage: { ErrorCatalog.page(for: $0) })
}
