import OpshJSON
import OpshTexts

/// The names, words and sentences that data is invented from, from the files in `COpshTexts/Data`;
/// their order counts: a seed draws by position.
enum PracticeTexts {
  static let stackExchange = json("stack-exchange")
  static let twitter = json("twitter")
  static let parse = json("parse")

  private static func json(_ file: String) -> JSONValue {
    let text = TextRecord.text(of: "Data/\(file)")
    guard let value = try? JSONValue(parsing: Array(text.utf8)) else {
      preconditionFailure("'\(file)' of the data is not JSON")
    }
    return value
  }
}

extension JSONValue {
  /// The members of an object, or nil.
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  /// The elements of an array, or nil.
  var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  /// The text of a string, or nil.
  var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements of a member that is an array.
  func list(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }
  /// The strings of a member that is an array of them.
  func strings(_ name: String) -> [String] { list(name).compactMap(\.string) }
  /// The text of a member; empty without one.
  func text(_ name: String) -> String { self[name]?.string ?? "" }
}
