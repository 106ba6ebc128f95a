package import OpshNetworking
import ShellOutput

/// A kind of object that commands print with `--json`, with its keys.
///
/// The reference page lists the kinds, the commands print through them, and a test compares both, so
/// that a key is named in one place.
package struct ObjectKind: Sendable {
  /// The value of the key `type`.
  package let type: String
  /// The commands that print it, in words.
  package let commands: String
  /// The keys after those of every object, in order, with their meanings.
  package let keys: [(name: String, meaning: String)]
  /// The keys that an object has only if it has a value for them.
  package let optional: Set<String>

  package init(
    type: String, commands: String, keys: [(name: String, meaning: String)],
    optional: Set<String> = []
  ) {
    self.type = type
    self.commands = commands
    self.keys = keys
    self.optional = optional
  }

  /// Sorts values into the order of the keys; a key without a value is null or, if it is optional,
  /// left out.
  func fields(_ values: [String: JSONValue]) -> JSONFields {
    assert(values.keys.allSatisfy { name in keys.contains { $0.name == name } })
    return JSONFields(
      keys.filter { !optional.contains($0.name) || values[$0.name] != nil }
        .map { .init(name: $0.name, value: values[$0.name] ?? .null) })
  }
}

/// Keys that several kinds have.
extension ObjectKind {
  package static let operation = (name: "operation", meaning: "the operation, `{id, name}`")
  package static let state = (name: "state", meaning: "its state")
  package static let outcome = (name: "outcome", meaning: "how it ended, or null")
}

extension Invocation {
  /// Prints one object of a kind.
  package func object(
    _ kind: ObjectKind, at instant: ContinuousClock.Instant? = nil, _ values: [String: JSONValue]
  ) {
    object(kind.type, at: instant, kind.fields(values))
  }

  /// Prints an object; sorts its members into the order of its kind.
  package func object(_ kind: ObjectKind, _ json: JSONValue) {
    guard case .object(let members) = json else { return }
    object(kind, Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
  }
}
