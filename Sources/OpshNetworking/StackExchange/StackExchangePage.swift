public import OpshWebAPIs

/// A page of items in the wrapper that every method of the API has.
public struct StackExchangePage<Description: StackExchangeEndpoint>: Sendable, Equatable {
  /// An item of the page.
  public typealias Item = APIRecord<Description.Fields>
  /// The items in the order of the service, without those with a number that overflows its type,
  /// such as `1e400`; those are only in ``raw``.
  public private(set) var items: [Item]
  /// The fields of the page.
  public let wrapper: APIRecord<StackExchange.WrapperFields>
  /// Whether another page follows.
  public var hasMore: Bool { wrapper.hasMore ?? false }
  /// How many items the service sent, including those with too few fields because of a filter.
  public var count: Int { wrapper.items?.count ?? 0 }
  /// The number of items on all pages, if the filter requests it.
  public var total: Int? { wrapper.total }
  /// Whether the filter excludes the items themselves.
  public var hasNoItems: Bool { wrapper.items == nil }
  /// The complete response with every field, without entities in titles and names.
  public let raw: JSONValue
}

/// Holds a page of questions.
public typealias QuestionsPage = StackExchangePage<Questions>

/// Holds a page of answers.
public typealias AnswersPage = StackExchangePage<Answers>

extension StackExchangePage {
  /// Decodes a response of the service.
  ///
  /// - Parameters:
  ///   - body: JSON text.
  ///   - isFiltered: Whether the request has a filter, which may exclude any field. Items without
  ///     required fields are then only in `raw`.
  /// - Throws: `NetworkError.serialization` if it is not JSON or not such a page.
  public init(decoding body: [UInt8], isFiltered: Bool = false) throws(NetworkError) {
    raw = StackExchangeText.decodingEntities(try JSONValue(body: body))
    items = []
    do throws(APIFieldError) {
      wrapper = try APIRecord(field: raw)
      let elements = wrapper.items ?? []
      if !isFiltered, hasNoItems { throw APIFieldError("is missing").within("items") }
      items.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        do throws(APIFieldError) {
          items.append(try Item(field: element))
        } catch {
          // One overflowing number does not fail the rest of the page.
          guard isFiltered || error.isNumberOutOfRange else {
            throw error.within("items[\(index)]")
          }
        }
      }
    } catch {
      throw .serialization(error.message)
    }
  }
}

/// The text fields of the API with entities.
enum StackExchangeText {
  private static let encodedFields: Set<String> = ["title", "display_name"]

  /// Decodes the entities of all titles and names at any depth.
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

  /// Parses an error that the service sends instead of a page; nil if it is not an error.
  static func error(in body: [UInt8]) -> NetworkError? {
    guard let value = try? JSONValue(body: body), case .integer(let id)? = value["error_id"],
      case .string(let name)? = value["error_name"],
      case .string(let message)? = value["error_message"], let id = Int(exactly: id)
    else { return nil }
    return .api(id: id, name: printable(name), message: printable(HTMLEntities.decode(message)))
  }
}
