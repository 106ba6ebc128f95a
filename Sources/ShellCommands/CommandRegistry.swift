package import ShellLanguage
package import ShellSession
import WebAPIs

/// Every command there is, in the groups in which `help` lists them.
package enum CommandRegistry {
  package static let groups: [(title: String, commands: [any Command.Type])] = [
    (
      "Build",
      StackExchange.endpoints.map { fetch($0) } + [
        FetchTweets.self, FetchQuotes.self, Get.self, Head.self, Post.self, Put.self, Patch.self,
        Delete.self, Download.self, BlockCommand.self, AsyncCommand.self, Delay.self,
        RunCommand.self,
        GroupCommand.self,
      ]
    ),
    (
      "Inspect",
      [
        Ops.self, Watch.self, Show.self, Follow.self, Why.self, Doctor.self, Deps.self, Tree.self,
        Diagram.self,
        Timeline.self, Blame.self, BlameQueue.self,
        ResultCommand.self,
        ResultTweets.self, LogCommand.self, Stats.self,
        StatsThreads.self,
      ]
    ),
    (
      "Steer",
      [
        Cancel.self, Priority.self, QoS.self, Start.self, Finish.self, Close.self, Retry.self,
        Name.self,
      ]
    ),
    (
      "Queues",
      [
        QueueList.self, QueueNew.self, QueueShow.self, QueueUse.self, QueuePause.self,
        QueueResume.self, QueueWidth.self, QueuePace.self, QueueStep.self, QueueBarrier.self,
        QueueRoute.self, QueueOrder.self, QueueDrain.self, QueueCancel.self, QueueRemove.self,
      ]
    ),
    (
      "Observe",
      [
        Observe.self, ObserveQueue.self, Observers.self, Unobserve.self, On.self, OnQueue.self,
        Events.self,
      ]
    ),
    (
      "Flow",
      [
        Wait.self, WaitQueue.self, Expect.self, NeverCommand.self, Echo.self, Sleep.self, Time.self,
        Source.self, OriginalCommand.self,
        Fail.self,
      ]
    ),
    (
      "World",
      [
        Server.self, ServerLatency.self, ServerFail.self, ServerDrop.self, ServerBandwidth.self,
        ServerFaultCommand.self, ServerFaultOff.self, ServerFaults.self, ServerLog.self,
        ServerStart.self, ServerSeed.self, ServerReset.self,
        EndpointCommand.self,
      ] + StackExchange.endpoints.map { endpoint($0) } + [
        EndpointTweets.self, EndpointQuotes.self, App.self, AppBackground.self, AppForeground.self,
        AppTerminate.self,
        Tags.self, TagsList.self, TagsAdd.self, TagsRemove.self, TagsRename.self,
        QuotesCommand.self, QuotesList.self, QuotesRead.self, QuotesSync.self,
        Cache.self, CacheList.self, CacheShow.self, CacheClear.self, CacheLimit.self,
      ]
    ),
    (
      "Shell",
      [
        Help.self, Apropos.self, Explain.self, Clear.self, SetCommand.self,
      ] + Settings.all.map { $0 as any Command.Type } + [
        Alias.self, Unalias.self, HistoryCommand.self, Save.self, Export.self, Record.self,
        RecordOff.self, Replay.self,
        Serve.self, ServeOff.self,
        ProgramCommand.self, VersionCommand.self, Quit.self, Exit.self,
      ]
    ),
  ]

  /// Commands that do the same as another one: the groups of `help` show the other and name these.
  static let synonyms = ["exit": "quit", "tags list": "tags", "queue drain": "wait queue"]

  /// Every command.
  static let commands: [any Command.Type] = groups.flatMap(\.commands)

  package static let catalog = CommandCatalog(
    // One by one: converting the whole array looks each conformance up at run time.
    of: commands.map { $0 as any HostCommand.Type }, collections: ["ops", "queues"],
    page: { Concept.named($0)?.name }, meanings: ForeignWords.meanings,
    deliberateWords: ForeignWords.deliberate
  ) { declaration in
    let hasJSON =
      declaration.traits.isDisjoint(with: [
        .runsProgram, .endsScript, .includesScript, .runsOriginal,
      ]) && !declaration.options.contains { $0.name == Invocation.json.name }
    return hasJSON ? [Invocation.json] : []
  }

  private static func fetch<E: StackExchangeEndpoint>(_ endpoint: E.Type) -> any Command.Type {
    FetchPage<E>.self
  }

  private static func endpoint<E: StackExchangeEndpoint>(_ endpoint: E.Type) -> any Command.Type {
    EndpointOf<E>.self
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
