import OpshJSON
import OpshSupport

/// A person who asks and answers.
enum User {
  /// Invents a person, as it is sent with each post.
  static func make(position: Int, site: String, _ random: inout RandomSource) -> JSONValue {
    let identifier = 1_000 + position * 37 + random.below(37)
    let account = 500 + position * 41 + random.below(41)
    // A few people have most of the reputation.
    let luck = random.unit()
    let rare = luck * luck * luck * luck
    let reputation = 1 + Int(rare * rare * rare * rare * 300_000) + random.below(900)
    let kind = random.unit()
    let acceptRate = random.chance(0.45) ? random.within(20...100) : nil
    let name = makeName(identifier: identifier, &random)
    let picture = [random.next(), random.next()].map { $0.padded(to: 16, radix: 16) }.joined()
    return JSONValue([
      "account_id": account,
      "reputation": reputation,
      "user_id": identifier,
      "user_type": kind < 0.97 ? "registered" : kind < 0.99 ? "unregistered" : "moderator",
      "accept_rate": acceptRate,
      "profile_image": "https://www.gravatar.com/avatar/\(picture)?s=256&d=identicon&r=PG",
      "display_name": HTMLText.encode(name),
      "link": "\(site)/users/\(identifier)/\(HTMLText.slug(name))",
    ])
  }

  /// The rest of a deleted account.
  static func deleted(_ number: Int) -> JSONValue {
    JSONValue(["user_type": "does_not_exist", "display_name": "user\(number)"])
  }

  private static func makeName(identifier: Int, _ random: inout RandomSource) -> String {
    switch random.below(10) {
    case 0: "user\(identifier)"
    case 1: random.pick(nicknames)
    case 2: "\(random.pick(nicknames))\(random.within(2...99))"
    case 3: "\(random.pick(firstNames)) \(random.pick(lastNames).prefix(1))."
    case 4: random.pick(firstNames)
    default: "\(random.pick(firstNames)) \(random.pick(lastNames))"
    }
  }

  private static let firstNames = PracticeTexts.stackExchange.strings("firstNames")
  private static let lastNames = PracticeTexts.stackExchange.strings("lastNames")
  private static let nicknames = PracticeTexts.stackExchange.strings("nicknames")
}
