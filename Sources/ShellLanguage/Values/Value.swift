/// A value of the language.
public enum Value: Sendable {
  /// No value; counts as false.
  case null
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction.
  case real(Double)
  /// True or false.
  case boolean(Bool)
  /// A length of time.
  case duration(Duration)
  /// A number of bytes.
  case size(Int64)
  /// A share of a hundred, 20 for `20%`.
  case percent(Double)
  /// A number that keeps how it was written, such as `1.10` or `007`.
  indirect case spelled(Value, String)
  /// Several values.
  case list([Value])
  /// Named values, in order.
  case record([Field])
  /// A live thing of the host.
  case object(any LanguageObject)

  /// One named value of a record.
  public struct Field: Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: Value
    /// Whether it is found by its name in other letter case too, as the name of a header is.
    public let ignoresCase: Bool

    /// Creates a field.
    public init(_ name: String, _ value: Value, ignoresCase: Bool = false) {
      self.name = name
      self.value = value
      self.ignoresCase = ignoresCase
    }

    func isFound(by other: String) -> Bool {
      name == other || ignoresCase && name.lowercased() == other.lowercased()
    }
  }

  /// Whether a condition counts it as true; a text cannot be a condition.
  ///
  /// False are `false`, `null`, zero of any kind, the empty list and record.
  public var isTruthy: Bool {
    switch self {
    case .null: false
    case .string(let text): !text.isEmpty
    case .integer(let number): number != 0
    case .real(let number), .percent(let number): number != 0
    case .boolean(let flag): flag
    case .duration(let duration): duration != .zero
    case .size(let count): count != 0
    case .spelled(let number, _): number.isTruthy
    case .list(let values): !values.isEmpty
    case .record(let fields): !fields.isEmpty
    case .object: true
    }
  }

  /// The name of its kind, as messages use it.
  public var typeName: String {
    switch self {
    case .null: "null"
    case .string: "string"
    case .integer: "integer"
    case .real: "real"
    case .boolean: "boolean"
    case .duration: "duration"
    case .size: "size"
    case .percent: "percent"
    case .spelled(let number, _): number.typeName
    case .list: "list"
    case .record: "record"
    case .object(let object): object.typeName
    }
  }

  /// The value without its spelling, to compute and compare with.
  public var unspelled: Value {
    if case .spelled(let number, _) = self { number } else { self }
  }

  /// Whether it is one piece of text, number or the like, and holds no other values.
  var isPlain: Bool {
    switch self {
    case .string, .integer, .real, .boolean, .duration, .size, .percent, .spelled: true
    case .null, .list, .record, .object: false
    }
  }

  /// Its kind with the right article, for messages.
  var describedType: String {
    let name = typeName
    if name == "null" { return name }
    return ("aeiou".contains(name.first ?? "x") ? "an " : "a ") + name
  }

  /// Returns what `before` and `after` compare for a property that is a time of an object; nil for
  /// all else.
  func instant(_ name: String) -> Value? {
    if case .object(let object) = self { object.instant(name) } else { nil }
  }

  /// Returns the value of a property, or nil if there is none of that name.
  ///
  /// A list and a string answer to `count`, a list also to `first` and `last`.
  public func property(_ name: String) -> Value? {
    switch self {
    case .record(let fields): fields.last { $0.isFound(by: name) }?.value
    case .object(let object): object.property(name)
    case .list(let values):
      switch name {
      case "count": .integer(Int64(values.count))
      case "first": values.first ?? .null
      case "last": values.last ?? .null
      default: nil
      }
    case .string(let text) where name == "count": .integer(Int64(text.count))
    case .duration(let duration) where name == "seconds": .real(duration / .seconds(1))
    default: nil
    }
  }

  /// The names that `property(_:)` answers to.
  public var propertyNames: [String] {
    switch self {
    case .record(let fields): fields.map(\.name)
    case .object(let object): object.propertyNames
    case .list: ["count", "first", "last"]
    case .string: ["count"]
    case .duration: ["seconds"]
    default: []
    }
  }
}
