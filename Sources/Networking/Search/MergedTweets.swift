import Foundation

/// Holds the tweets of several searches as one list, the newest first.
public struct MergedTweets: Sendable, Equatable {
  /// A tweet with the texts by which it was found.
  public struct Entry: Sendable, Equatable {
    /// The tweet.
    public var tweet: Tweet
    /// What was searched for, in the order of the searches.
    public var tags: [String]
    /// The tweet as it was sent.
    public var raw: JSONValue
  }

  /// The tweets, each once.
  public private(set) var entries: [Entry] = []

  /// Merges pages.
  ///
  /// - Parameter pages: What was searched for, and what was found.
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
    // Those without a time come last; ids rise with time.
    entries.sort { first, second in
      let times = [first, second].map { $0.tweet.createdAt ?? .distantPast }
      return times[0] == times[1] ? first.tweet.id > second.tweet.id : times[0] > times[1]
    }
  }

  /// Leaves out all but the newest.
  ///
  /// - Parameter count: How many to keep.
  public mutating func keepFirst(_ count: Int) {
    entries = Array(entries.prefix(max(0, count)))
  }
}
