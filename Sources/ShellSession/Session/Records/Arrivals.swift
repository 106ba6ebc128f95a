import OpshLocking
package import Operations
import ShellLanguage

/// Handlers that wait for operations of certain names to be built.
package final class Arrivals: Sendable {
  private struct Handler {
    let number: Int
    let pattern: GlobPattern
    /// Whether the first operation is the only one.
    let isOnce: Bool
    let handle: @Sendable (ObservableOperation) -> Void
  }

  private let handlers = Locked<[Handler]>([])

  /// Calls a handler for operations that are built from now on, before they are added to a queue.
  ///
  /// - Parameters:
  ///   - pattern: The names of the operations: one name or a pattern with `*`.
  ///   - isOnce: Whether only the first one counts.
  ///   - number: A number that ``forget(_:)`` takes.
  ///   - handle: What to call, on the thread that builds the operation.
  package func await(
    _ pattern: String, once isOnce: Bool, number: Int,
    _ handle: @escaping @Sendable (ObservableOperation) -> Void
  ) {
    let handler = Handler(
      number: number, pattern: GlobPattern(pattern), isOnce: isOnce, handle: handle)
    handlers.withLock { $0.append(handler) }
  }

  /// Removes the handler of that number.
  package func forget(_ number: Int) {
    handlers.withLock { $0.removeAll { $0.number == number } }
  }

  /// Calls the handlers that wait for an operation of this name.
  func note(_ operation: ObservableOperation) {
    let matching = handlers.withLock { handlers -> [Handler] in
      guard !handlers.isEmpty else { return [] }
      let name = operation.displayName
      let matching = handlers.filter { $0.pattern.matches(name) }
      handlers.removeAll { $0.isOnce && $0.pattern.matches(name) }
      return matching
    }
    for handler in matching { handler.handle(operation) }
  }
}
