package import ShellSession
import OpshWebAPIs

/// The commands for what is outside: the practice server, services, stores.
package enum WorldGroup {
  /// Those for servers and the life of an app.
  package static let outside: [any Command.Type] =
    [
      Server.self, ServerLatency.self, ServerFail.self, ServerDrop.self, ServerBandwidth.self,
      ServerFaultCommand.self, ServerFaultOff.self, ServerFaults.self, ServerLog.self,
      ServerStart.self, ServerSeed.self, ServerReset.self,
      EndpointCommand.self,
    ] + StackExchange.endpoints.map { endpoint($0) } + [
      EndpointTweets.self, EndpointQuotes.self, App.self, AppBackground.self, AppForeground.self,
      AppTerminate.self,
    ]

  /// Those for the kept responses.
  package static let cache: [any Command.Type] = [
    Cache.self, CacheList.self, CacheShow.self, CacheClear.self, CacheLimit.self,
  ]

  private static func endpoint<E: StackExchangeEndpoint>(_ endpoint: E.Type) -> any Command.Type {
    EndpointOf<E>.self
  }
}
