import OpshJSON
import OpshSupport
import OpshWebAPIs

/// The quotes that a Parse client finds on its first look.
///
/// A few of them do not have the form that the others have, as happens in data that many programs
/// have written: a client has to report these and go on.
enum QuoteCollection {
  static let className = Quotes.className
  private static let collectionClass = "Collection"

  /// Puts the quotes into a store.
  static func fill(_ store: ParsePlatformStore, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 0x51_554F_5445)
    do throws(ParsePlatformError) {
      let collections = try makeCollections(store)
      for (index, text) in texts.enumerated() {
        let identifier = store.newIdentifier(for: className)
        // From 2012 on, one every few days.
        let created = 1_325_376_000_000 + index * 432_000_000 + random.below(400_000_000)
        let isChanged = random.chance(0.4)
        let updated = created + (isChanged ? random.within(60_000...30_000_000_000) : 0)
        var fields =
          JSONValue([
            "text": text,
            "author": random.pick(authors),
            "readCount": isChanged ? random.within(1...250) : 0,
            "tags": tags(of: text),
            "collection": ParsePlatformValue.pointer(collectionClass, random.pick(collections)),
            "addedOn": ParsePlatformValue.date(created - random.below(86_400_000)),
          ]).members ?? []
        // Which ones do not fit is the same for every seed; what is in the others is not.
        switch index {
        case 11: fields["text"] = nil
        case 23: fields["text"] = .integer(42)
        case 37: fields["readCount"] = .string("often")
        case 48:
          fields["text"] = .null
          fields["author"] = .array([.string("Nobody"), .string("Somebody")])
        default: break
        }
        try store.put(
          ParsePlatformObject(
            identifier: identifier, createdAt: created, updatedAt: updated, fields: fields),
          in: className, types: types)
      }
    } catch {
      // Sixty small objects fit into an empty store; if not, there are fewer.
      return
    }
  }

  private static let types: [String: String] = [
    "text": "String", "author": "String", "readCount": "Number", "tags": "Array",
    "collection": "Pointer<Collection>", "addedOn": "Date",
  ]

  private static func makeCollections(
    _ store: ParsePlatformStore
  ) throws(ParsePlatformError) -> [String] {
    var identifiers: [String] = []
    for (index, name) in ["Waiting", "Making", "Breaking", "Mending"].enumerated() {
      let identifier = store.newIdentifier(for: collectionClass)
      let created = 1_325_000_000_000 + index * 1_000_000
      let fields = JSONValue(["name": name, "shelf": index + 1]).members ?? []
      try store.put(
        ParsePlatformObject(
          identifier: identifier, createdAt: created, updatedAt: created, fields: fields),
        in: collectionClass, types: ["name": "String", "shelf": "Number"])
      identifiers.append(identifier)
    }
    return identifiers
  }

  /// The subjects of a text: those of some words that are in it.
  private static func tags(of text: String) -> [String] {
    let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
    return subjects.filter { words.contains($0) }
  }

  private static let subjects = PracticeTexts.parse.strings("subjects")
  private static let authors = PracticeTexts.parse.strings("authors")
  private static let texts = PracticeTexts.parse.strings("texts")
}
