/// Names a version of the Stack Exchange API.
public enum StackExchangeVersion: String, Sendable, CaseIterable {
  /// Version 2.2.
  case version22 = "2.2"
  /// Version 2.3, the current one.
  case version23 = "2.3"
}

/// Names the direction of an order.
public enum SortOrder: String, Sendable, CaseIterable {
  /// Smallest or oldest first.
  case ascending = "asc"
  /// Greatest or newest first.
  case descending = "desc"
}

/// Names what questions are ordered by.
public enum QuestionSort: String, Sendable, CaseIterable {
  /// The last change of any kind.
  case activity
  /// The time they were asked.
  case creation
  /// Their score.
  case votes
  /// What is discussed now; takes no minimum and maximum.
  case hot
  /// The best of the week; takes no minimum and maximum.
  case week
  /// The best of the month; takes no minimum and maximum.
  case month
}

/// Names what answers are ordered by.
public enum AnswerSort: String, Sendable, CaseIterable {
  /// The last change of any kind.
  case activity
  /// The time they were given.
  case creation
  /// Their score.
  case votes
}

/// Collects the fields of a query and encodes them for an address.
struct QueryFields {
  private var text = ""

  /// Appends a field unless its value is nil.
  mutating func append(_ name: String, _ value: String?) {
    guard let value else { return }
    if !text.isEmpty { text += "&" }
    text += "\(name)=\(Self.encode(value))"
  }

  mutating func append(_ name: String, _ value: Int?) { append(name, value.map(String.init)) }

  /// The fields as the query of an address, or nil without any.
  var encoded: String? { text.isEmpty ? nil : text }

  /// Encodes everything but the unreserved characters of RFC 3986; a plus sign too, which servers
  /// take for a space.
  static func encode(_ value: String) -> String {
    String(
      decoding: value.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: [byte]
        default: percentEncoded(byte)
        }
      }, as: UTF8.self)
  }
}
