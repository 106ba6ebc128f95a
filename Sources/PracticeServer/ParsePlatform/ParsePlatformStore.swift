import OpshJSON
import OpshSupport

/// What clients of the Parse API have written, and what was there before.
///
/// It belongs to the server's thread.
final class ParsePlatformStore {
  private struct Class {
    /// The objects, each with the number of bytes that it takes.
    var objects: [String: (object: ParsePlatformObject, size: Int)] = [:]
    /// Identifiers in the order of creation.
    var order: [String] = []
    /// The type of each field that any object has had.
    var schema: [String: String] = [:]
  }

  private var classes: [String: Class] = [:]
  private var random: RandomSource
  private var count = 0
  private var size = 0
  private var latest = 0
  /// When requests with an `X-Parse-Request-Id` came, by that identifier.
  private var requests: [String: UInt64] = [:]
  /// Nanoseconds since 1970.
  var wall: UInt64 = 0

  static let maximumObjects = 10_000
  static let maximumClasses = 200
  private static let maximumRequests = 10_000
  /// For how long the identifier of a request is remembered, in nanoseconds.
  private static let requestLife: UInt64 = 300_000_000_000
  private static let maximumSize = 32 << 20
  private static let maximumObjectSize = 128 * 1024

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
  func objects(of className: String) -> [ParsePlatformObject] {
    guard let found = classes[className] else { return [] }
    return found.order.compactMap { found.objects[$0]?.object }
  }

  func object(_ identifier: String, of className: String) -> ParsePlatformObject? {
    classes[className]?.objects[identifier]?.object
  }

  /// The type that a field has in all objects of a class, if any object has had it.
  func type(of field: String, in className: String) -> String? {
    classes[className]?.schema[field]
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
  /// gives the order in which things were written.
  func nextMoment() -> Int {
    latest = max(latest + 1, Int(wall / 1_000_000))
    return latest
  }

  /// Puts an object in, or in place of the one with its identifier.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - className: Its class.
  ///   - types: The types of its fields that the class has from now on.
  /// - Throws: That it is too large, or that there is no room.
  func put(
    _ object: ParsePlatformObject, in className: String, types: [String: String] = [:]
  ) throws(ParsePlatformError) {
    let newSize = JSONValue.object(object.fields).text.utf8.count
    guard newSize <= Self.maximumObjectSize else { throw .tooLarge }
    if classes[className] == nil, classes.count >= Self.maximumClasses { throw .full }
    let oldSize = classes[className]?.objects[object.identifier]?.size
    guard oldSize != nil || count < Self.maximumObjects,
      size + newSize - (oldSize ?? 0) <= Self.maximumSize
    else { throw .full }
    if oldSize == nil {
      classes[className, default: Class()].order.append(object.identifier)
      count += 1
    }
    size += newSize - (oldSize ?? 0)
    classes[className]?.objects[object.identifier] = (object, newSize)
    classes[className]?.schema.merge(types) { first, _ in first }
  }

  /// Notes the identifier of a request that is to be carried out once, however often it comes.
  ///
  /// - Parameter name: The identifier that the client gave it.
  /// - Throws: That it was carried out before.
  func admit(request name: String) throws(ParsePlatformError) {
    if let before = requests[name], wall < before &+ Self.requestLife { throw .duplicateRequest }
    if requests.count >= Self.maximumRequests { requests.removeAll() }
    requests[name] = wall
  }

  /// Deletes an object; returns whether there was one.
  func remove(_ identifier: String, from className: String) -> Bool {
    guard let removed = classes[className]?.objects.removeValue(forKey: identifier) else {
      return false
    }
    size -= removed.size
    count -= 1
    classes[className]?.order.removeAll { $0 == identifier }
    return true
  }
}

@available(*, unavailable)
extension ParsePlatformStore: Sendable {}
