/// What clients of the Parse API have written, and what was there before.
///
/// It belongs to the server's thread.
final class ParseStore {
  private struct Class {
    var objects: [String: ParseObject] = [:]
    /// Identifiers in the order of creation.
    var order: [String] = []
    /// The type of each field that any object has had.
    var schema: [String: String] = [:]
    /// The names of those that are relations, and the classes that these lead to.
    var relations: [(name: String, target: String)] = []
    /// How many bytes each object takes.
    var sizes: [String: Int] = [:]
  }

  private var classes: [String: Class] = [:]
  private var random: RandomSource
  private var count = 0
  private var size = 0
  private var latest = 0
  /// When requests came that said by which name they could be told from others.
  private var requests: [String: UInt64] = [:]
  /// Nanoseconds since 1970.
  var wall: UInt64 = 0

  static let maximumObjects = 10_000
  static let maximumClasses = 200
  static let maximumRequests = 10_000
  /// For how long the name of a request is remembered, in nanoseconds.
  static let requestLife: UInt64 = 300_000_000_000
  static let maximumSize = 32 << 20
  static let maximumObjectSize = 128 * 1024

  init(seed: UInt64) {
    random = RandomSource(seed: seed, stream: 0x5041_5253_45)
    QuoteCollection.fill(self, seed: seed)
  }

  /// Whether a text may name a class or a field.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 128 else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// All objects of a class, the oldest first.
  func objects(of className: String) -> [ParseObject] {
    guard let found = classes[className] else { return [] }
    return found.order.compactMap { found.objects[$0] }
  }

  func count(of className: String) -> Int { classes[className]?.order.count ?? 0 }

  func object(_ identifier: String, of className: String) -> ParseObject? {
    classes[className]?.objects[identifier]
  }

  /// The type that a field has in all objects of a class, if any object has had it.
  func type(of field: String, in className: String) -> String? {
    classes[className]?.schema[field]
  }

  /// An object as it is sent.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - className: Its class, of which all objects have the relations that any has had.
  ///   - isWanted: Whether a field is to be sent.
  /// - Returns: Its keys and values.
  func json(
    _ object: ParseObject, of className: String, where isWanted: (String) -> Bool = { _ in true }
  ) -> JSONObject {
    var json = object.json(where: isWanted)
    for (name, target) in classes[className]?.relations ?? [] where isWanted(name) {
      json[name] = ParseValue.relation(to: target)
    }
    return json
  }

  /// An identifier that no object of a class has.
  func newIdentifier(for className: String) -> String {
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    while true {
      let identifier = String((0..<10).map { _ in random.pick(characters) })
      if object(identifier, of: className) == nil { return identifier }
    }
  }

  /// The present moment in milliseconds since 1970, and never the same one twice: sorting by time
  /// shall give the order in which things were written.
  func nextMoment() -> Int {
    latest = max(latest + 1, Int(wall / 1_000_000))
    return latest
  }

  /// Puts an object in, or in place of the one with its identifier.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - className: Its class.
  ///   - types: The types of its fields that the class is to have from now on.
  /// - Throws: That it is too large, or that there is no room.
  func put(
    _ object: ParseObject, in className: String, types: [String: String] = [:]
  ) throws(ParseError) {
    let fieldSize = Self.size(of: object.fields)
    guard fieldSize <= Self.maximumObjectSize else { throw .tooLarge }
    // The members of relations take room, but not in the object.
    let newSize = fieldSize + (object.relations.isEmpty ? 0 : Self.size(of: object.relations))
    if classes[className] == nil, classes.count >= Self.maximumClasses { throw .full }
    var kept = classes[className] ?? Class()
    // Two owners of the same storage would make each change copy all of it.
    classes[className] = nil
    defer { classes[className] = kept }
    let oldSize = kept.sizes[object.identifier]
    guard oldSize != nil || count < Self.maximumObjects,
      size + newSize - (oldSize ?? 0) <= Self.maximumSize
    else { throw .full }
    if oldSize == nil {
      kept.order.append(object.identifier)
      count += 1
    }
    size += newSize - (oldSize ?? 0)
    kept.sizes[object.identifier] = newSize
    kept.objects[object.identifier] = object
    for (name, type) in types.sorted(by: { $0.key < $1.key }) where kept.schema[name] == nil {
      kept.schema[name] = type
      if let target = ParseValue.relationTarget(type) { kept.relations.append((name, target)) }
    }
  }

  private static func size(of fields: JSONObject) -> Int {
    var json = JSONWriter()
    json.value(.object(fields))
    return json.bytes.count
  }

  /// Notes the name of a request that is to be carried out once, however often it comes.
  ///
  /// - Parameter name: The name that the client gave it.
  /// - Throws: That it was carried out before.
  func admit(request name: String) throws(ParseError) {
    if let before = requests[name], wall < before &+ Self.requestLife { throw .duplicateRequest }
    if requests.count >= Self.maximumRequests { requests.removeAll() }
    requests[name] = wall
  }

  /// Deletes an object.
  ///
  /// - Returns: Whether there was one.
  func remove(_ identifier: String, from className: String) -> Bool {
    guard classes[className]?.objects.removeValue(forKey: identifier) != nil else { return false }
    size -= classes[className]?.sizes.removeValue(forKey: identifier) ?? 0
    count -= 1
    classes[className]?.order.removeAll { $0 == identifier }
    return true
  }
}

@available(*, unavailable)
extension ParseStore: Sendable {}
