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
        var fields: [JSONValue.Member] = [
          .init(name: "text", value: .string(text)),
          .init(name: "author", value: .string(random.pick(authors))),
          .init(
            name: "readCount",
            value: .integer(isChanged ? Int64(random.within(1...250)) : 0)),
          .init(name: "tags", value: .array(tags(of: text).map(JSONValue.string))),
          .init(
            name: "collection",
            value: ParsePlatformValue.pointer(collectionClass, random.pick(collections))),
          .init(
            name: "addedOn",
            value: ParsePlatformValue.date(created - random.below(86_400_000))),
        ]
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
      let fields: [JSONValue.Member] = [
        .init(name: "name", value: .string(name)),
        .init(name: "shelf", value: .integer(Int64(index + 1))),
      ]
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

  private static let subjects = [
    "queue", "test", "error", "cache", "thread", "lock", "name", "plan", "machine", "patience",
  ]

  private static let authors = [
    "Marit Solheim", "Edwin Okoro", "Jana Prochazkova", "Teodor Lind", "Amara Nwosu",
    "Rui Teixeira", "Hanne Vestergaard", "Kenji Morita", "Paula Zimmer", "Ilse Brandt",
    "Samir Haddad", "An old proverb",
  ]

  private static let texts = [
    "A queue is a promise that everyone's turn will come.",
    "What you do not measure you only suspect.",
    "The second thread finds what the first one hid.",
    "Patience is a timeout that nobody has set.",
    "Every error message is a letter to a stranger in trouble.",
    "A cache remembers everything except when to forget.",
    "Whoever holds the lock should not stop for a chat.",
    "The shortest program is the one you talked someone out of.",
    "A test that cannot fail has nothing to say.",
    "Give a thing the right name and half of its comments go home.",
    "The machine is never late; it was only told late.",
    "Before you ask it to be fast, ask it to be finished.",
    "Cancelling is easy; knowing that it has stopped is the work.",
    "Two clocks are an argument, three are a research project.",
    "A plan is a guess that has been written down neatly.",
    "You cannot hurry a river, but you can build a second bridge.",
    "The network is a friend who forgets half of what you say.",
    "If nobody reads the log, the log was talking to itself.",
    "It is cheaper to wait once than to poll for ever.",
    "An error that is swallowed comes back with its relatives.",
    "The best interface is the one you stop noticing.",
    "Nothing is as permanent as a workaround with a date on it.",
    "He who retries without a pause knocks the door down.",
    "Simple is what is left when you have understood.",
    "A lock kept too long becomes a wall.",
    "Half of debugging is admitting what you assumed.",
    "The queue does not care who is important; that is its charm.",
    "Write the test first, and the code knows where to go.",
    "A good name survives three rewrites.",
    "An abstraction is a loan; somebody pays it back in details.",
    "Even a broken machine is right about the current it draws.",
    "Read the answer before you ask again.",
    "A dependency is a friend you did not choose.",
    "Do not optimise the road that nobody takes.",
    "The bug was there before the light was on.",
    "A thread without an owner is weather.",
    "Promises are cheap; finishing exactly once is not.",
    "What ends well was usually allowed to end.",
    "The fastest request is the one you do not send.",
    "Order is what you notice only after it is gone.",
    "An empty queue is a kind of silence worth hearing.",
    "Documentation is kindness with a long half-life.",
    "Never trust a number that cannot be wrong.",
    "The edge case was the middle of somebody's day.",
    "A cache miss is a question asked twice.",
    "First make it right, then make it boring.",
    "There is no such place as away; something always holds a reference.",
    "Who waits for everyone waits for the slowest.",
    "One careful look saves ten quick ones.",
    "A plan with no slack breaks at the first hello.",
    "Small steps are hard to trip over.",
    "The thing you forgot to close is still listening.",
    "Ask the machine why, and write the answer down.",
    "Restarting is not an explanation.",
    "Every race has a loser who did nothing wrong.",
    "A test that is slow will one day be a test that was.",
    "Patience scales; hurry does not.",
    "What two people call by one name will bite a third.",
    "The error was in the line above the one you stared at.",
    "When all is done, somebody still has to say so.",
  ]
}
