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
    identifier = Self.identifier(of: screenName)
    image = Self.image(of: screenName)
  }

  /// Invents the person behind a name.
  init(screenName: String) {
    self.screenName = screenName
    name = screenName.prefix(1).uppercased() + screenName.dropFirst()
    identifier = Self.identifier(of: screenName)
    image = Self.image(of: screenName)
  }

  func image(host: String) -> String { "\(host)/profile_images/\(image)" }

  /// Returns the number of a screen name; the same name always has the same number.
  private static func identifier(of screenName: String) -> Int {
    let hash = screenName.lowercased().utf8.reduce(fnvBasis) { fnv($0, $1) }
    return 1_000 + Int(hash % 870_000_000)
  }

  private static func image(of screenName: String) -> String {
    let hash = screenName.lowercased().utf8.reduce(fnvBasis) { fnv(fnv($0, $1), 0x2F) }
    return "\(1_000_000_000 + Int(hash % 1_600_000_000))/\(HTMLText.slug(screenName))_normal.png"
  }

  private static let firstNames = [
    "Ana", "Ben", "Chloe", "Dara", "Emil", "Fumi", "Gus", "Hana", "Ivo", "Jo", "Kim", "Lena",
    "Max", "Nora", "Omar", "Pia", "Quin", "Rosa", "Sam", "Tess",
  ]
  private static let lastNames = [
    "Adler", "Bloom", "Cruz", "Duval", "Endo", "Fox", "Grau", "Holm", "Ito", "Jansen", "Klein",
    "Lopes", "Meyer", "Novak", "Ortiz", "Park", "Rossi", "Silva", "Tanaka", "Weiss",
  ]
  private static let otherNames = [
    "さくら", "Q & A Desk", "Łukasz", "José ☕", "Иван", "小林 健", "Zoë's Books", "< coder >",
  ]
}
