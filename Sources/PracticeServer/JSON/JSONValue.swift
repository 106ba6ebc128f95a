/// Any JSON value, in which whole numbers are told from others.
indirect enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case fraction(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The value as a number, if it is one.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .fraction(let value): value
    default: nil
    }
  }

  /// The same shape, in which numbers are strings and strings are numbers.
  var withOtherTypes: JSONValue {
    switch self {
    case .null: .integer(0)
    case .boolean(let value): .string(value ? "true" : "false")
    case .integer(let value): .string("\(value)")
    case .fraction(let value): .string("\(value)")
    case .string(let value): .integer(value.utf8.count)
    case .array(let items): .array(items.map(\.withOtherTypes))
    case .object(let object): .object(object.mapValues(\.withOtherTypes))
    }
  }
}

/// An object that remembers the order of its keys.
struct JSONObject: Equatable, Sendable, Sequence {
  private var order: [String] = []
  private var values: [String: JSONValue] = [:]

  init() {}

  init(_ members: [(String, JSONValue)]) {
    for (key, value) in members { self[key] = value }
  }

  var keys: [String] { order }
  var count: Int { order.count }
  var isEmpty: Bool { order.isEmpty }

  subscript(key: String) -> JSONValue? {
    get { values[key] }
    set {
      if let newValue {
        if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
      } else if values.removeValue(forKey: key) != nil {
        order.removeAll { $0 == key }
      }
    }
  }

  func mapValues(_ transform: (JSONValue) -> JSONValue) -> JSONObject {
    var other = self
    other.values = values.mapValues(transform)
    return other
  }

  func makeIterator() -> AnyIterator<(key: String, value: JSONValue)> {
    var index = 0
    return AnyIterator {
      guard index < order.count, let value = values[order[index]] else { return nil }
      defer { index += 1 }
      return (order[index], value)
    }
  }

  /// Objects are equal whatever the order of their keys.
  static func == (left: JSONObject, right: JSONObject) -> Bool { left.values == right.values }
}
