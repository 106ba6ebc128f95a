import Foundation
package import OpshJSON

/// The members of one JSON object, in the order in which they are written.
///
/// `JSONEncoder` would sort or shuffle them; the order of the keys is part of the format.
package struct JSONFields: ExpressibleByDictionaryLiteral, Sendable {
  package var members: [JSONValue.Member]

  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { JSONValue.Member(name: $0.0, value: $0.1) }
  }

  package init(_ members: [JSONValue.Member] = []) {
    self.members = members
  }

  package mutating func append(_ name: String, _ value: JSONValue) {
    members.append(JSONValue.Member(name: name, value: value))
  }

  package var value: JSONValue { .object(members) }
}

extension JSONValue {
  /// An object with these members.
  package static func members(_ fields: JSONFields) -> JSONValue { fields.value }

  /// Seconds rounded to milliseconds, as all times are shown.
  package static func seconds(_ seconds: Double) -> JSONValue {
    .real((seconds * 1000).rounded() / 1000)
  }

  package static func optional(_ string: String?) -> JSONValue {
    string.map(JSONValue.string) ?? .null
  }

  package static func optional(_ number: Int?) -> JSONValue {
    number.map { .integer(Int64($0)) } ?? .null
  }

  package static func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}
