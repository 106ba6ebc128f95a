public import OpshJSON

/// A field of an item: its name in JSON, and its type.
///
/// A field of an optional type may be missing or null, and is nil for a number that does not fit.
public struct APIField<Value: APIFieldValue>: APIFieldDeclaration {
  /// The name for a writer of JSON.
  public let key: StaticString
  /// The name in JSON.
  public let name: String
  /// Whether every complete item has it.
  public var isRequired: Bool { Value.missing == nil }

  /// Declares a field.
  public init(_ key: StaticString) {
    self.key = key
    name = "\(key)"
  }

  /// Reads the field of an item.
  public func value(in members: [String: JSONValue]) throws(APIFieldError) -> Value {
    do throws(APIFieldError) {
      if let value = members[name] { return try Value(field: value) }
      guard let value = Value.missing else { throw APIFieldError("is missing") }
      return value
    } catch {
      throw error.within(name)
    }
  }

  /// Throws what is wrong with the field of an item.
  public func check(_ members: [String: JSONValue]) throws(APIFieldError) {
    _ = try value(in: members)
  }
}

/// A field without its type.
public protocol APIFieldDeclaration: Sendable {
  /// The name in JSON.
  var name: String { get }
  /// Whether every complete item has it.
  var isRequired: Bool { get }
  /// Throws what is wrong with the field of an item.
  func check(_ members: [String: JSONValue]) throws(APIFieldError)
}

/// The fields of a kind of items: a structure whose properties are the fields.
public protocol APIFields: Sendable {
  /// The fields, each by its property and all as a list.
  static var list: APIFieldList<Self> { get }
}

/// The fields of a kind of items, each by its property and all as a list.
public struct APIFieldList<Fields: Sendable>: Sendable {
  /// The fields.
  public let fields: Fields
  /// All of them.
  public let all: [any APIFieldDeclaration]

  /// Lists the properties of a structure.
  public init(_ fields: Fields) {
    self.fields = fields
    all = Mirror(reflecting: fields).children.compactMap { $0.value as? any APIFieldDeclaration }
  }
}

/// An item of a result: the object that was sent, with its fields checked.
///
/// ```swift
/// question.title
/// question.owner?.displayName
/// ```
@dynamicMemberLookup
public struct APIRecord<Fields: APIFields>: APIFieldValue, Equatable {
  private let members: [String: JSONValue]

  /// Checks an object.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard case .object(let members) = value else { throw APIFieldError(value, isNot: "an object") }
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
    for field in Fields.list.all { try field.check(self.members) }
  }

  /// The value of a field.
  public subscript<Value>(dynamicMember field: KeyPath<Fields, APIField<Value>>) -> Value {
    let field = Fields.list.fields[keyPath: field]
    guard let value = try? field.value(in: members) else {
      preconditionFailure("the field '\(field.name)' was checked when the record was made")
    }
    return value
  }
}
