/// The identity of an operation, which outlives the operation.
public struct OperationIdentity: Sendable, Hashable {
  /// Its number, unique in its engine.
  public let id: Int
  let label: OperationLabel

  init(id: Int, label: OperationLabel) { (self.id, self.label) = (id, label) }

  /// Creates the identity of an operation that is known from a recording.
  package init(id: Int, name: String?, kind: String) {
    self.init(id: id, label: OperationLabel(kind: kind, givenName: name))
  }

  /// Whether it was given a name.
  package var isNamed: Bool { label.givenName != nil }

  /// What it does, such as `fetch questions`.
  public var kind: String { label.kind }

  /// Its name: the one it was given, or the last word of its kind and its number.
  public var name: String { label.name(id: id) }

  /// Tells whether both are the same operation under the same name.
  public static func == (left: OperationIdentity, right: OperationIdentity) -> Bool {
    left.id == right.id
      && (left.label === right.label
        || (left.label.kind == right.label.kind && left.label.givenName == right.label.givenName))
  }

  /// Feeds the number into the hasher; it tells operations of one engine apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}
