import OpshSupport

/// A person who writes tweets.
struct TweetPerson {
  let identifier: Int
  let screenName: String
  let name: String
  private let image: String

  /// Invents a person.
  init(_ random: inout RandomSource) {
    let first = random.pick(Self.firstNames)
    let last = random.pick(Self.lastNames)
    let number = random.within(2...99)
    switch random.below(5) {
    case 0: screenName = "\(first)_\(last)".lowercased()
    case 1: screenName = "\(first)\(number)"
    case 2: screenName = "the\(last)"
    case 3: screenName = "\(first.prefix(1))\(last)".lowercased()
    default: screenName = "\(last)\(first.prefix(1))\(number)"
    }
    name = random.chance(0.1) ? random.pick(Self.otherNames) : "\(first) \(last)"
    (identifier, image) = Self.derived(from: screenName)
  }

  /// Invents the person behind a name.
  init(screenName: String) {
    self.screenName = screenName
    name = screenName.prefix(1).uppercased() + screenName.dropFirst()
    (identifier, image) = Self.derived(from: screenName)
  }

  func image(host: String) -> String { "\(host)/profile_images/\(image)" }

  /// The number and the picture of a screen name; the same name always has the same ones.
  private static func derived(from screenName: String) -> (Int, String) {
    let name = screenName.lowercased().utf8
    let number = name.reduce(fnvBasis) { fnv($0, $1) } % 870_000_000
    let picture = name.reduce(fnvBasis) { fnv(fnv($0, $1), 0x2F) } % 1_600_000_000
    return (
      1_000 + Int(number),
      "\(1_000_000_000 + Int(picture))/\(HTMLText.slug(screenName))_normal.png"
    )
  }

  private static let firstNames = PracticeTexts.twitter.strings("firstNames")
  private static let lastNames = PracticeTexts.twitter.strings("lastNames")
  private static let otherNames = PracticeTexts.twitter.strings("otherNames")
}
