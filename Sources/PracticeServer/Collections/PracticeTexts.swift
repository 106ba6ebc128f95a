import COpshPracticeTexts
import OpshJSON

/// The names, words and sentences that data is invented from, from the files in
/// `COpshPracticeTexts/Data`.
enum PracticeTexts {
  static let stackExchange = json(opsh_practice_stack_exchange())
  static let twitter = json(opsh_practice_twitter())
  static let parse = json(opsh_practice_parse())

  private static func json(_ text: opsh_practice_text) -> JSONValue {
    let bytes = UnsafeBufferPointer(start: text.bytes, count: text.count)
    guard let value = try? JSONValue(parsing: Array(bytes)) else {
      preconditionFailure("a file of COpshPracticeTexts is not JSON")
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
