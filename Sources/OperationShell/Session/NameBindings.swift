import Locking
import ShellLanguage

/// What the names in the expressions of one statement mean, from its beginning to its end.
///
/// A name that a newer operation takes while `expect … within` waits still means the operation that
/// had it when the statement began.
final class NameBindings: Sendable {
  private let objects = Locked<[String: Value]>([:])

  /// Returns what a name means; looked up once.
  func object(named name: String, otherwise find: () -> Value?) -> Value? {
    if let known = objects.withLock({ $0[name] }) { return known }
    guard let found = find() else { return nil }
    return objects.withLock { objects in
      let object = objects[name] ?? found
      objects[name] = object
      return object
    }
  }
}

extension Invocation {
  /// Returns the same call with the names in expressions bound to what they mean now.
  ///
  /// One that means nothing yet is bound when it is first read.
  func binding(namesIn expressions: [Expression]) -> Invocation {
    var info = self.info
    info.bindings = NameBindings()
    let bound = Invocation(
      session: session, call: call, context: context.with(userInfo: info))
    for name in Set(expressions.flatMap(\.objectNames)) {
      _ = session.object(named: name, in: bound.context)
    }
    return bound
  }
}
