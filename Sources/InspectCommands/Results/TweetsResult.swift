import OpshNetworking
import ShellSession
import OpshTerminal
import OpshWebAPIs

extension TweetsPage: ShellResult {
  var json: JSONValue { raw }

  func show(_ invocation: Invocation) {
    invocation.print(Table(of: tweets, columns: tweetColumns { $0 }))
  }
}

extension MergedTweets {
  /// The tweets as a table, with the tags of the searches that found them.
  var table: Table {
    Table(
      of: entries,
      columns: tweetColumns(\.tweet) + [
        .init("tags", .upTo(24), style: { _ in .dim }) { $0.tags.joined(separator: ", ") }
      ])
  }
}

/// The columns of items that each hold a tweet.
private func tweetColumns<Item>(
  _ tweet: @escaping @Sendable (Item) -> Tweet
) -> [APIColumn<Item>] {
  [
    .init("time", style: { _ in .dim }) { tweet($0).createdAt.map(DateText.minute) },
    .init("by", .upTo(20)) { tweet($0).author.screenName.map { "@" + $0 } },
    .init("text", .flexible) { tweet($0).text },
  ]
}
