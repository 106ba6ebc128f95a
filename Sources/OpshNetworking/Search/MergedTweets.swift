import Foundation

/// The tweets of several searches as one list, newest first.
public struct MergedTweets: Sendable, Equatable {
  /// A tweet with the queries that found it.
  public struct Entry: Sendable, Equatable {
    /// The tweet.
    public var tweet: Tweet
    /// The queries, in the order of the searches.
    public var tags: [String]
    /// The tweet as it was sent.
    public var raw: JSONValue
  }

  /// The tweets, each once.
  public private(set) var entries: [Entry] = []

  /// Merges pages.
  public init(_ pages: [(tag: String, page: TweetsPage)]) {
    var places: [Int64: Int] = [:]
    for (tag, page) in pages {
      for (index, tweet) in page.tweets.enumerated() {
        if let place = places[tweet.id] {
          if !entries[place].tags.contains(tag) { entries[place].tags.append(tag) }
        } else {
          places[tweet.id] = entries.count
          entries.append(
            Entry(tweet: tweet, tags: [tag], raw: page.raw["results"]?[index] ?? .null))
        }
      }
    }
    // Tweets without a time are last; ids rise with time.
    entries.sort { first, second in
      let times = [first, second].map { $0.tweet.createdAt ?? .distantPast }
      return times[0] == times[1] ? first.tweet.id > second.tweet.id : times[0] > times[1]
    }
  }

  /// Removes all but the newest.
  public mutating func keepFirst(_ count: Int) {
    entries = Array(entries.prefix(max(0, count)))
  }
}
