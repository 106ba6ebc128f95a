import OpshSupport

/// A person who asks and answers.
struct User {
  let identifier: Int
  let accountIdentifier: Int
  let reputation: Int
  let type: String
  let acceptRate: Int?
  /// The name as the service encodes it.
  let name: String
  let image: String
  let link: String

  /// Invents a person.
  init(position: Int, site: String, random: inout RandomSource) {
    identifier = 1_000 + position * 37 + random.below(37)
    accountIdentifier = 500 + position * 41 + random.below(41)
    // A few people have most of the reputation.
    let luck = random.unit()
    let rare = luck * luck * luck * luck
    reputation = 1 + Int(rare * rare * rare * rare * 300_000) + random.below(900)
    let kind = random.unit()
    type = kind < 0.97 ? "registered" : kind < 0.99 ? "unregistered" : "moderator"
    acceptRate = random.chance(0.45) ? random.within(20...100) : nil
    let plain = Self.makeName(identifier: identifier, &random)
    name = HTMLText.encode(plain)
    link = "\(site)/users/\(identifier)/\(HTMLText.slug(plain))"
    let picture = [random.next(), random.next()].map { $0.padded(to: 16, radix: 16) }.joined()
    image = "https://www.gravatar.com/avatar/\(picture)?s=256&d=identicon&r=PG"
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

  private static let firstNames = [
    "Ada", "Ahmed", "Aisha", "Ana", "Björn", "Chloé", "Daniel", "Elif", "Emeka", "Fatima",
    "François", "Grace", "Hiroshi", "Igor", "Ingrid", "Jürgen", "José", "Kavita", "Li", "Lucía",
    "Marta", "Mei", "Miguel", "Nadia", "Noor", "Olga", "Oluwaseun", "Pedro", "Priya", "Rémi",
    "Sanjay", "Sofia", "Søren", "Tomáš", "Ulrike", "Valérie", "Wei", "Yusuf", "Zoë", "美咲",
  ]

  private static let lastNames = [
    "Abara", "Almeida", "Andersson", "Bauer", "Çelik", "Dubois", "D'Angelo", "Eriksen", "Fischer",
    "García", "Gupta", "Hansen", "Ibrahim", "Ivanova", "Jones", "Kowalski", "Larsen", "Lefèvre",
    "Muñoz", "Müller", "Nakamura", "Novák", "O'Brien", "Okafor", "Petrov", "Quiroga", "Rossi",
    "Sato", "Silva", "Smith", "Straße", "Tanaka", "Uçar", "Virtanen", "Wang", "Weiß", "Yılmaz",
    "Zhou",
  ]

  private static let nicknames = [
    "null & void", "bitwise", "<script>kid", "octocat's friend", "segfault", "rubber duck",
    "tabs > spaces", "stack.pop()", "offByOne", "lambda", "the \"other\" Bob", "kernel_panic",
    "heisenbug", "curlyBrace", "semicolon;", "coffee->code",
  ]
}
