import Foundation
package import OpshNetworking
package import Operations
import ShellLanguage
import ShellOutput
import OpshSupport

extension ObservableOperation {
  /// Its value, or before its end the cached one.
  package var valueAtHand: (any Sendable)? {
    if let value = resultValue { return value }
    guard state != .finished else { return nil }
    return networkMetrics?.storedValue
  }
}

extension ObservableOperation {
  /// The available value as JSON, every number as it was received; null if there is none.
  package var resultJSON: JSONValue {
    (valueAtHand as? any ShellResult)?.json ?? Value(resultOf: self).json
  }
}

extension Value {
  /// The value of a JSON text; objects become records with the same order.
  package init(json: JSONValue) {
    switch json {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .literal(let text): self = .spelled(.real(json.double ?? .nan), text)
    case .string(let string): self = .string(string)
    case .array(let elements): self = .list(elements.map(Value.init(json:)))
    case .object(let members):
      self = .record(members.map { .init($0.name, Value(json: $0.value)) })
    }
  }

  /// The value of a succeeded operation, or the cached one during revalidation; null if there is
  /// none, and a `DroppedValue` if it was dropped.
  package init(resultOf operation: ObservableOperation) {
    switch operation.valueAtHand {
    // In this order, because the value may be dropped at any time.
    case nil where operation.isValueDropped:
      self = .object(DroppedValue(.droppedValue(of: operation)))
    case nil: self = .null
    case let value as Value: self = value
    case let response as HTTPResponse: self = Value(response)
    case let result as any ShellResult: self = Value(json: result.json)
    case let text as String: self = .string(text)
    case let number as Int: self = .integer(Int64(number))
    case is Void: self = .null
    case let other?: self = .string(String(describing: other))
    }
  }

  /// A response as a record.
  package init(_ response: HTTPResponse) {
    guard case .object(let members) = response.json else {
      self = .null
      return
    }
    self = .record(
      members.map { member in
        .init(
          member.name,
          member.name == "headers" ? Value(response.head.headers) : Value(json: member.value))
      })
  }

  /// Headers as a record, in which each name is found in any letter case (RFC 9110, section 5.1):
  /// HTTP/2 sends them in lower case.
  init(_ headers: HTTPHeaders) {
    guard case .object(let members) = headers.json else {
      self = .null
      return
    }
    self = .record(
      members.map { .init($0.name, Value(json: $0.value), ignoresCase: true) })
  }

  /// The value as JSON; operations and queues become references as in `--json`.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .string(let string): .string(string)
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .boolean(let flag): .boolean(flag)
    case .duration(let duration): .seconds(duration.seconds)
    case .size(let bytes): .integer(bytes)
    case .percent(let number): .real(number)
    case .spelled(let number, let text): JSONValue(number: text) ?? number.json
    case .list(let elements): .array(elements.map(\.json))
    case .record(let fields): .object(fields.map { .init(name: $0.name, value: $0.value.json) })
    case .object(let object):
      switch object {
      case let object as OperationObject:
        OperationDescription.reference(to: object.operation).value
      default: .string(object.text)
      }
    }
  }
}

extension JSONValue {
  /// A number as it is written; nil for text that is not a JSON number, such as `007`.
  fileprivate init?(number text: String) {
    guard let value = try? JSONValue(parsing: Array(text.utf8)), value.double != nil else {
      return nil
    }
    self = value
  }
}

extension HTTPResponse {
  /// Status, headers, and the body: as JSON if it is JSON, else as text, and in base64 if it is not
  /// valid UTF-8; `encoding` says which.
  package var json: JSONValue {
    var fields: JSONFields = [
      "url": .string(HTTPRequest.masked(head.url)),
      "status": .number(head.status),
      "headers": head.headers.json,
      "bytes": .number(body.count),
    ]
    if isTruncated { fields.append("truncated", .boolean(true)) }
    if body.isEmpty {
      fields.append("encoding", .null)
      fields.append("body", .null)
    } else if let parsed = try? JSONValue(parsing: body) {
      fields.append("encoding", .string("json"))
      fields.append("body", parsed)
    } else {
      let bytes = JSONFields(bytes: body, name: "body", encoding: "encoding")
      fields.members += bytes.members
      if !bytes.isText, let text { fields.append("text", .string(text)) }
    }
    return fields.value
  }
}

extension HTTPHeaders {
  /// The fields by name, in the order of first occurrence; a list of texts for a name that occurs
  /// more than once in any spelling.
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    var places: [String: Int] = [:]
    for field in fields {
      let text = JSONValue.string(field.maskedValue)
      let name = field.name.lowercased()
      guard let place = places[name] else {
        places[name] = members.count
        members.append(.init(name: field.name, value: text))
        continue
      }
      if case .array(let texts) = members[place].value {
        members[place].value = .array(texts + [text])
      } else {
        members[place].value = .array([members[place].value, text])
      }
    }
    return .object(members)
  }
}

extension JSONFields {
  /// Bytes as a text if they are UTF-8, else in base64, and a key that says which.
  package init(bytes: [UInt8], name: String, encoding: String) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = [encoding: .string("text"), name: .string(text)]
    } else {
      self = [
        encoding: .string("base64"), name: .string(Data(bytes).base64EncodedString()),
      ]
    }
  }

  /// Whether its bytes are valid text.
  fileprivate var isText: Bool { members.first?.value == .string("text") }
}
