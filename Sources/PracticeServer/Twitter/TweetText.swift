/// The text of a tweet, with the places of what is special in it.
struct TweetText {
  /// What is special, and where: counted in code points of the text as it is sent.
  struct Entity: Equatable {
    enum Kind: Equatable {
      case hashtag, mention, link
    }

    var kind: Kind
    /// The text of it, with its sign.
    var text: String
    var range: Range<Int>
  }

  /// The text as it is sent: `&`, `<` and `>` are encoded, nothing else.
  private(set) var text = ""
  private(set) var entities: [Entity] = []
  /// The number of code points.
  private var length = 0

  static let maximumLength = 140

  /// Puts a text together.
  ///
  /// - Parameter words: Its words and pieces in order, with no space where one ends with a line
  ///   break character of its own.
  init(_ words: [String]) {
    // Offsets in the decoded text differ after an encoded character. With all entities before it,
    // both offsets are the same.
    let isEncoded = words.contains { $0.contains { "&<>".contains($0) } }
    let ordered =
      isEncoded
      ? words.filter { Self.kind(of: $0) != nil } + words.filter { Self.kind(of: $0) == nil }
      : words
    for word in ordered where !word.isEmpty {
      if !text.isEmpty { append(" ") }
      append(word: word)
    }
  }

  /// Puts the name of the author before the text.
  init(_ other: TweetText, prefixedBy name: String) {
    append("\(name): ")
    let shift = length
    append(other.text)
    entities = other.entities.map { entity in
      var moved = entity
      moved.range = entity.range.lowerBound + shift..<entity.range.upperBound + shift
      return moved
    }
  }

  /// How many code points some words will take, before anything is encoded.
  static func length(of words: [String]) -> Int {
    words.reduce(0) { $0 + $1.unicodeScalars.count } + max(0, words.count - 1)
  }

  private mutating func append(_ piece: String) {
    text += piece
    length += piece.unicodeScalars.count
  }

  private mutating func append(word: String) {
    let special = Self.special(word)
    if let special {
      let start = length
      append(special.text)
      entities.append(Entity(kind: special.kind, text: special.text, range: start..<length))
    }
    for scalar in word.unicodeScalars.dropFirst(special?.text.unicodeScalars.count ?? 0) {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      default: append(String(scalar))
      }
    }
  }

  private static func kind(of word: String) -> Entity.Kind? { special(word)?.kind }

  /// The part of a word, from its beginning, that is special.
  private static func special(_ word: String) -> (kind: Entity.Kind, text: String)? {
    if word.hasPrefix("http://t.co/") { return (.link, word) }
    let sign = word.unicodeScalars.first
    guard sign == "#" || sign == "@" else { return nil }
    let isMention = sign == "@"
    let name = word.unicodeScalars.dropFirst().prefix { scalar in
      if isMention || scalar.isASCII { return scalar == "_" || isASCIIWord(scalar) }
      return scalar.properties.isAlphabetic
    }
    let hasLetter = name.contains { $0.properties.isAlphabetic }
    guard !name.isEmpty, isMention ? name.count <= 15 : hasLetter else { return nil }
    return (
      isMention ? .mention : .hashtag, String(Character(isMention ? "@" : "#")) + String(name)
    )
  }

  private static func isASCIIWord(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}
