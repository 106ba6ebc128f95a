import ShellLanguage

/// Every command there is, in the groups in which `help` lists them.
enum CommandRegistry {
  static let groups: [(title: String, commands: [any Command.Type])] = [
    (
      "Build",
      [
        FetchQuestions.self, FetchAnswers.self, FetchTweets.self, FetchQuotes.self, Get.self,
        Head.self, Post.self, Put.self, Patch.self, Delete.self, Download.self, BlockCommand.self,
        Delay.self, RunCommand.self, GroupCommand.self,
      ]
    ),
    (
      "Inspect",
      [
        Ops.self, Show.self, Follow.self, Why.self, Deps.self, Tree.self, ResultCommand.self,
        ResultTweets.self, LogCommand.self, Stats.self,
        StatsThreads.self,
      ]
    ),
    ("Steer", [Cancel.self, Priority.self, QoS.self, Start.self]),
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
        Wait.self, WaitQueue.self, Expect.self, Echo.self, Sleep.self, Time.self, Source.self,
        Fail.self,
      ]
    ),
    (
      "World",
      [
        Server.self, ServerLatency.self, ServerFail.self, ServerDrop.self, ServerBandwidth.self,
        ServerFaultCommand.self, ServerFaultOff.self, ServerFaults.self, ServerLog.self,
        ServerStart.self, ServerSeed.self, ServerReset.self,
        EndpointCommand.self, EndpointQuestions.self, EndpointAnswers.self, EndpointTweets.self,
        EndpointQuotes.self,
        App.self, AppBackground.self, AppForeground.self, AppTerminate.self,
        Tags.self, TagsList.self, TagsAdd.self, TagsRemove.self, TagsRename.self,
        QuotesCommand.self, QuotesList.self, QuotesRead.self, QuotesSync.self,
        Cache.self, CacheList.self, CacheShow.self, CacheClear.self, CacheLimit.self,
      ]
    ),
    (
      "Shell",
      [
        Help.self, Apropos.self, Explain.self, SetCommand.self, SetClock.self, SetKeep.self,
        SetSeed.self, SetTrace.self, HistoryCommand.self, Save.self, VersionCommand.self,
        Quit.self, Exit.self,
      ]
    ),
  ]

  static let signatures: [CommandSignature] = groups.flatMap { $0.commands.map { $0.signature } }

  static let catalog = CommandCatalog(signatures)

  private static let commands: [[String]: any Command.Type] = Dictionary(
    groups.flatMap { $0.commands.map { ($0.signature.path, $0) } },
    uniquingKeysWith: { first, _ in first })

  static func command(at path: [String]) -> (any Command.Type)? { commands[path] }
}
