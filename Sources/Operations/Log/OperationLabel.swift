/// What an operation is called, apart from its number.
///
/// The operation and all that is kept of it share one label, and so do all operations of one kind
/// that were given no name: a million of them carry no strings.
final class OperationLabel: Sendable {
  let kind: String
  /// The name it was given, if it was given one.
  let givenName: String?

  init(kind: String, givenName: String?) {
    self.kind = kind
    self.givenName = givenName
  }

  /// The name of the operation with the given number.
  func name(id: Int) -> String {
    givenName ?? "\(kind.split(separator: " ").last ?? "operation")-\(id)"
  }
}

/// What a queue is called; entries about its operations share it.
final class QueueLabel: Sendable {
  let name: String
  let id: Int

  init(name: String, id: Int) {
    self.name = name
    self.id = id
  }
}
