import OpshJSON

/// A value that an answer may hold.
protocol JSONRepresentable {
  var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable {
  var json: JSONValue { self }

  /// An object with its members in this order, without those that have no value.
  init(_ members: KeyValuePairs<String, (any JSONRepresentable)?>) {
    self = .object(
      members.compactMap { name, value in value.map { .init(name: name, value: $0.json) } })
  }

  /// A number of thousandths, as a number with three digits after the point.
  static func thousandths(_ value: Int) -> JSONValue {
    .literal("\(value / 1000)." + String(1000 + value % 1000).dropFirst())
  }

  /// The text as it is sent.
  func bytes(escaping: JSONWriter.Escaping = .required) -> [UInt8] {
    var writer = JSONWriter(escaping: escaping)
    writer.value(self)
    return writer.bytes
  }
}

extension Int: JSONRepresentable {
  var json: JSONValue { .integer(Int64(self)) }
}

extension Bool: JSONRepresentable {
  var json: JSONValue { .boolean(self) }
}

extension String: JSONRepresentable {
  var json: JSONValue { .string(self) }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
  var json: JSONValue { .array(map(\.json)) }
}
