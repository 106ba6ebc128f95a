import Foundation
import OpshSupport

/// All tweets that a query finds, newest first, without their texts.
struct TweetStream {
  /// One tweet, as far as it has to be known to choose among them.
  struct Entry {
    /// Its place among all tweets of the stream, from which everything else follows.
    let index: Int
    let identifier: Int
    /// Seconds since 1970.
    let time: Int
    let language: String
    /// How often it was passed on lately, for the few that are popular.
    let retweets: Int?
  }

  /// The moment that the service stands still at: 1 October 2012, 12:00 UTC.
  static let now = 1_349_092_800
  /// How far the index of the service goes back.
  private static let reach = 7 * 86_400

  let entries: [Entry]
  /// Starts the sequences that the texts are made from.
  let seed: UInt64

  /// Finds the tweets of a query.
  init(_ query: TweetQuery, text: String, circle: TweetParameters.Circle?, seed: UInt64) {
    var name = text.lowercased()
    if let circle { name += "\u{0}\(circle)" }
    let hash = name.utf8.reduce(fnvBasis) { fnv($0, $1) }
    var random = RandomSource(seed: seed, stream: hash)
    self.seed = random.next()
    guard query.canBeMet else {
      entries = []
      return
    }
    // From a subject that few care about to one that everybody talks about.
    let count = Int(exp(log(40.0) + random.unit() * (log(1_600.0) - log(40.0))))
    let slot = Self.reach * 1_000 / count
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    for index in 0..<count {
      var own = RandomSource(seed: self.seed, stream: UInt64(index))
      let moment = Self.now * 1_000 - index * slot - own.below(slot) - 1
      let low = own.below(1 << 22)
      let language = own.unit()
      let isPopular = own.chance(0.02) || index == count / 3
      entries.append(
        Entry(
          index: index, identifier: Self.identifier(at: moment) + low, time: moment / 1_000,
          language: Self.language(language),
          retweets: isPopular ? own.within(3...400) : nil))
    }
    self.entries = entries
  }

  /// The least number that a tweet of a moment can have: numbers tell the time.
  ///
  /// - Parameter milliseconds: Since 1970.
  /// - Returns: The number.
  static func identifier(at milliseconds: Int) -> Int {
    max(0, milliseconds - 1_288_834_974_657) << 22
  }

  /// The least number that is still in the index, and the hour that it belongs to.
  static var oldest: (identifier: Int, time: Int) {
    (identifier(at: (now - reach) * 1_000), now - reach)
  }

  private static func language(_ unit: Double) -> String {
    switch unit {
    case ..<0.6: "en"
    case ..<0.7: "es"
    case ..<0.78: "pt"
    case ..<0.86: "fr"
    case ..<0.93: "de"
    default: "ja"
    }
  }
}
