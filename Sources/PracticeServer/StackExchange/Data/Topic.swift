import OpshJSON

/// What the questions of one subject are made of.
struct Topic: Sendable {
  let language: String
  let tag: String
  /// Tags that go with the subject.
  let related: [String]
  /// Names in code that a title may mention.
  let code: [String]
  /// Types, some of them generic.
  let types: [String]
  /// Tasks, as verb phrases.
  let actions: [String]
  /// Error messages of the topic.
  let errors: [String]

  private init(_ text: JSONValue) {
    (language, tag) = (text.text("language"), text.text("tag"))
    (related, code, types) = (text.strings("related"), text.strings("code"), text.strings("types"))
    (actions, errors) = (text.strings("actions"), text.strings("errors"))
  }

  /// All subjects, the most frequent ones first.
  static let all = PracticeTexts.stackExchange.list("topics").map { Topic($0) }

  /// The tags; the position of each is that of its bit.
  static let tags: [String] = {
    var seen: Set<String> = []
    let tags = all.flatMap { [$0.tag] + $0.related }.filter { seen.insert($0).inserted }
    return Array(tags.prefix(UInt64.bitWidth))
  }()

  /// The bit of a tag; nil if there is no such tag.
  static func bit(of tag: String) -> UInt64? { positions[tag].map { 1 << UInt64($0) } }

  private static let positions = Dictionary(
    uniqueKeysWithValues: tags.enumerated().map { ($1, $0) })

  /// The bits of those tags that there are.
  static func bits(ofAny names: some Sequence<String>) -> UInt64 {
    names.reduce(0) { $0 | (bit(of: $1) ?? 0) }
  }

  /// The positions of the bits that are set, from the lowest.
  static func bits(of tags: UInt64) -> [Int] {
    self.tags.indices.filter { tags & 1 << UInt64($0) != 0 }
  }

  /// The names of the tags of a question, the subject's own first, as the most used one is.
  func names(_ tags: UInt64) -> [String] {
    let names = Self.bits(of: tags).map { Self.tags[$0] }
    return names.filter { $0 == tag } + names.filter { $0 != tag }
  }
}
