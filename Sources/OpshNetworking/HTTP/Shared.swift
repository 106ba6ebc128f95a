/// A large value that copies share: the storage is as small as a reference, and copying it takes a
/// single count.
///
/// It is for what is seldom changed: setting the value, or a part of it, allocates new storage.
struct Shared<Value: Sendable>: Sendable {
  private final class Storage: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  /// The value; setting it leaves the other copies as they are.
  var value: Value {
    _read { yield storage.value }
    set { storage = Storage(newValue) }
  }

  /// Whether both have the same storage, and therefore the same value.
  func isIdentical(to other: Shared) -> Bool { storage === other.storage }
}

extension Shared: Equatable where Value: Equatable {
  static func == (first: Shared, second: Shared) -> Bool {
    first.isIdentical(to: second) || first.value == second.value
  }
}
