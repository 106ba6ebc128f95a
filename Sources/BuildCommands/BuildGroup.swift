package import ShellSession
import OpshWebAPIs

/// The commands that build operations.
package enum BuildGroup {
  /// Those of the group "Build" of `help`, in its order.
  package static let commands: [any Command.Type] =
    StackExchange.endpoints.map { fetch($0) } + [
      FetchTweets.self, FetchQuotes.self, Get.self, Head.self, Post.self, Put.self, Patch.self,
      Delete.self, Download.self, BlockCommand.self, AsyncCommand.self, Delay.self,
      RunCommand.self, GroupCommand.self,
    ]

  /// The commands for what the APIs' operations keep: search tags and quotes.
  package static let kept: [any Command.Type] = [
    Tags.self, TagsList.self, TagsAdd.self, TagsRemove.self, TagsRename.self,
    QuotesCommand.self, QuotesList.self, QuotesRead.self, QuotesSync.self,
  ]

  private static func fetch<E: StackExchangeEndpoint>(_ endpoint: E.Type) -> any Command.Type {
    FetchPage<E>.self
  }
}
