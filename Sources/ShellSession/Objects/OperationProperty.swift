import OpshJSON
package import Operations
import ShellLanguage
import ShellOutput

/// A property of operations, described once: `NAME.PROPERTY` in scripts, a column and a sort key of
/// `ops`, perhaps a key of its JSON object, and a line of help.
package struct OperationProperty: Sendable {
  /// The page of help that it stands on.
  package enum Page: Sendable {
    case operations, settings, requests
  }

  /// How changes of the value are announced, for conditions that wait for one.
  enum Changes: Sendable {
    /// By entries of the log, or the value never changes.
    case logged
    /// By observers and receive handlers.
    case observed
    /// Not at all, and not needed: the value grows with the time.
    case timed
    /// Not at all.
    case untold
  }

  /// How the value is found.
  enum Source: Sendable {
    /// As a key of the JSON object.
    case key(@Sendable (ObservableOperation) -> JSONValue)
    /// As an instant, which is a key of the JSON object too; nil before it has come.
    case time(@Sendable (StateTimestamps) -> ContinuousClock.Instant?)
    /// For scripts alone.
    case value(@Sendable (ObservableOperation) -> Value)
    /// For scripts alone, at a moment of the log or at present.
    case moment(@Sendable (ObservableOperation, Moment?, SessionClock) -> Value)
  }

  /// The name.
  package let name: String
  /// What help says of it; those in a row that share a meaning share a line.
  package let meaning: String
  /// The page of help.
  package let page: Page
  /// What its value can be.
  let kind: StaticKind
  /// How changes of the value are announced.
  let changes: Changes
  /// The state before which the operation does not have it; nil if it always has.
  let firstState: OperationState?
  /// How the value is found.
  let source: Source
  /// The row of `show` for an operation that it was set for; nil for others.
  private let fact: (@Sendable (ObservableOperation) -> String?)?

  init(
    _ name: String, _ kind: StaticKind, _ meaning: String, on page: Page = .operations,
    changes: Changes = .logged, from firstState: OperationState? = nil, _ source: Source,
    fact: (@Sendable (ObservableOperation) -> String?)? = nil
  ) {
    (self.name, self.kind, self.meaning, self.page) = (name, kind, meaning, page)
    (self.changes, self.firstState, self.source) = (changes, firstState, source)
    self.fact = fact
  }

  /// A property that an option sets, and a row of `show`: the text of its value, unless `fact` says
  /// otherwise.
  static func setting(
    _ name: String, _ kind: StaticKind, _ meaning: String, changes: Changes = .logged,
    _ value: @escaping @Sendable (ObservableOperation) -> Value,
    fact: (@Sendable (ObservableOperation) -> String?)? = nil
  ) -> OperationProperty {
    OperationProperty(
      name, kind, meaning, on: .settings, changes: changes, .value(value),
      fact: fact ?? { operation in
        let value = value(operation)
        if case .null = value { return nil }
        return value.text
      })
  }

  private static let byName = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Returns the property with a name, in constant time.
  static func named(_ name: String) -> OperationProperty? { byName[name] }

  /// Returns the names of the properties whose changes are announced in one way.
  static func names(_ changes: Changes) -> Set<String> {
    Set(all.filter { $0.changes == changes }.map(\.name))
  }

  /// The keys of the JSON object of an operation, in order.
  static let keys = all.filter { property in
    switch property.source {
    case .key, .time: true
    case .value, .moment: false
    }
  }

  /// The keys that an object has only if it has a value for them.
  static let optionalKeys: Set<String> = ["phase"]

  /// The value in the JSON object.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - seconds: Returns an instant in seconds.
  /// - Returns: The value; null for a property that is not a key.
  func json(
    of operation: ObservableOperation, seconds: (ContinuousClock.Instant) -> JSONValue
  ) -> JSONValue {
    switch source {
    case .key(let read): read(operation)
    case .time(let read): read(operation.timestamps).map(seconds) ?? .null
    case .value, .moment: .null
    }
  }

  /// The instant; nil for a property that is none, and before it has come.
  func instant(of operation: ObservableOperation) -> ContinuousClock.Instant? {
    guard case .time(let read) = source else { return nil }
    return read(operation.timestamps)
  }

  /// The rows of those that were set for an operation, in the order of `show`.
  package static func facts(of operation: ObservableOperation) -> [(name: String, text: String)] {
    all.compactMap { property in property.fact?(operation).map { (property.name, $0) } }
  }
}
