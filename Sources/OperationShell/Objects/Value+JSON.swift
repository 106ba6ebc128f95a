import Foundation
import Networking
import Operations
import ShellLanguage

/// What an operation's value looks like to the shell.
///
/// A result type that conforms decides itself; others are shown by their description.
protocol ShellResult: Sendable {
  var json: JSONValue { get }
}

extension ObservableOperation {
  /// Its value, or, as long as it has not finished, what the cache had.
  var valueAtHand: (any Sendable)? {
    if let value = resultValue { return value }
    guard state != .finished else { return nil }
    return (self as? any CachingRequest)?.storedValue
  }
}

extension Value {
  /// The value that a JSON text stands for; objects become records, in their order.
  init(json: JSONValue) {
    switch json {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .string(let string): self = .string(string)
    case .array(let elements): self = .list(elements.map(Value.init(json:)))
    case .object(let members):
      self = .record(members.map { .init($0.name, Value(json: $0.value)) })
    }
  }

  /// The value of a succeeded operation, or what was kept while it is updated; null while there is
  /// none.
  init(resultOf operation: ObservableOperation) {
    switch operation.valueAtHand {
    case nil: self = .null
    case let value as Value: self = value
    case let result as any ShellResult: self = Value(json: result.json)
    case let text as String: self = .string(text)
    case let number as Int: self = .integer(Int64(number))
    case is Void: self = .null
    case let other?: self = .string(String(describing: other))
    }
  }

  /// The value as JSON; operations and queues become what `--json` points at them with.
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

extension StackExchangePage: ShellResult {
  var json: JSONValue { raw }
}

extension TweetsPage: ShellResult {
  var json: JSONValue { raw }
}

extension QuotesPage: ShellResult {
  var json: JSONValue { raw }
}

extension Quote: ShellResult {
  var json: JSONValue {
    JSONFields([
      .init(name: "id", value: .string(id)), .init(name: "text", value: .string(text)),
      .init(name: "author", value: .optional(author)),
      .init(name: "reads", value: .number(readCount)),
      .init(name: "created", value: .optional(createdAt.map(DateText.text))),
      .init(name: "updated", value: .optional(updatedAt.map(DateText.text))),
    ]).value
  }
}

extension QuoteMergeReport: ShellResult {
  var json: JSONValue {
    let rejected = rejected.map { rejection in
      JSONFields([
        .init(name: "index", value: .number(rejection.index)),
        .init(name: "id", value: .optional(rejection.id)),
        .init(name: "reason", value: .string(rejection.reason)),
      ]).value
    }
    return JSONFields([
      .init(name: "created", value: .number(created)),
      .init(name: "updated", value: .number(updated)),
      .init(name: "unchanged", value: .number(unchanged)),
      .init(name: "repeated", value: .number(repeated)),
      .init(name: "rejected", value: .array(rejected)),
    ]).value
  }
}

extension HTTPResponse: ShellResult {
  /// Status, headers, and the body as JSON where it is JSON, else as text, else as its size.
  var json: JSONValue {
    var fields: JSONFields = [
      "url": .string(HTTPRequest.masked(head.url)),
      "status": .number(head.status),
      "headers": .object(
        head.headers.fields.map { .init(name: $0.name, value: .string($0.maskedValue)) }),
      "bytes": .number(body.count),
    ]
    if let parsed = try? JSONValue(parsing: body) {
      fields.append("body", parsed)
    } else {
      fields.append("body", .optional(text))
    }
    return fields.value
  }
}
