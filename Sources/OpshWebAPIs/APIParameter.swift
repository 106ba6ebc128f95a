/// A parameter of an endpoint, and the key by which its value is read and set.
///
/// ```swift
/// static let pagesize = APIParameter<Int>("pagesize", 0...100, default: 30, help: "items on a page")
/// …
/// query[StackExchange.pagesize] = 5
/// ```
///
/// The type says what may be missing: `Int` has a default, `Int?` none, `[Int]` is a list.
public struct APIParameter<Value: Sendable>: APIParameterDeclaration {
  /// The declaration without its type.
  public let declaration: APIParameterDetails
  /// The value where a request does not have the parameter.
  public let standard: Value
  private let reader: @Sendable (String) -> Value?
  private let writer: @Sendable (Value) -> String?

  /// Declares a parameter of one value.
  ///
  /// - Parameters:
  ///   - name: The name in a request.
  ///   - range: The range of a number.
  ///   - standard: The service's default; nil for none.
  ///   - initial: The value that clients send by default; nil for none.
  ///   - option: The option of commands that sets it; nil for one that only programs set.
  ///   - help: What it means; begins with a noun or a verb.
  public init(
    _ name: String, _ range: ClosedRange<Int>? = nil, default standard: Value,
    initial: Value? = nil, option: String? = nil, help: String
  ) where Value: APIWord {
    declaration = .init(
      name: name, values: Value.values(in: range), standard: standard.word,
      initial: initial?.word, option: option, meaning: help)
    self.standard = standard
    reader = { Value(word: $0, in: range) }
    writer = \.word
  }

  /// Declares a list.
  ///
  /// - Parameters:
  ///   - name: The name in a request, or in the path.
  ///   - range: The range of each number.
  ///   - separator: The separator of two values.
  ///   - path: The path with `{name}` in place of the list; nil for a parameter of the query.
  ///   - option: The option of commands that sets it; nil for one that only programs set.
  ///   - help: What it means; begins with a noun or a verb.
  public init<Word: APIWord>(
    _ name: String, _ range: ClosedRange<Int>? = nil, separator: Character, path: String? = nil,
    option: String? = nil, help: String
  ) where Value == [Word] {
    declaration = .init(
      name: name, values: Word.values(in: range), separator: separator, path: path, option: option,
      meaning: help)
    standard = []
    reader = { text in
      let parts = text.split(separator: separator)
      let words = parts.compactMap { Word(word: String($0), in: range) }
      return words.count == parts.count ? words : nil
    }
    writer = { words in
      words.isEmpty ? nil : words.compactMap(\.word).joined(separator: String(separator))
    }
  }

  /// The name in a request.
  public var name: String { declaration.name }
  /// Returns the value of a text; nil if the text is not a valid one.
  public func value(of text: String) -> Value? { reader(text) }
  /// Returns whether a text is a valid one.
  public func allows(_ text: String) -> Bool { reader(text) != nil }
  /// Returns the text that a request has for a value; nil if it has none.
  public func text(of value: Value) -> String? { writer(value) }
}

/// A parameter in the list of an endpoint.
public protocol APIParameterDeclaration: Sendable {
  /// The declaration without its type.
  var declaration: APIParameterDetails { get }

  /// Returns whether a request may give the parameter as this text.
  func allows(_ text: String) -> Bool
}

/// The declaration of a parameter without its type.
public struct APIParameterDetails: Sendable {
  /// The name in a request.
  public let name: String
  /// Its valid values.
  public let values: APIValues
  /// The text of the service's default.
  public var standard: String?
  /// The text that clients send by default.
  public var initial: String?
  /// The separator of a list; nil for a single value.
  public var separator: Character?
  /// The path that it is a part of; nil for a parameter of the query.
  public var path: String?
  /// The option of commands that sets it; nil for one that only programs set.
  public let option: String?
  let meaning: String

  /// What it means, with its bounds and its default.
  public var help: String {
    var text = meaning
    if case .integer(let range?) = values, separator == nil {
      if range.upperBound != .max {
        text += ", \(range.lowerBound) to \(range.upperBound)"
      } else if range.lowerBound > 0 {
        text += ", from \(range.lowerBound)"
      }
    }
    if separator != nil { text += "; may be repeated, or take a,b" }
    return text + ((initial ?? standard).map { " (default \($0))" } ?? "")
  }

  /// Identifies it within its endpoint.
  var key: String { path ?? name }
}

/// The valid values of a parameter.
public enum APIValues: Sendable, Equatable {
  /// Any text.
  case text
  /// A whole number, within bounds if there are any.
  case integer(ClosedRange<Int>?)
  /// One of several words.
  case oneOf([String])
}

/// A type that values of parameters are read as.
public protocol APIWord: Sendable {
  /// Returns the valid values.
  static func values(in range: ClosedRange<Int>?) -> APIValues
  /// Reads a text; nil if it is not valid.
  init?(word: String, in range: ClosedRange<Int>?)
  /// The text in a request; nil for a value that a request has no text for.
  var word: String? { get }
}

extension APIWord where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// The raw values.
  public static func values(in range: ClosedRange<Int>?) -> APIValues {
    .oneOf(allCases.map(\.rawValue))
  }
  /// Reads a raw value.
  public init?(word: String, in range: ClosedRange<Int>?) { self.init(rawValue: word) }
  /// The raw value.
  public var word: String? { rawValue }
}

extension Optional: APIWord where Wrapped: APIWord {
  /// The values of the wrapped type.
  public static func values(in range: ClosedRange<Int>?) -> APIValues { Wrapped.values(in: range) }
  /// Reads a value.
  public init?(word: String, in range: ClosedRange<Int>?) {
    guard let value = Wrapped(word: word, in: range) else { return nil }
    self = value
  }
  /// The text of the value.
  public var word: String? { flatMap(\.word) }
}

extension String: APIWord {
  /// Any text.
  public static func values(in range: ClosedRange<Int>?) -> APIValues { .text }
  /// Takes the text as it is.
  public init?(word: String, in range: ClosedRange<Int>?) { self = word }
  /// Itself.
  public var word: String? { self }
}

extension Int: APIWord {
  /// A number in the range.
  public static func values(in range: ClosedRange<Int>?) -> APIValues { .integer(range) }
  /// Reads a number in decimal notation.
  public init?(word: String, in range: ClosedRange<Int>?) {
    guard let number = Int(word), range?.contains(number) ?? true else { return nil }
    self = number
  }
  /// Its decimal digits.
  public var word: String? { String(self) }
}

/// `true`; no request has a text for false.
extension Bool: APIWord {
  /// The two words.
  public static func values(in range: ClosedRange<Int>?) -> APIValues { .oneOf(["true", "false"]) }
  /// Reads one of the two words, in any case.
  public init?(word: String, in range: ClosedRange<Int>?) { self.init(word.lowercased()) }
  /// `true`, or nil.
  public var word: String? { self ? "true" : nil }
}
