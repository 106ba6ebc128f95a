/// Holds a page of items in the wrapper that every method of the API has.
public struct StackExchangePage<Item: Sendable & Equatable & Decodable>: Sendable, Equatable {
  /// The items in the order of the service, without those that hold a number that their type can't
  /// hold, such as `1e400`; those are only in ``raw``.
  public var items: [Item]
  /// Whether a further page follows.
  public var hasMore: Bool
  /// The requests allowed a day.
  public var quotaMax: Int?
  /// The requests left today.
  public var quotaRemaining: Int?
  /// How many seconds this method must not be called again.
  public var backoff: Int?
  /// How many items the service sent, those included that a filter left too little of.
  public var count: Int {
    guard case .array(let elements)? = raw["items"] else { return 0 }
    return elements.count
  }
  /// How many items there are on all pages, where the filter asks for that.
  public var total: Int? { raw["total"]?.exactInteger() }
  /// Whether the filter leaves out the items themselves.
  public var hasNoItems: Bool { raw["items"] == nil }
  /// The whole answer, every field that was sent, without entities in titles and names.
  public var raw: JSONValue
}

/// Holds a page of questions.
public typealias QuestionsPage = StackExchangePage<Question>

/// Holds a page of answers.
public typealias AnswersPage = StackExchangePage<Answer>

extension StackExchangePage {
  /// Decodes an answer of the service.
  ///
  /// - Parameters:
  ///   - body: JSON text.
  ///   - isFiltered: Whether the request named a filter, which may leave out any field. Items that
  ///     lack what the type needs are then only in `raw`.
  /// - Throws: `NetworkError.serialization` when it is not JSON or not such a page.
  public init(decoding body: [UInt8], isFiltered: Bool = false) throws(NetworkError) {
    raw = StackExchangeText.decodingEntities(try JSONValue(parsing: body))
    let wrapper = try JSONValueDecoder.decode(StackExchangeWrapper.self, from: raw)
    if isFiltered {
      guard case .array(let elements) = raw["items"] ?? .array([]) else {
        throw .serialization("'items' is no array")
      }
      items = elements.compactMap { try? JSONValueDecoder.decode(Item.self, from: $0) }
    } else {
      items = try JSONValueDecoder.decode(StackExchangeItems<Item>.self, from: raw).items
    }
    hasMore = wrapper.hasMore ?? false
    quotaMax = wrapper.quotaMax
    quotaRemaining = wrapper.quotaRemaining
    backoff = wrapper.backoff
  }
}

private struct StackExchangeItems<Item: Decodable>: Decodable {
  var items: [Item] = []

  private enum CodingKeys: CodingKey {
    case items
  }

  init(from decoder: any Decoder) throws {
    var elements = try decoder.container(keyedBy: CodingKeys.self)
      .nestedUnkeyedContainer(forKey: .items)
    while !elements.isAtEnd {
      do {
        items.append(try elements.decode(Item.self))
      } catch let error as DecodingError where error.isNumberOutOfRange {
        // One such number does not take the rest of the page away.
        _ = try elements.superDecoder()
      }
    }
  }
}

private struct StackExchangeWrapper: Decodable {
  var hasMore: Bool?
  var quotaMax: Int?
  var quotaRemaining: Int?
  var backoff: Int?

  enum CodingKeys: String, CodingKey {
    case hasMore = "has_more"
    case quotaMax = "quota_max"
    case quotaRemaining = "quota_remaining"
    case backoff
  }
}

/// Knows which texts of the API hold entities.
enum StackExchangeText {
  private static let encodedFields: Set<String> = ["title", "display_name"]

  /// Decodes the entities of all titles and names, at whatever depth they stand.
  ///
  /// The depth is bounded by the parser's limit.
  static func decodingEntities(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map(decodingEntities))
    case .object(let members):
      return .object(
        members.map { member in
          var member = member
          if case .string(let text) = member.value {
            if encodedFields.contains(member.name) {
              member.value = .string(HTMLEntities.decode(text))
            }
          } else {
            member.value = decodingEntities(member.value)
          }
          return member
        })
    case .null, .boolean, .integer, .real, .literal, .string: return value
    }
  }

  /// Reads the error that the service sends in place of a page, or nil when it is none.
  static func error(in body: [UInt8]) -> NetworkError? {
    guard let value = try? JSONValue(parsing: body), case .integer(let id)? = value["error_id"],
      case .string(let name)? = value["error_name"],
      case .string(let message)? = value["error_message"], let id = Int(exactly: id)
    else { return nil }
    return .api(id: id, name: printable(name), message: printable(HTMLEntities.decode(message)))
  }
}
