import OpshLocking
package import ShellLanguage

/// Fixed meanings of the names in a statement's expressions, from its start to its end.
///
/// If a newer operation takes a name while `expect … within` waits, the name still means the
/// operation that had it when the statement started.
final class NameBindings: Sendable {
  private let objects = Locked<[String: Value]>([:])

  /// Returns what a name means; each name is looked up once.
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
  /// Returns the same call with the names in its expressions bound to their present meaning.
  ///
  /// A name without a meaning yet is bound when it is first read.
  package func binding(namesIn expressions: [Expression]) -> Invocation {
    var info = self.info
    info.bindings = NameBindings()
    let bound = Invocation(
      jobs: jobs, outside: outside, screen: screen, run: run, call: call,
      context: context.with(userInfo: info))
    for name in Set(expressions.flatMap(\.objectNames)) {
      _ = jobs.object(named: name, in: bound.context)
    }
    return bound
  }
}
